package program

import (
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/internal/options"
)

// TestFlags: the lists declare flags that set what they say.
func TestFlags(t *testing.T) {
	var r options.Run
	c := (&Command{Use: "factor INPUT", Of: options.Factor, Run: &r}).Call(nil)
	for _, flag := range [][2]string{
		{"seed", "7"}, {"iterations", "3"}, {"tolerance", "0.25"}, {"baseline", "true"}, {"missing-solver", "EXACT"}, {"time-limit", "90s"}, {"mask", "m.npy"}, {"check-every", "2"},
		{"max-memory", "2KB"}, {"write", "CSV"}, {"write", "mat"}, {"image", "3x4"},
	} {
		must.Do(t, c.Set(flag[0], flag[1]))
	}
	if r.Seed != 7 || r.Iterations != 3 || r.Tolerance != 0.25 || !r.Baseline || r.MissingSolver != "exact" || r.TimeLimit.Seconds() != 90 || r.Mask != "m.npy" || r.CheckEvery != 2 ||
		r.MaxMemory != 2000 || !slices.Equal(r.Write, []string{"csv", "mat"}) || r.Image != [2]int{3, 4} || r.Precision != "float64" || c.Given("precision") {
		t.Errorf("%+v", r)
	}
	for flag, bad := range map[string]string{"seed": "-1", "rank": "0", "out": "", "method": "nmg", "checkpoint-every": "5", "format": "cvs", "image": "3x"} {
		if err := c.Set(flag, bad); err == nil {
			t.Errorf("--%s %q", flag, bad)
		}
	}
	// A checkpoint has the flags of a run as text.
	again := (&Command{Use: "factor INPUT", Of: options.Factor, Run: &options.Run{}}).Call(nil)
	for _, flag := range c.Flags() {
		must.Do(t, again.Set(flag[0], flag[1]))
	}
	must.EqualSlices(t, c.Flags(), again.Flags(), "again")
}

// TestGroups: each flag of a group is one of some command.
func TestGroups(t *testing.T) {
	for _, g := range groups {
		for _, name := range g.flags {
			is := func(o options.Flag) bool { return o.Name == name }
			set := func(s options.Setting) bool { return s.Flag && s.Name == name }
			if !slices.ContainsFunc(options.Flags(&options.Run{}), is) && !slices.ContainsFunc(options.Settings(&options.Run{}), set) {
				t.Errorf("group %s has --%s, which no command has", g.name, name)
			}
		}
	}
}
