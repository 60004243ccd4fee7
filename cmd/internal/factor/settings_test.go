package factor

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"nmu/cmd/internal/flags"
	"nmu/internal/options"
)

// TestFlagsOfSettings: the list alone declares flags that set what they say.
func TestFlagsOfSettings(t *testing.T) {
	fs := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	var r options.Run
	flags.FurtherSettings(fs, &r, options.Factor)
	err := fs.Parse([]string{"--seed", "7", "--iters=3", "--tol", "0.25", "--baseline", "--missing-solver", "exact", "--time-limit", "90s", "--mask", "m.npy", "--check-every", "2"})
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
