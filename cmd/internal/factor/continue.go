package factor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/program"
	"nmu/internal/combination"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// own are the settings that a run which continues another one has by itself: its bits do not depend on them.
var own = append(slices.Clone(resumeFlags), "init", "continue", "target-error", "row-names", "col-names", "skip-rows", "skip-cols")

// inherit takes the options of the run that is continued where the command line has
// none, and refuses those that differ, since the factors would not be those of one run.
func (f *commandLine) inherit(c *program.Call, rep *record.Factor) error {
	how := &rep.Settings
	values := map[string]string{"method": how.Method, "init": how.InitText(), "precision": how.Precision}
	maps.Copy(values, how.Options)
	zeros := map[string]string{"whole number": "0", "number": "0", "yes or no": "false"}
	for _, s := range options.Settings(&how.Run) {
		other := c.Given(s.Name) && c.IsPath(s.Name) // which the library knows
		if s.Calls&options.Factor != 0 && s.Flag && !other && !slices.Contains(own, s.Name) && (s.Name != "check-every" || how.Tolerance > 0) {
			values[s.Name] = cmp.Or(s.Value.String(), zeros[s.Type()])
		}
	}
	if f.Rank == 0 {
		return exit.Misuse(fmt.Errorf("--rank is missing: %s has %d factors; choose more", f.Continued, rep.Rank))
	}
	if f.Rank < rep.Rank {
		return exit.Misuse(fmt.Errorf("--rank %d; %s has %d factors already", f.Rank, f.Continued, rep.Rank))
	}
	was := "was made with"
	recursive := func(m *combination.Facts) bool { return m.Name == how.Method && m.Recursive }
	random := how.Init == lnmu.InitRandom
	if slices.ContainsFunc(combination.Methods[:], recursive) && (random || how.Restarts > 1) {
		// The best run goes on alone. New factors have a start that does not depend on the rank.
		was = "goes on with"
		values["restarts"], values["seed"] = "1", fmt.Sprint(rep.BestSeed)
		if random {
			values["init"] = string(lnmu.InitNested)
			c.Note("--continue: the factors of %s began with the start %s; new ones begin with %s, seed %d", f.Continued, how.Init, lnmu.InitNested, rep.BestSeed)
		}
	}
	for name, value := range values {
		if !c.Has(name) {
			return fmt.Errorf("--continue: %s was made with --%s, which this program does not have", f.Continued, name)
		}
		had := c.Text(name)
		if !c.Given(name) && value == had || value == "" {
			continue
		}
		if err := c.Assume(name, value); err != nil {
			return fmt.Errorf("--continue: %s was made with --%s %s: %w", f.Continued, name, value, err)
		}
		if now := c.Text(name); c.Given(name) && now != had {
			return exit.Misuse(fmt.Errorf("--%s %s, and %s %s %s; leave it out, or do not --continue", name, had, f.Continued, was, now))
		}
	}
	if f.givesStart() {
		return exit.Misuse(fmt.Errorf("--continue: what began with the start %s cannot be continued, only what began with --init nested", f.Command.Start))
	}
	return nil
}

// readResult reads the result that a run goes on from.
func readResult[T lnmu.Float](dir string, m *matio.File) (*lnmu.Result[T], error) {
	rec, err := record.ReadFactor(dir, max(1, m.Left()))
	if err != nil {
		return nil, fmt.Errorf("--continue: %w", err)
	}
	rep := rec.Factor
	if err := sameOrder(dir, rep, m); err != nil {
		return nil, fmt.Errorf("--continue %s: %w", dir, err)
	}
	v, w, err := record.ReadFactors[T](dir, m)
	if err != nil {
		return nil, fmt.Errorf("--continue %s: %w", dir, err)
	}
	if left := data.Unblank(v, w); left != nil {
		return nil, fmt.Errorf("--continue %s: the run left out %s, and a run that leaves some out cannot be continued; begin a new one", dir, left)
	}
	return &lnmu.Result[T]{V: v, W: w, Report: outcome.Report{Blocks: rep.Blocks}}, nil
}

// sameOrder returns an error if the rows or columns of M, which the file m holds, are not those
// of a run in the same order. The bits of the known errors depend on the order.
func sameOrder(dir string, rep *record.Factor, m *matio.File) error {
	for _, x := range []struct {
		what  string
		names []string
	}{{"row", rep.RowNames}, {"column", rep.ColNames}} {
		order, err := data.Order(m, x.what, dir, x.names)
		if err == nil && order != nil {
			err = fmt.Errorf("the %ss of %s are in another order; give them the order of %s, on which every bit of a run depends", x.what, m.Path(), dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
