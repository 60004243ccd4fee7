package lnmu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// measured returns a rows x cols matrix of the given rank with errors of measurement, and the
// weights 1/σ², which span a ratio: row by row, column by column, or entry by entry.
func measured(rows, cols, rank int, span float64, by string) (m, weights lnmu.Dense[float64]) {
	rng := rand.New(rand.NewPCG(11, 5))
	squares := func(m, n int) lnmu.Dense[float64] {
		d := lnmu.NewDense[float64](m, n, nil)
		for i := range d.Data {
			x := rng.NormFloat64()
			d.Data[i] = x * x
		}
		return d
	}
	v, w := squares(rows, rank), squares(rank, cols)
	ofRow, ofColumn := rng.Perm(rows), rng.Perm(cols)
	m, weights = lnmu.NewDense[float64](rows, cols, nil), lnmu.NewDense[float64](rows, cols, nil)
	for i := range rows {
		for j := range cols {
			at := rng.Float64()
			switch by {
			case "row":
				at = float64(ofRow[i]) / float64(rows-1)
			case "column":
				at = float64(ofColumn[j]) / float64(cols-1)
			}
			sigma := math.Pow(span, -at/2)
			weights.Row(i)[j] = 1 / (sigma * sigma)
			m.Row(i)[j] = max(0, literal.Entry(v, w, i, j)+0.3*float64(sigma*rng.NormFloat64()))
		}
	}
	return m, weights
}

// leastOf returns the least relative error of two literal solvers from some starts: steps of weighted HALS,
// and the multiplicative updates of LS-NMF (G. Wang, A. V. Kossenkov and M. F. Ochs, BMC Bioinformatics 7, 2006).
func leastOf(p literal.Problem, rank, starts, updates int) (hals, multiplicative float64) {
	update := func(p literal.Problem, h, g lnmu.Dense[float64]) {
		below := literal.New(p.M.Rows, p.M.Cols, func(i, j int) float64 { return p.U.At(i, j) * literal.Entry(h, g, i, j) })
		above := literal.New(p.M.Rows, p.M.Cols, func(i, j int) float64 { return p.U.At(i, j) * p.M.At(i, j) })
		num, den := literal.Product(above, g.Transposed()), literal.Product(below, g.Transposed())
		for i := range h.Rows {
			for k := range h.Row(i) {
				h.Row(i)[k] *= num.At(i, k) / max(den.At(i, k), math.SmallestNonzeroFloat64)
			}
		}
	}
	hals, multiplicative = math.Inf(1), math.Inf(1)
	for seed := range starts {
		v, w := lnmutest.RandomStart[float64](p.M.Rows, p.M.Cols, rank, uint64(seed))
		p.Scale(v, w)
		x, y := literal.Clone(v), literal.Clone(w)
		literal.HALS{}.Steps(p, x, y, 100)
		hals = min(hals, math.Sqrt(p.Squares(x, y))/p.Norm())
		for range updates {
			h := w.Transposed()
			update(p.Transposed(), h, v.Transposed())
			w = h.Transposed()
			update(p, v, w)
		}
		multiplicative = min(multiplicative, math.Sqrt(p.Squares(v, w))/p.Norm())
	}
	return hals, multiplicative
}

// TestWeightsSpan: with its defaults nmf gets as near as weighted HALS and LS-NMF to a matrix
// whose weights span several powers of ten, and says which solver it took.
func TestWeightsSpan(t *testing.T) {
	const rank, starts = 3, 2
	for _, c := range []struct {
		by   string
		span float64
		want lnmu.Choice
	}{{"entry", 1, ""}, {"entry", 9, lnmu.MissingMajorize}, {"row", 1e4, lnmu.MissingExact}, {"column", 1e6, lnmu.MissingExact}, {"entry", 1e6, lnmu.MissingExact}} {
		m, weights := measured(40, 12, rank, c.span, c.by)
		for _, wide := range []bool{false, true} {
			m, weights := m, weights
			if wide {
				m, weights = m.Transposed(), weights.Transposed()
			}
			res := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, rank, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: starts}}))(t)
			if res.MissingSolver != string(c.want) {
				t.Errorf("by %s over %g: solver %q, want %q", c.by, c.span, res.MissingSolver, c.want)
			}
			p := literal.Problem{M: m, U: weights}
			got := math.Sqrt(p.Squares(res.V, res.W)) / p.Norm()
			hals, multiplicative := leastOf(p, rank, starts, 100)
			must.AtMost(t, got, 1.01*min(hals, multiplicative), "by", c.by, "over", c.span, "wide", wide, "error")
			must.AtMost(t, math.Abs(got-res.RelativeError), 1e-9*got, "by", c.by, "over", c.span, "relative error")
		}
	}
}

// TestMissingSolverDefault: the default follows from the ratio of the weights that count.
func TestMissingSolverDefault(t *testing.T) {
	weights := func(least, largest float64) lnmu.Dense[float64] {
		w := lnmutest.Ones[float64](6, 5)
		w.Row(2)[3], w.Row(4)[1] = least, largest
		return w
	}
	hole := lnmu.NewMask(6, 5)
	hole.Set(2, 3, false)
	for _, c := range []struct {
		name   string
		seen   lnmu.Observed[float64]
		method lnmu.Method
		want   lnmu.Choice
	}{
		{"complete", lnmu.Observed[float64]{}, lnmu.NMF{}, ""},
		{"mask", lnmu.Observed[float64]{Mask: hole}, lnmu.NMF{}, lnmu.MissingMajorize},
		{"ratio 10", lnmu.Observed[float64]{Weights: weights(0.5, 5)}, lnmu.NMF{}, lnmu.MissingMajorize},
		{"ratio 11", lnmu.Observed[float64]{Weights: weights(0.5, 5.5)}, lnmu.NMF{}, lnmu.MissingExact},
		{"zero", lnmu.Observed[float64]{Weights: weights(0, 5)}, lnmu.NMF{}, lnmu.MissingMajorize},
		{"at a missing entry", lnmu.Observed[float64]{Weights: weights(1e-9, 5), Mask: hole}, lnmu.NMF{}, lnmu.MissingMajorize},
		{"gnmu", lnmu.Observed[float64]{Weights: weights(1, 2)}, lnmu.GNMU{}, lnmu.MissingExact},
		{"rnmu", lnmu.Observed[float64]{Weights: weights(1, 2)}, lnmu.RNMU{}, lnmu.MissingExact},
		{"gnmu, mask", lnmu.Observed[float64]{Mask: hole}, lnmu.GNMU{}, lnmu.MissingMajorize},
		{"snmf", lnmu.Observed[float64]{Weights: weights(1, 100)}, lnmu.SNMF{PenaltyV: 1, PenaltyW: 1}, lnmu.MissingExact},
		{"kl", lnmu.Observed[float64]{Weights: weights(1, 100)}, lnmu.KL{}, lnmu.MissingMajorize},
	} {
		c.seen.Matrix = lnmutest.RandomMatrix[float64](6, 5, 1)
		_, s, err := lnmu.Check(c.seen, 2, c.method, nil)
		if err != nil || s.MissingSolver != c.want {
			t.Errorf("%s: default %q, want %q; %v", c.name, s.MissingSolver, c.want, err)
		}
		res := must.Get(lnmu.Factor(t.Context(), c.seen, 2, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 3}}))(t, c.name)
		if res.MissingSolver != string(c.want) {
			t.Errorf("%s: %q in the result, want %q", c.name, res.MissingSolver, c.want)
		}
	}
}

// spanTables returns the tables of docs/missing.md about weights of wide range.
func spanTables(t *testing.T) string {
	const rows, cols, rank, starts = 120, 30, 4, 5
	run := func(m, weights lnmu.Dense[float64], method lnmu.Method, solver lnmu.Choice) float64 {
		res := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, rank, method, &lnmu.Settings{Start: lnmu.Start{Restarts: starts}, MissingSolver: solver}))(t)
		return res.RelativeError
	}
	var b strings.Builder
	fmt.Fprintln(&b, "| weights differ by | span | least error | `majorize` | `exact` | entrywise HALS | LS-NMF |")
	fmt.Fprintln(&b, "|---|---:|---:|---:|---:|---:|---:|")
	for _, by := range []string{"row", "column", "entry"} {
		for _, span := range []float64{3, 10, 30, 100, 1e4, 1e6, 1e8} {
			m, weights := measured(rows, cols, rank, span, by)
			hals, multiplicative := leastOf(literal.Problem{M: m, U: weights}, rank, starts, 600)
			errs := []float64{
				run(m, weights, lnmu.NMF{}, lnmu.MissingMajorize),
				run(m, weights, lnmu.NMF{}, lnmu.MissingExact),
				hals, multiplicative,
			}
			least := min(errs[0], errs[1], errs[2], errs[3])
			fmt.Fprintf(&b, "| %s | %g | %.3g %% |", by, span, 100*least)
			for _, e := range errs {
				fmt.Fprintf(&b, " %s |", asMany(e/least))
			}
			fmt.Fprintln(&b)
			if e := run(m, weights, lnmu.NMF{}, ""); !(e <= 1.01*least) {
				t.Errorf("by %s over %g: error %v by default, the least is %v", by, span, e, least)
			}
		}
	}
	spans := []float64{1.5, 3, 10, 100, 1e6}
	fmt.Fprint(&b, "\n| method |")
	for _, span := range spans {
		fmt.Fprintf(&b, " span %g |", span)
	}
	fmt.Fprintln(&b, "\n|---|"+strings.Repeat("---:|", len(spans)))
	for _, method := range []lnmu.Method{lnmu.SNMF{PenaltyV: 0.01, PenaltyW: 0.01}, lnmu.GNMU{}, lnmu.RNMU{}} {
		fmt.Fprintf(&b, "| %s |", lnmutest.NameOf(method))
		for _, span := range spans {
			m, weights := measured(rows, cols, rank, span, "entry")
			fmt.Fprintf(&b, " %.3g %%, %.3g %% |", 100*run(m, weights, method, lnmu.MissingMajorize), 100*run(m, weights, method, lnmu.MissingExact))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// asMany writes how many times the least error an error is.
func asMany(x float64) string {
	if x < 9.95 {
		return fmt.Sprintf("%.3f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// TestWeightsSpanPage: the tables of docs/missing.md are what the solvers find, and by default
// nmf is within 1 % of the best of them.
func TestWeightsSpanPage(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("120 x 30 by four solvers with 21 sets of weights: with NMU_FULL only")
	}
	const path, begin, end = "../docs/missing.md", "<!-- spans: from TestWeightsSpanPage -->\n", "<!-- end -->"
	page := must.Get(os.ReadFile(path))(t)
	_, rest, _ := strings.Cut(string(page), begin)
	shown, _, _ := strings.Cut(rest, end)
	must.Equal(t, shown, "\n"+spanTables(t)+"\n", path, "has between the marks")
}
