package factor

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"nmu/cmd/internal/flags"
	"nmu/internal/options"
)

// TestEverySetting: nmu factor has a flag for every setting of a factorization, or another way.
func TestEverySetting(t *testing.T) {
	elsewhere := map[string]string{
		"record":     "--report records what the page shows",
		"overwrite":  "where the matrix is in memory of the command alone, it is",
		"checkpoint": "--out DIR holds it",
		"resume":     "nmu resume DIR",
		"input":      "INPUT",
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

// TestFlagsOfSettings: the list alone declares flags that set what they say.
func TestFlagsOfSettings(t *testing.T) {
	fs := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	var r options.Run
	flags.FurtherSettings(fs, &r)
	err := fs.Parse([]string{"--seed", "7", "--iters=3", "--tol", "0.25", "--baseline", "--missing-solver", "exact", "--time-limit", "90", "--mask", "m.npy", "--check-every", "2"})
	if err != nil || r.Seed != 7 || r.Iterations != 3 || r.Tolerance != 0.25 || !r.Fixed.Baseline || r.MissingSolver != "exact" || r.TimeLimit.Seconds() != 90 || r.Mask != "m.npy" || r.CheckEvery != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := fs.Parse([]string{"--seed", "-1"}); err == nil {
		t.Error("a seed of -1")
	}
	if words := flags.Words(fs.Lookup("missing-solver")); !slices.Equal(words, []string{"majorize", "exact"}) {
		t.Errorf("--missing-solver takes %q", words)
	}
}
