package lnmu_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/combination"
	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// combinations is the page that says what goes together.
const combinations = "../docs/combinations.md"

// combinationsPage returns that page.
func combinationsPage() string {
	var b strings.Builder
	b.WriteString("# What goes together\n\nA row is a method, an option or a start. A column is the kind of matrix, or another option. A number refers\nto the reason below why the two do not go together.\n\nnmu checks every run by the same tables. A cell that nobody has filled in refuses the run.\n`go test ./lnmu -run TestCombinationsPage -update` generates this page from them.\n\n|")
	for _, c := range combination.Conditions {
		fmt.Fprintf(&b, " | %s", c.Name)
	}
	b.WriteString(" |\n|---|" + strings.Repeat("---|", len(combination.Conditions)) + "\n")
	var reasons []string
	number := func(why string) int {
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		return slices.Index(reasons, why) + 1
	}
	for f, name := range combination.Features {
		fmt.Fprintf(&b, "| %s", name)
		for _, c := range combination.Conditions {
			why, ok := "", false
			for at := c; at != nil && !ok; at = at.Within {
				why, ok = at.Reason(combination.Feature(f))
			}
			if !ok {
				b.WriteString(" | yes")
				continue
			}
			fmt.Fprintf(&b, " | %d", number(why))
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\nThe same for two features of one run:\n\n|")
	for f, name := range combination.Features {
		if !conditional(combination.Feature(f)) {
			fmt.Fprintf(&b, " | %s", name)
		}
	}
	b.WriteString(" |\n|---|" + strings.Repeat("---|", len(combination.Features)-6) + "\n")
	for f, name := range combination.Features {
		if conditional(combination.Feature(f)) {
			continue
		}
		fmt.Fprintf(&b, "| %s", name)
		for g := range combination.Features {
			if conditional(combination.Feature(g)) {
				continue
			}
			if why, excluded := combination.ReasonOf(combination.Feature(f), combination.Feature(g)); g >= f {
				b.WriteString(" |")
			} else if excluded {
				fmt.Fprintf(&b, " | %d", number(why))
			} else {
				b.WriteString(" | yes")
			}
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\n")
	for i, why := range reasons {
		fmt.Fprintf(&b, "%d. %s%s.\n", i+1, strings.ToUpper(why[:1]), why[1:])
	}
	return b.String()
}

// TestCombinationsPage compares the page with what is declared.
func TestCombinationsPage(t *testing.T) {
	want := combinationsPage()
	if flag.Lookup("update").Value.String() == "true" { // of the golden hashes
		must.Do(t, os.WriteFile(combinations, []byte(want), 0o644))
	}
	got, err := os.ReadFile(combinations)
	if err != nil || string(got) != want {
		t.Errorf("%s is not made from the declarations (%v): go test ./lnmu -run TestCombinationsPage -update", combinations, err)
	}
}

// asking is a run that asks for a feature.
type asking struct {
	method lnmu.Method
	s      lnmu.Settings
	seen   lnmu.Observed[float64]
}

// askingFor returns a run that asks for a feature of a 60 x 40 matrix.
func askingFor(f combination.Feature) asking {
	fixed := lnmu.NewDense[float64](60, 1, nil)
	for i := range fixed.Data {
		fixed.Data[i] = float64(i % 2)
	}
	hole := lnmu.NewMask(60, 40)
	hole.Set(3, 4, false)
	weights := lnmu.NewDense[float64](60, 40, nil)
	for i := range weights.Data {
		weights.Data[i] = 1 + float64(i%3)
	}
	hals := lnmu.NMF{Solver: lnmu.SolverHALS}
	return map[combination.Feature]asking{
		combination.Products:    {lnmu.Hoyer{HoyerV: 0.5}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Penalties:   {lnmu.SNMF{SparsityV: 0.5, Solver: lnmu.SolverHALS}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Divergence:  {lnmu.KL{}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Coordinates: {lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Accelerated: {lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.ADMM:        {lnmu.GNMU{Solver: lnmu.SolverADMM}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.L1:          {lnmu.RNMU{Norm: lnmu.L1}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Priors:      {lnmu.RNMU{ThresholdV: 0.2}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Ridge:       {lnmu.NMF{Solver: lnmu.SolverHALS, L2V: 0.1, L2W: 0.2}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Exact:       {lnmu.GNMU{Feasible: lnmu.FeasibleFinal}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Violated:    {lnmu.GNMU{Multipliers: lnmu.MultipliersStart}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Zeros:       {lnmu.GNMU{ZeroMultiplier: func(int) float64 { return 1 }}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.SVD:         {hals, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}, lnmu.Observed[float64]{}},
		combination.Pure:        {hals, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSNPA}}, lnmu.Observed[float64]{}},
		combination.SumToOne:    {lnmu.NMF{Solver: lnmu.SolverHALS, SumToOneW: true}, lnmu.Settings{}, lnmu.Observed[float64]{}},
		combination.Fixed:       {hals, lnmu.Settings{FixedV: fixed}, lnmu.Observed[float64]{}},
		combination.Missing:     {hals, lnmu.Settings{}, lnmu.Observed[float64]{Mask: hole}},
		combination.Weights:     {hals, lnmu.Settings{}, lnmu.Observed[float64]{Weights: weights}},
		combination.PerLine:     {hals, lnmu.Settings{MissingSolver: lnmu.MissingExact}, lnmu.Observed[float64]{Mask: hole}},
		combination.Unstored:    {hals, lnmu.Settings{}, lnmu.Observed[float64]{StoredOnly: true}},
		combination.Overwrite:   {hals, lnmu.Settings{Overwrite: true}, lnmu.Observed[float64]{}},
		combination.Improve:     {hals, lnmu.Settings{}, lnmu.Observed[float64]{}},
	}[f]
}

// under lets a run be under a condition, and returns the other conditions and features that
// this means.
func (a *asking) under(c *combination.Condition) (also []*combination.Condition, features []combination.Feature) {
	add := func(f combination.Feature) {
		other := askingFor(f)
		a.s.FixedV, a.seen.StoredOnly = other.s.FixedV, a.seen.StoredOnly || other.seen.StoredOnly
		if other.seen.Mask != nil {
			a.seen.Mask = other.seen.Mask
		}
		if other.seen.Weights != nil {
			a.seen.Weights = other.seen.Weights
		}
		features = append(features, f)
	}
	switch c {
	case &combination.Incomplete:
		add(combination.Missing)
		return []*combination.Condition{&combination.InFull}, features
	case &combination.Weighted:
		add(combination.Weights)
		return []*combination.Condition{&combination.InFull, &combination.Incomplete}, features
	case &combination.Held:
		if !fixes(a.s) {
			add(combination.Fixed)
		}
		return []*combination.Condition{&combination.InFull}, features
	case &combination.StoredOnly:
		add(combination.Unstored)
		return []*combination.Condition{&combination.Sparse}, features
	case &combination.ByLine:
		add(combination.Missing)
		a.s.MissingSolver = lnmu.MissingExact
		return []*combination.Condition{&combination.InFull, &combination.Incomplete}, append(features, combination.PerLine)
	case &combination.Counted, &combination.Multiplied:
		m, _ := a.method.(lnmu.NMF)
		if settings := a.method == lnmu.Method(lnmu.NMF{Solver: lnmu.SolverHALS, L2V: m.L2V, L2W: m.L2W}); settings || a.method.Name() == "kl" {
			kl := lnmu.KL{L2V: m.L2V, L2W: m.L2W}
			if settings {
				a.method = kl
			}
			if c == &combination.Counted {
				kl.Solver = lnmu.SolverCoordinate
				a.method = kl
				features = append(features, combination.Coordinates)
			}
			return []*combination.Condition{&combination.InFull, &combination.Counted}, append(features, combination.Divergence)
		}
	case &combination.InFiles, &combination.InParts:
		return []*combination.Condition{&combination.InFull}, nil
	case &combination.SparseInFiles:
		return []*combination.Condition{&combination.Sparse}, nil
	case &combination.SparseInParts:
		return []*combination.Condition{&combination.Sparse, &combination.InParts}, nil
	}
	return nil, nil
}

// TestCombinations runs everything that may be asked for under every condition: what is
// declared not to go together is refused with the reason; all else gives a result, in files
// and on three processes the one that M in memory leads to.
func TestCombinations(t *testing.T) {
	m := lnmutest.SparseData[float64](60, 40, 3)
	for i := range 60 { // every row and column stores something
		if j := i % 40; m.At(i, j) == 0 {
			d := m.Dense()
			d.Row(i)[j] = 0.5
			m = lnmu.NewCSR(d)
		}
	}
	for f := range combination.Feature(len(combination.Features)) {
		for _, c := range combination.Conditions {
			t.Run(combination.Features[f]+"/"+c.Name, func(t *testing.T) {
				for at := c; at != nil; at = at.Within {
					if why, _ := at.Reason(f); why == "no method has both" {
						return // so that no run can ask for them
					}
				}
				a := askingFor(f)
				kept := a.s
				also, asked := a.under(c)
				if fixes(kept) {
					a.s.FixedV = kept.FixedV
				}
				asked = append(asked, f)
				active := append(also, c)
				if fixes(a.s) {
					active = append(active, &combination.Held)
				}
				if a.seen.Mask != nil || a.seen.Weights != nil || a.seen.StoredOnly {
					active = append(active, &combination.Incomplete)
				}
				if a.seen.Weights != nil {
					active = append(active, &combination.Weighted)
					if a.method.Underapproximates() { // missing solver exact is its default then
						active = append(active, &combination.ByLine)
					}
				}
				if a.seen.StoredOnly && slices.Contains(active, &combination.Sparse) {
					active = append(active, &combination.StoredOnly)
				}
				if a.seen.Mask != nil && f == combination.PerLine {
					asked = append(asked, combination.Missing)
				}
				why := map[string]bool{}
				for _, c := range active {
					for _, f := range asked {
						if reason, ok := c.Reason(f); ok {
							why[reason] = true
						}
					}
				}
				a.s.Iterations, a.s.Restarts = 6, 1
				got, err := a.run(t, f, m, c)
				if len(why) > 0 {
					if !errors.Is(err, lnmu.ErrOption) {
						t.Fatalf("error %v; want one of %v", err, why)
					}
					for reason := range why {
						if strings.Contains(err.Error(), reason) {
							return
						}
					}
					t.Fatalf("error %v; want one of %v", err, why)
				}
				must.Do(t, err)
				must.AtMost(t, got.RelativeError, 1, "relative error")
				base := map[*combination.Condition]*combination.Condition{&combination.InFiles: &combination.InFull, &combination.InParts: &combination.InFull, &combination.SparseInFiles: &combination.Sparse, &combination.SparseInParts: &combination.Sparse}[c]
				if base == nil {
					return
				}
				want, err := a.run(t, f, m, base)
				alike := func(got *lnmu.Result[float64]) {
					if err != nil || factors.SHA256(got.W) != factors.SHA256(want.W) || got.RelativeError != want.RelativeError {
						t.Errorf("error %v, of M in memory %v, %v", got.RelativeError, want.RelativeError, err)
					}
				}
				alike(got)
				if c != &combination.InParts || slices.ContainsFunc(asked, func(f combination.Feature) bool { _, lacks := combination.InFiles.Reason(f); return lacks }) {
					return
				}
				if got, err := a.runParts(t, f, func(first, last int) lnmu.Matrix[float64] {
					return &lnmutest.LinesOf[float64]{Dense: rowsOf(m.Dense(), first, last)}
				}); err != nil {
					t.Errorf("parts in files: %v", err)
				} else {
					alike(got)
				}
			})
		}
	}
}

// run factors m where a condition says that it is.
func (a asking) run(t *testing.T, f combination.Feature, m lnmu.CSR[float64], c *combination.Condition) (*lnmu.Result[float64], error) {
	dense := m.Dense()
	s := a.s
	switch c {
	case &combination.InFiles:
		s.Scratch = t.TempDir()
		return a.factor(t, f, &lnmutest.LinesOf[float64]{Dense: dense}, s, 0, 60)
	case &combination.SparseInFiles:
		s.Scratch = t.TempDir()
		return a.factor(t, f, &lnmutest.RowsOfCSR[float64]{CSR: m}, s, 0, 60)
	case &combination.Sparse, &combination.StoredOnly:
		return a.factor(t, f, m, s, 0, 60)
	case &combination.InParts:
		return a.runParts(t, f, func(first, last int) lnmu.Matrix[float64] { return rowsOf(dense, first, last) })
	case &combination.SparseInParts:
		return a.runParts(t, f, func(first, last int) lnmu.Matrix[float64] { return lnmu.NewCSR(rowsOf(dense, first, last)) })
	}
	return a.factor(t, f, dense, s, 0, 60)
}

// factor factors rows first to last-1 of M, which are x.
func (a asking) factor(t *testing.T, f combination.Feature, x lnmu.Matrix[float64], s lnmu.Settings, first, last int) (*lnmu.Result[float64], error) {
	x = a.observing(x, first, last)
	return a.factorPart(t, f, x, s, first, last)
}

// factorPart factors rows first to last-1 of M, which are x with what is observed of them.
func (a asking) factorPart(t *testing.T, f combination.Feature, x lnmu.Matrix[float64], s lnmu.Settings, first, last int) (*lnmu.Result[float64], error) {
	if f == combination.Improve {
		v, w := lnmutest.RandomStart[float64](60, 40, 4, 1)
		by, _ := a.method.(lnmu.NMF)
		return (&lnmu.Result[float64]{V: v.Slice(first, last, 0, 4), W: w}).Improve(t.Context(), x, by, &s)
	}
	return lnmu.Factor(t.Context(), x, 4, a.method, &s)
}

// runParts factors a matrix of which three processes have rows.
func (a asking) runParts(t *testing.T, f combination.Feature, rows func(first, last int) lnmu.Matrix[float64]) (*lnmu.Result[float64], error) {
	results, errs := make([]*lnmu.Result[float64], 3), make([]error, 3)
	together.Run(3, func(p *together.Process) {
		s := a.s
		s.Scratch = t.TempDir()
		first, last := distributed.Share(60, 40, p.Rank(), p.Size())
		part := distributed.Whole[float64]{Processes: p, Rows: 60, Cols: 40}.Part(a.observing(rows(first, last), first, last))
		results[p.Rank()], errs[p.Rank()] = a.factorPart(t, f, part, s, first, last)
	})
	return results[0], errs[0]
}

// observing returns rows first to last-1 of M, which are x, with what is observed of them.
func (a asking) observing(x lnmu.Matrix[float64], first, last int) lnmu.Matrix[float64] {
	seen := a.seen
	seen.Matrix = x
	if a.seen.Mask != nil {
		seen.Mask = lnmu.NewMask(last-first, 40)
		for i := range last - first {
			for j := range 40 {
				seen.Mask.Set(i, j, a.seen.Mask.Observed(first+i, j))
			}
		}
	}
	if w, ok := a.seen.Weights.(lnmu.Dense[float64]); ok {
		w = w.Slice(first, last, 0, 40)
		w.Cols = 40
		seen.Weights = w
	}
	return seen
}

// rowsOf returns rows first to last-1 of a matrix, perhaps none.
func rowsOf(m lnmu.Dense[float64], first, last int) lnmu.Dense[float64] {
	rows := m.Slice(first, last, 0, m.Cols)
	rows.Cols = m.Cols
	return rows
}
