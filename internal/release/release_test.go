package release

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"nmu/internal/must"
)

// TestNumber: every file of the project that says the version says this one, in the words
// of its format. None has a form for -dev but Python and the list of changes.
func TestNumber(t *testing.T) {
	released := strings.TrimSuffix(number, "-dev")
	section := number
	if released != number {
		section = "Unreleased"
	}
	for _, c := range []struct{ file, line, want string }{
		{"python/pyproject.toml", `(?m)^version = "(.*)"$`, strings.Replace(number, "-dev", ".dev0", 1)},
		{"r/DESCRIPTION", `(?m)^Version: (.*)$`, released},
		{"CITATION.cff", `(?m)^version: (.*)$`, released},
		{"CHANGELOG.md", `(?m)^## (Unreleased|[0-9].*)$`, section},
	} {
		text := must.Get(os.ReadFile(filepath.Join("../..", filepath.FromSlash(c.file))))(t)
		found := regexp.MustCompile(c.line).FindStringSubmatch(strings.ReplaceAll(string(text), "\r\n", "\n"))
		if found == nil || found[1] != c.want {
			t.Errorf("%s has %q where version %s is %q", c.file, found, number, c.want)
		}
	}
}

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
		must.Equal(t, of(c.settings), c.want, c.settings)
	}
}
