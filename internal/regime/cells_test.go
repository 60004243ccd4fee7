package regime

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// TestHeldCells compares runs with fixed factors, and with a baseline, with literal steps that keep
// these: the fixed factors stay, and the error is as small.
func TestHeldCells(t *testing.T) {
	tall, flat := planted(12, 9, 3, 0.05, 1), planted(7, 15, 3, 0.05, 2)
	for _, cell := range []struct {
		name     string
		v, w     int
		baseline bool
	}{{"V", 1, 0, false}, {"W", 0, 1, false}, {"baseline", 0, 0, true}, {"all", 1, 1, true}} {
		for _, kind := range everywhere {
			for i, p := range []problem{tall, flat, tall, flat, tall, flat} {
				start := []string{"", "svd", "spa", "snpa", "", "svd"}[i]
				for _, solver := range []lnmu.Choice{lnmu.SolverHALS, lnmu.SolverAccelerated} {
					p := p.with(kind)
					rng := rand.New(rand.NewPCG(7, 7))
					settings := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 400}, Threads: 1, Baseline: cell.baseline, MissingSolver: solverOf(kind)}
					s := scene{p: p, rank: 4, scale: 1, start: "good"}
					v, w := s.factors()
					heldV, heldW := map[int]bool{}, map[int]bool{}
					at := 0
					if cell.v > 0 {
						settings.FixedV = drawn(p.M.Rows, 1, rng)
						setColumn(v, at, settings.FixedV.Data)
						heldV[at] = true
						at++
					}
					if cell.baseline {
						for j := range w.Row(at) {
							w.Row(at)[j] = 1
						}
						heldW[at] = true
						at++
					}
					if cell.w > 0 {
						settings.FixedW = drawn(1, p.M.Cols, rng)
						copy(w.Row(at), settings.FixedW.Row(0))
						heldW[at] = true
					}
					var res *lnmu.Result[float64]
					var err error
					if start == "" {
						res, err = lnmu.FactorFrom(t.Context(), given[float64](p, kind), v, w, lnmu.NMF{Solver: solver}, settings)
					} else {
						settings.Init = lnmu.Choice(start)
						res, err = lnmu.Factor(t.Context(), given[float64](p, kind), 4, lnmu.NMF{Solver: solver}, settings)
					}
					refused := solver == lnmu.SolverAccelerated || kind != "dense" && kind != "sparse" // by docs/combinations.md
					if refused && errors.Is(err, lnmu.ErrOption) {
						continue
					}
					if err != nil {
						t.Errorf("%s, %s: %v", cell.name, p.name, err)
						continue
					}
					for k := range 4 {
						for i := range res.V.Rows {
							if heldV[k] && res.V.At(i, k) != v.At(i, k) {
								t.Errorf("%s, %s: V[%d,%d] has changed", cell.name, p.name, i, k)
							}
						}
						for j := range res.W.Cols {
							if heldW[k] && res.W.At(k, j) != w.At(k, j) {
								t.Errorf("%s, %s: W[%d,%d] has changed", cell.name, p.name, k, j)
							}
						}
					}
					got := math.Sqrt(p.Squares(res.V, res.W)) / p.Norm()
					better, other := literal.Clone(res.V), literal.Clone(res.W)
					literal.HALS{Held: func(_, k int, ofV bool) bool { return ofV && heldV[k] || !ofV && heldW[k] }}.Steps(p.Problem, better, other, 20)
					if want := math.Sqrt(p.Squares(better, other)) / p.Norm(); !(got <= 1.01*want+1e-3) {
						t.Errorf("%s, %s, solver %s: relative error %v, which literal steps lower to %v", cell.name, p.name, solver, got, want)
					}
				}
			}
		}
	}
}

// TestContinuedCells compares a recursion in two parts with the literal recursion from the same
// starts: the later part factors what the earlier one has left.
func TestContinuedCells(t *testing.T) {
	const rank, iterations = 4, 30
	for _, p := range []problem{planted(12, 9, 3, 0.05, 1), planted(7, 15, 3, 0.05, 2)} {
		settings := &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitNested, Restarts: 1}, Limits: lnmu.Limits{Iterations: iterations}, Threads: 1}
		first := must.Get(lnmu.Factor(t.Context(), given[float64](p, "dense"), 2, lnmu.RNMU{}, settings))(t)
		res := must.Get(first.Continue(t.Context(), given[float64](p, "dense"), rank, lnmu.RNMU{}, settings))(t)
		left := literal.Problem{M: literal.Clone(p.M), U: p.U}
		for k := range rank {
			v, w := lnmu.NewDense[float64](p.M.Rows, 1, nil), lnmu.NewDense[float64](1, p.M.Cols, nil)
			copy(v.Data, res.V.Transposed().Row(k))
			copy(w.Row(0), res.W.Row(k))
			before := math.Sqrt(left.Squares(v, w))
			literalV, literalW := literal.Clone(v), literal.Clone(w)
			for i := range literalV.Data { // another start of rank one leads there, too
				literalV.Data[i] = 1 + float64(i%3)
			}
			for j := range literalW.Data {
				literalW.Data[j] = 1
			}
			literal.HALS{}.Run(lnmu.RNMU{}, left, literalV, literalW, iterations, false)
			must.AtMost(t, before, 1.01*math.Sqrt(left.Squares(literalV, literalW))+1e-9*p.Norm(), p.name, "factor", k, "error")
			x := literal.Product(v, w)
			for i := range left.M.Data {
				left.M.Data[i] = math.Max(0, left.M.Data[i]-x.Data[i])
			}
		}
	}
}

// TestImprovedCells compares Improve with literal steps that keep the zeros: the zeros stay, and the
// error is as small.
func TestImprovedCells(t *testing.T) {
	for _, p := range []problem{planted(12, 9, 3, 0.05, 1), planted(7, 15, 3, 0.05, 2)} {
		for _, kind := range []string{
			"dense", "missing", "exact", "weights", "sparse", "stored", "missing in files", "exact in files", "weights in files",
			"missing of a CSR", "exact of a CSR", "weights of a CSR", "dense with a fixed factor", "sparse with a fixed factor",
		} {
			for _, solver := range []lnmu.Choice{lnmu.SolverHALS, lnmu.SolverAccelerated} {
				p := p.with(kind)
				s := scene{p: p, rank: 3, scale: 1, start: "zeros"}
				v, w := s.factors()
				for i := range v.Data {
					if i%9 == 5 {
						v.Data[i] *= 1e-5 // negligible
					}
				}
				fixed := strings.HasSuffix(kind, "fixed factor")
				if fixed && solver == lnmu.SolverAccelerated {
					continue // refused
				}
				settings := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 400}, Threads: 1, MissingSolver: solverOf(kind)}
				if fixed {
					settings.FixedV = lnmu.NewDense(v.Rows, 1, v.Transposed().Row(0))
				}
				res := must.Get((&lnmu.Result[float64]{V: v, W: w}).Improve(t.Context(), given[float64](p, kind), lnmu.NMF{Solver: solver}, settings))(t)
				startV, startW := literal.Clone(v), literal.Clone(w)
				literal.Round(v, w)
				zeros := [2]matrix{literal.Clone(v), literal.Clone(w)}
				for i := range v.Rows {
					if fixed && res.V.At(i, 0) != v.At(i, 0) {
						t.Errorf("%s: V[%d,0] has changed", p.name, i)
					}
				}
				for _, pair := range [][2]matrix{{v, res.V}, {w, res.W}} {
					for i, a := range pair[0].Data {
						if a == 0 && pair[1].Data[i] != 0 {
							t.Errorf("%s, solver %s: a zero has become %v", p.name, solver, pair[1].Data[i])
						}
					}
				}
				got := math.Sqrt(p.Squares(res.V, res.W)) / p.Norm()
				best, other := literal.Clone(res.V), literal.Clone(res.W)
				steps := literal.HALS{Held: func(line, k int, ofV bool) bool {
					return ofV && (zeros[0].At(line, k) == 0 || fixed && k == 0) || !ofV && zeros[1].At(k, line) == 0
				}}
				steps.Steps(p.Problem, best, other, 20)
				if want := math.Sqrt(p.Squares(best, other)) / p.Norm(); !(got <= 1.01*want+1e-3) {
					t.Errorf("%s, solver %s: relative error %v, which literal steps lower to %v", p.name, solver, got, want)
				}
				if settings.Iterations = 7; solver == lnmu.SolverHALS {
					few := must.Get((&lnmu.Result[float64]{V: startV, W: startW}).Improve(t.Context(), given[float64](p, kind), lnmu.NMF{Solver: solver}, settings))(t)
					steps.Majorize, steps.Stored = majorizes(kind, lnmu.NMF{}), kind == "stored"
					steps.Steps(p.Problem, v, w, 7)
					must.AtMost(t, max(literal.Apart(few.V, v), literal.Apart(few.W, w)), 1e-9, p.name, "V and W differ by")
				}
			}
		}
	}
}

// TestOverwriteCells compares runs that overwrite M, under all conditions, with those that do not:
// they have the same bits.
func TestOverwriteCells(t *testing.T) {
	for _, p := range []problem{planted(12, 9, 3, 0.05, 1), planted(7, 15, 3, 0.05, 2)} {
		known := lnmu.NewDense[float64](p.M.Rows, 1, nil)
		for i := range known.Data {
			known.Data[i] = float64(1 + i%2)
		}
		for _, kind := range inFull {
			for _, method := range []lnmu.Method{
				lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate},
			} {
				for _, fixed := range []literal.Matrix{{}, known} {
					p, hashes := p.with(kind), [2]string{}
					settings := lnmu.Settings{Limits: lnmu.Limits{Iterations: 20}, Start: lnmu.Start{Restarts: 2}, Threads: 1, FixedV: fixed, MissingSolver: solverOf(kind)}
					for i := range hashes {
						settings.Overwrite = i == 1
						res, err := lnmu.Factor(t.Context(), given[float64](p, kind), 3, method, &settings)
						if errors.Is(err, lnmu.ErrOption) { // by docs/combinations.md
							continue
						}
						must.Do(t, err)
						hashes[i] = factors.SHA256(res.V) + factors.SHA256(res.W)
					}
					if refused := hashes[0] == ""; hashes[0] != hashes[1] || refused && kind == "dense" && method != lnmu.Method(lnmu.NMF{Solver: lnmu.SolverAccelerated}) {
						t.Errorf("%s, %#v, fixed %v: other bits with overwriting, or refused (%v)", p.name, method, fixed.Cols, refused)
					}
				}
			}
		}
	}
}
