package checkasm

import (
	"testing"
)

func TestWorkingSetsRise(t *testing.T) {
	s := WorkingSets()
	for i := 1; i < len(s); i++ {
		if s[i].Bytes <= s[i-1].Bytes {
			t.Errorf("%v is not above %v", s[i], s[i-1])
		}
	}
}
