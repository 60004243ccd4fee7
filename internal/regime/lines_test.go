package regime

import (
	"math"
	"slices"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
)

// line is a method with its options, what it promises, and the literal reference that it is
// compared with.
type line struct {
	name   string
	method func(scale float64) lnmu.Method // its options for M times scale
	sums   string                          // "V": each row of V has the sum 1; "W": each column of W
	below  bool                            // V W <= M without any tolerance
	hoyer  [2]float64                      // sh of the columns of V and of the rows of W; 0: any
	keeps  bool                            // zeros of a start stay, so that svd, spa and snpa are refused
	kinds  []string                        // of matrices that it takes

	loss   func(p problem, v, w matrix) float64
	polish func(p problem, v, w matrix, iterations int) // lowers the loss from a point; nil: no such reference
	least  func(p problem) float64                      // the least loss of a complete matrix at rank one; nil: unknown
	loose  float64                                      // distance from least, relative to it and to ||M||²; else 1e-9 and rounding
}

func fixed(m lnmu.Method) func(float64) lnmu.Method { return func(float64) lnmu.Method { return m } }

var (
	everywhere = []string{"dense", "missing", "exact", "weights", "sparse", "stored"}
	inFull     = []string{"dense", "missing", "exact", "weights"}
)

// penalties returns those of V and W for M times scale, so that the problem is the same one.
// The loss has the degree 2 in M, so the penalties have the degree 3/2.
func penalties(scale float64) (v, w float64) {
	return 0.3 * scale * math.Sqrt(scale), 0.2 * scale * math.Sqrt(scale)
}

func descent(p problem, v, w matrix, iterations int) {
	literal.HALS{}.Steps(p.Problem, v, w, iterations)
}

// lines returns all lines. A new method or solver needs a line of its own: see TestLines.
func lines() []line {
	var all []line
	for _, solver := range []lnmu.Choice{"", lnmu.SolverHALS, lnmu.SolverAccelerated} {
		name := string(solver)
		all = append(all, line{
			name: "nmf " + name, method: fixed(lnmu.NMF{Solver: solver}), kinds: everywhere,
			loss: problem.squares, polish: descent, least: leastSquare,
		})
		all = append(all, line{
			name: "nmf l2 " + name, kinds: everywhere,
			method: func(scale float64) lnmu.Method { return lnmu.NMF{L2V: 0.3 * scale, L2W: 0.2 * scale, Solver: solver} },
			loss: func(p problem, v, w matrix) float64 {
				return p.Squares(v, w) + literal.Elastic{L2: 0.3}.Of(v) + literal.Elastic{L2: 0.2}.Of(w)
			},
			polish: func(p problem, v, w matrix, iterations int) {
				literal.HALS{OfV: literal.Elastic{L2: 0.3}, OfW: literal.Elastic{L2: 0.2}}.Steps(p.Problem, v, w, iterations)
			},
		})
		for _, side := range []string{"V", "W"} {
			all = append(all, line{
				name:   "nmf sum to one " + side + " " + name,
				method: fixed(lnmu.NMF{Solver: solver, SumToOneV: side == "V", SumToOneW: side == "W"}),
				sums:   side, kinds: everywhere, loss: problem.squares,
				polish: func(p problem, v, w matrix, iterations int) { sumSteps(p.Problem, v, w, side == "V", iterations) },
				least: func(p problem) float64 {
					if side == "V" {
						p = problem{p.Transposed(), ""}
					}
					return leastMeans(p)
				},
			})
		}
		all = append(all, line{
			name: "snmf " + name, kinds: everywhere,
			method: func(scale float64) lnmu.Method {
				v, w := penalties(scale)
				return lnmu.SNMF{PenaltyV: v, PenaltyW: w, Solver: solver}
			},
			loss: func(p problem, v, w matrix) float64 {
				muV, muW := penalties(1)
				return p.Squares(v, w) + muV*literal.Sum(v) + muW*literal.Sum(w)
			},
			polish: func(p problem, v, w matrix, iterations int) {
				muV, muW := penalties(1)
				if literal.Sum(literal.Product(v, w)) == 0 { // no step leaves zeros, so begin elsewhere
					from := scene{p: p, rank: v.Cols, scale: 1, start: "good"}
					startV, startW := from.factors()
					copy(v.Data, startV.Data)
					copy(w.Data, startW.Data)
				}
				literal.HALS{OfV: literal.Elastic{L1: muV}, OfW: literal.Elastic{L1: muW}}.Steps(p.Problem, v, w, iterations)
			},
		})
	}
	for _, solver := range []lnmu.Choice{"", lnmu.SolverMultiplicative, lnmu.SolverCoordinate} {
		kinds := slices.DeleteFunc(slices.Clone(everywhere), func(kind string) bool { return kind == "stored" || kind == "exact" })
		all = append(all, line{
			name: "kl " + string(solver), method: fixed(lnmu.KL{Solver: solver}), kinds: kinds, keeps: solver != lnmu.SolverCoordinate,
			loss: problem.divergence, least: leastDivergence, loose: 1e-5,
			polish: func(p problem, v, w matrix, iterations int) {
				literal.Multiply(p.Problem, v, w, literal.Elastic{}, literal.Elastic{}, iterations)
			},
		})
	}
	for _, side := range [][2]float64{{0.5, 0}, {0, 0.6}, {0.4, 0.5}} {
		all = append(all, line{
			name: "hoyer", method: fixed(lnmu.Hoyer{HoyerV: side[0], HoyerW: side[1]}), hoyer: side,
			kinds: []string{"dense"}, keeps: true, loss: problem.squares,
		})
	}
	for _, solver := range []lnmu.Choice{"", lnmu.SolverLagrangian, lnmu.SolverADMM} {
		l, everywhere, inFull := lnmu.GNMU{Solver: solver}, everywhere, inFull
		if solver == lnmu.SolverADMM {
			everywhere, inFull = []string{"dense", "missing", "exact", "sparse"}, []string{"dense", "missing", "exact"}
		}
		all = append(all,
			line{name: "gnmu " + string(solver), method: fixed(l), kinds: everywhere, loss: problem.squares},
			line{name: "rnmu " + string(solver), method: fixed(lnmu.RNMU{GNMU: l}), kinds: everywhere, loss: problem.squares})
		for _, way := range []lnmu.Choice{lnmu.FeasibleFinal, lnmu.FeasibleEach} {
			l.Feasible = way
			all = append(all,
				line{name: "gnmu feasible " + string(way) + " " + string(solver), method: fixed(l), kinds: inFull, below: true, loss: problem.squares},
				line{name: "rnmu feasible " + string(way) + " " + string(solver), method: fixed(lnmu.RNMU{GNMU: l}), kinds: inFull, below: true, loss: problem.squares})
		}
	}
	all = append(all,
		line{name: "snmf targets", method: fixed(lnmu.SNMF{SparsityV: 0.4, SparsityW: 0.3}), kinds: everywhere, loss: problem.squares},
		line{name: "rnmu l1", method: fixed(lnmu.RNMU{Norm: lnmu.L1}), kinds: []string{"dense", "missing"}, loss: problem.squares},
		line{name: "rnmu priors", method: fixed(lnmu.RNMU{ThresholdV: 0.1, SparsityW: 0.3}), kinds: []string{"dense"}, loss: problem.squares},
		line{name: "rnmu blocks", method: fixed(lnmu.RNMU{Block: 2}), kinds: everywhere, loss: problem.squares},
	)
	return all
}

// TestLines checks that each method and each of its solvers has a line.
func TestLines(t *testing.T) {
	for _, d := range options.Methods() {
		solvers := d.Words["Solver"]
		if solvers == nil {
			solvers = []string{""}
		}
		for _, solver := range append([]string{""}, solvers...) {
			want := d.Name + " " + solver
			if !slices.ContainsFunc(lines(), func(l line) bool { return l.name == want || l.name == d.Name }) {
				t.Errorf("method %q has no line with solver %q; add it to lines", d.Name, solver)
			}
		}
	}
}

// TestZeroMatrix checks the promises for M = 0.
func TestZeroMatrix(t *testing.T) {
	p := planted(5, 4, 1, 0, 1).times(0)
	for _, l := range lines() {
		if l.hoyer != [2]float64{} {
			continue // zeros have no sh
		}
		for _, kind := range []string{"dense", "sparse"} {
			if kind == "sparse" && l.below {
				continue // refused
			}
			s := scene{line: l, p: p, kind: kind, rank: 3, scale: 1, start: "random"}
			if l.kinds[len(l.kinds)-1] == "dense" || kind == "sparse" && l.name == "rnmu l1" {
				continue
			}
			res := must.Get(factor[float64](t, s))(t)
			if text := broken(l, p, p.M, res); text != "" || res.RelativeError != 0 || literal.Sum(literal.Product(res.V, res.W)) != 0 {
				t.Errorf("%v: %s, relative error %v", s, text, res.RelativeError)
			}
		}
	}
}
