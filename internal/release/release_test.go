package release

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	s := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, number},
		{[]debug.BuildSetting{s("vcs.revision", "0123456789abcdef"), s("vcs.modified", "false")}, number + "+0123456789ab"},
		{[]debug.BuildSetting{s("vcs.revision", "012345"), s("vcs.modified", "true")}, number + "+012345.modified"},
	} {
		if got := of(c.settings); got != c.want {
			t.Errorf("%v: %s, want %s", c.settings, got, c.want)
		}
	}
}
