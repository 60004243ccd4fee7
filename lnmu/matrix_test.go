package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/distributed"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/model"
)

// entryPoints are the functions that take a Matrix of the size of V W, each with what it returns as a text.
func entryPoints(t *testing.T, v, w lnmu.Dense[float64]) map[string]func(m lnmu.Matrix[float64]) (string, error) {
	ctx, s := t.Context(), &lnmu.Settings{Limits: lnmu.Limits{Iterations: 3}, Start: lnmu.Start{Restarts: 1}}
	type matrix = lnmu.Matrix[float64]
	factored := func(res *lnmu.Result[float64], err error) (string, error) { return summary(res), err }
	weights := func(res *lnmu.Transformed[float64], err error) (string, error) {
		if err != nil {
			return "", err
		}
		return fmt.Sprint(factors.SHA256(res.W), res.RelativeError, res.MaxViolation), nil
	}
	blank := lnmu.NewDense(v.Rows, v.Cols, append([]float64(nil), v.Data...)) // a row is left out
	for k := range blank.Row(0) {
		blank.Row(0)[k] = math.NaN()
	}
	nested := lnmu.Settings{Limits: lnmu.Limits{Iterations: 3}, Start: lnmu.Start{Restarts: 1, Init: lnmu.InitNested}}
	ranks := []int{1, 2}
	return map[string]func(m matrix) (string, error){
		"Factor":     func(m matrix) (string, error) { return factored(lnmu.Factor(ctx, m, v.Cols, lnmu.GNMU{}, s)) },
		"FactorFrom": func(m matrix) (string, error) { return factored(lnmu.FactorFrom(ctx, m, v, w, lnmu.NMF{}, s)) },
		"Improve": func(m matrix) (string, error) {
			return factored((&lnmu.Result[float64]{V: v, W: w}).Improve(ctx, m, lnmu.NMF{}, s))
		},
		"Continue": func(m matrix) (string, error) {
			first, err := lnmu.Factor(ctx, m, 1, nil, &nested)
			if err != nil {
				first = &lnmu.Result[float64]{V: v, W: w}
			}
			return factored(first.Continue(ctx, m, 2, nil, &nested))
		},
		"Transform":       func(m matrix) (string, error) { return weights(lnmu.Transform(ctx, m, v, lnmu.Dense[float64]{}, nil)) },
		"Transform from":  func(m matrix) (string, error) { return weights(lnmu.Transform(ctx, m, v, w, nil)) },
		"Transform blank": func(m matrix) (string, error) { return weights(lnmu.Transform(ctx, m, blank, w, nil)) },
		"Result.Transform": func(m matrix) (string, error) {
			return weights((&lnmu.Result[float64]{V: v}).Transform(ctx, m, nil))
		},
		"Model.Transform": func(m matrix) (string, error) {
			return weights((&model.Model[float64]{V: v, Method: lnmu.KL{}}).Transform(ctx, m, nil, nil))
		},
		"Update": func(m matrix) (string, error) {
			res, err := lnmu.Update(ctx, m, lnmu.Updated[float64]{V: v}, nil)
			if err != nil {
				return "", err
			}
			return factors.SHA256(res.V), nil
		},
		"Measure": func(m matrix) (string, error) { return text(lnmu.Measure(m, v, w, nil)) },
		"EstimateOf": func(m matrix) (string, error) {
			method, s, err := lnmu.Check(m, v.Cols, nil, s)
			if err != nil {
				method, s = lnmu.NMF{}, lnmu.Settings{Limits: lnmu.Limits{Iterations: 1, CheckEvery: 1}, Start: lnmu.Start{Restarts: 1}, Threads: 1}
			}
			return text(lnmu.EstimateOf(m, v.Cols, method, &s))
		},
		"Check": func(m matrix) (string, error) {
			_, s, err := lnmu.Check(m, v.Cols, nil, nil)
			return fmt.Sprint(s.MissingSolver), err
		},
		"Check of a start": func(m matrix) (string, error) {
			_, s, err := lnmu.Check(m, v.Cols, nil, nil, v, w)
			return fmt.Sprint(s.MissingSolver), err
		},
		"Normalized": func(m matrix) (string, error) {
			o, err := lnmu.Observed[float64]{Matrix: m}.Normalized()
			return fmt.Sprintf("%T %v %v", o.Matrix, o.Mask, o.Weights), err
		},
		"compare.Check": func(m matrix) (string, error) {
			p, err := compare.Check(compare.EvaluateHeldOut, m, ranks, nil, nil)
			return fmt.Sprint(p.Ranks), err
		},
		"compare.HeldOut": func(m matrix) (string, error) {
			res, err := compare.HeldOut(ctx, m, ranks, nil, &compare.Settings{Limits: lnmu.Limits{Iterations: s.Iterations}, Folds: 2})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(*res.Points[0].Training, res.Points[1].HeldOut.Mean), nil
		},
		"compare.Stability": func(m matrix) (string, error) {
			res, err := compare.Stability(ctx, m, ranks, nil, &compare.Settings{Limits: lnmu.Limits{Iterations: s.Iterations}, Runs: 2})
			if err != nil {
				return "", err
			}
			return factors.SHA256(res.Points[1].V), nil
		},
	}
}

// text returns a value as a text.
func text(x any, err error) (string, error) { return fmt.Sprint(x), err }

// Structs that embed a matrix.
type (
	named    struct{ lnmu.Matrix[float64] }
	masked   struct{ lnmu.Observed[float64] }
	pointing struct{ *lnmu.Observed[float64] }
	sparse   struct{ lnmu.CSR[float64] }
	twice    struct{ masked }
	dense    struct{ lnmu.Dense[float64] }
	wide     struct{ lnmu.Observed[float32] }
)

func (w wide) At(i, j int) float64 { return float64(w.Observed.At(i, j)) }

// TestPointers checks, for every function that takes a Matrix, that a pointer stands for its value,
// that a struct that hides a matrix by embedding it is refused, and that nil is, wherever it is.
func TestPointers(t *testing.T) {
	m := lnmutest.Data[float64](6, 5, 1)
	mask := lnmu.NewMask(6, 5)
	mask.Set(2, 3, false)
	weights := lnmutest.Data[float64](6, 5, 2)
	for i := range weights.Data {
		weights.Data[i]++
	}
	seen := lnmu.Observed[float64]{Matrix: m, Mask: mask}
	weighted := lnmu.Observed[float64]{Matrix: m, Weights: weights}
	csr, strided := lnmu.NewCSR(m), byColumns(6, 5, m.Transposed().Data)
	whole := distributed.Whole[float64]{Processes: group.Self{}, Rows: 6, Cols: 5}
	part := whole.Part(m)
	stored := lnmu.StoredFrom(6, 5, func(i int, to []float64) error {
		copy(to, m.Row(i))
		return nil
	})
	v, w := lnmutest.RandomStart[float64](6, 5, 2, 5)
	for name, do := range entryPoints(t, v, w) {
		for _, c := range []struct {
			name    string
			m, like lnmu.Matrix[float64]
		}{
			{"a masked one", &seen, seen},
			{"a weighted one", &weighted, weighted},
			{"weights", lnmu.Observed[float64]{Matrix: m, Weights: &weights}, weighted},
			{"inside a mask", &lnmu.Observed[float64]{Matrix: &m, Mask: mask}, seen},
			{"sparse", &csr, csr},
			{"sparse and masked", &lnmu.Observed[float64]{Matrix: &csr, Mask: mask}, lnmu.Observed[float64]{Matrix: csr, Mask: mask}},
			{"dense", &m, m},
			{"strided", &strided, strided},
			{"unread", &lnmu.Unread[float64]{Rows: 6, Cols: 5}, lnmu.Unread[float64]{Rows: 6, Cols: 5}},
			{"in a part", whole.Part(&m), part},
			{"a mask in a part", whole.Part(&seen), lnmu.Observed[float64]{Matrix: part, Mask: mask}},
			{"a stored one in a mask", &lnmu.Observed[float64]{Matrix: stored, Mask: mask}, lnmu.Observed[float64]{Matrix: stored, Mask: mask}},
			{"embedded dense", dense{m}, foreign[float64]{6, 5, m.At}},
			{"embedded as any matrix", &named{m}, foreign[float64]{6, 5, m.At}},
		} {
			want, failed := do(c.like)
			if got, err := do(c.m); name != "Normalized" && got != want || fmt.Sprint(err) != fmt.Sprint(failed) {
				t.Errorf("%s of a pointer: %s: %s, %v; want %s, %v", name, c.name, got, err, want, failed)
			}
		}
		if _, err := do(lnmu.Unread[float64]{Rows: 6, Cols: 5}); errors.Is(err, lnmu.ErrOption) == (strings.HasSuffix(name, "Check") || slices.Contains([]string{"Check of a start", "EstimateOf", "Normalized"}, name)) {
			t.Errorf("%s of an unread matrix: error %v", name, err)
		}
		for _, hidden := range []lnmu.Matrix[float64]{
			masked{seen}, &masked{seen}, pointing{&seen}, &pointing{&seen}, pointing{}, twice{masked{seen}}, named{part}, sparse{csr}, &sparse{csr},
			named{seen}, named{&seen}, &named{&csr}, named{named{part}}, named{&masked{seen}}, named{stored}, named{&lnmutest.LinesOf[float64]{Dense: m}}, wide{},
			lnmu.Observed[float64]{Matrix: masked{seen}}, lnmu.Observed[float64]{Matrix: m, Weights: named{seen}},
			lnmu.Observed[float64]{Matrix: &seen, Mask: mask}, &lnmu.Observed[float64]{Matrix: &seen},
			whole.Part(part),
			lnmu.Observed[float64]{Matrix: m, Weights: seen}, lnmu.Observed[float64]{Matrix: m, Weights: &seen},
			lnmu.Observed[float64]{Matrix: m, Weights: lnmu.Unread[float64]{Rows: 6, Cols: 5}},
		} {
			if got, err := do(hidden); !errors.Is(err, lnmu.ErrOption) {
				t.Errorf("%s of %T: %s, error %v; want a refusal", name, hidden, got, err)
			}
		}
		for _, none := range []lnmu.Matrix[float64]{
			nil, (*lnmu.Observed[float64])(nil), (*lnmu.CSR[float64])(nil), (*lnmu.Dense[float64])(nil),
			(*lnmu.Strided[float64])(nil), (*lnmu.Unread[float64])(nil), (*foreign[float64])(nil), (*named)(nil),
			named{}, named{(*lnmu.CSR[float64])(nil)},
			lnmu.Observed[float64]{}, &lnmu.Observed[float64]{Mask: mask}, lnmu.Observed[float64]{Matrix: (*lnmu.Dense[float64])(nil)},
			whole.Part(nil),
			lnmu.Observed[float64]{Matrix: m, Weights: (*lnmu.Dense[float64])(nil)},
		} {
			if got, err := do(none); !errors.Is(err, lnmu.ErrShape) {
				t.Errorf("%s of %T: %s, error %v; want one that says that it is nil", name, none, got, err)
			}
		}
	}
}
