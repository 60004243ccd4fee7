package data

import (
	"strings"
	"testing"

	"nmu/internal/must"
)

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"400,500,300", "300,400,500", true},
		{"400.50,500", "500,400.5", true},
		{"400,500", "400,600", false},
		{"400,500", "400,500,600", false},
		{"400,400,500", "400,500,400", false}, // twice
		{"1,2,3", "3,1,2", false},             // a count
		{"3,1,2", "1,2,3", false},
	} {
		must.Equal(t, same(strings.Split(c.a, ","), strings.Split(c.b, ",")), c.want, c.a, "and", c.b)
	}
}
