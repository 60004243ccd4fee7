package factor

import (
	"slices"
	"testing"

	"nmu/cmd/nmu/internal/flags"
	"nmu/internal/options"
)

// TestEverySetting: nmu factor has a flag for every setting of a factorization, or another way.
func TestEverySetting(t *testing.T) {
	elsewhere := map[string]string{
		"check-every": "it is 10, which --tol says",
		"record":      "--report records what the page shows",
		"overwrite":   "where the matrix is in memory of the command alone, it is",
		"checkpoint":  "--out DIR holds it",
		"resume":      "nmu resume DIR",
		"input":       "INPUT",
	}
	fs := newFactor().cmd.Flags()
	for _, s := range options.Settings(&options.Run{}) {
		if s.Calls&options.Factor == 0 {
			continue
		}
		flag := fs.Lookup(s.Flag)
		if (flag == nil) == (elsewhere[s.Name] == "") {
			t.Errorf("the setting %s has the flag %q, which is there: %v; elsewhere it is %q", s.Name, s.Flag, flag != nil, elsewhere[s.Name])
			continue
		}
		if flag == nil {
			delete(elsewhere, s.Name)
			continue
		}
		for _, word := range flags.Words(flag) {
			if s.Choices() != nil && s.Name != "missing" && !slices.Contains(s.Choices(), word) { // which replaces cells of a table, too
				t.Errorf("--%s takes %s, and the setting does not", s.Flag, word)
			}
		}
	}
	for name := range elsewhere {
		t.Errorf("there is no setting %s", name)
	}
}
