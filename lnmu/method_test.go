package lnmu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// typical returns a method by its description, with the options without which it does
// not run.
func typical(d options.Description) lnmu.Method {
	switch d.Name {
	case "snmf":
		return lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}
	case "hoyer":
		return lnmu.Hoyer{HoyerV: 0.5}
	}
	return d.Method
}

// TestMethods checks the descriptions: each has a name of its own, says what the method is, and
// holds for the method that its options set.
func TestMethods(t *testing.T) {
	var names []string
	for _, d := range options.Methods() {
		if d.Name == "" || d.Name != strings.ToLower(d.Name) || slices.Contains(names, d.Name) {
			t.Errorf("name %q after %q", d.Name, names)
		}
		names = append(names, d.Name)
		if d.Title == "" || d.Problem == "" || d.Factors == "" || d.Iterations < 1 || d.Recursive && !d.Underapproximates {
			t.Errorf("%s: %+v", d.Name, d)
		}
		must.Equal(t, lnmutest.NameOf(d.Method), d.Name, "it describes")
		method, s, err := lnmu.Check(lnmu.Dense[float64]{Rows: 9, Cols: 7}, 3, typical(d), nil)
		if err != nil || lnmutest.NameOf(method) != d.Name || s.Iterations != d.Most() {
			t.Errorf("%s: %#v with %+v by default, %v", d.Name, method, s, err)
		}
		if l := lagrangianOf(typical(d)); (l != nil) != d.Underapproximates {
			t.Errorf("%s: %+v", d.Name, l)
		}
	}
}

// lagrangianOf returns the options of Algorithm L-NMU of a method, with their defaults, or nil.
func lagrangianOf(method lnmu.Method) *lnmu.GNMU {
	method, _, err := lnmu.Check(lnmu.Dense[float64]{Rows: 9, Cols: 7}, 3, method, nil)
	if err != nil {
		panic(err)
	}
	switch m := method.(type) {
	case lnmu.GNMU:
		return &m
	case lnmu.RNMU:
		return &m.GNMU
	}
	return nil
}

// solversOf returns the values of a method's option Solver.
func solversOf(method lnmu.Method) (all []lnmu.Choice) {
	for _, word := range options.DescriptionOf(method).Words["Solver"] {
		all = append(all, lnmu.Choice(word))
	}
	return all
}

// TestIterated checks that Iterated is called at the end of every iteration, of every
// block and restart, by every method, and that what stops a run does not leave out its
// last iteration.
func TestIterated(t *testing.T) {
	m := lnmutest.Data[float64](40, 25, 2)
	methods := []lnmu.Method{lnmu.RNMU{Block: 2}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.SNMF{SparsityV: 0.5}}
	for _, d := range options.Methods() {
		methods = append(methods, typical(d))
	}
	for _, method := range methods {
		d := options.DescriptionOf(method)
		factors := map[string]func(s lnmu.Settings) (*lnmu.Result[float64], error){
			"dense": func(s lnmu.Settings) (*lnmu.Result[float64], error) {
				return lnmu.Factor(t.Context(), m, 3, method, &s)
			},
		}
		r, _ := method.(lnmu.RNMU)
		if d.Sparse() && r.Norm != lnmu.L1 {
			factors["sparse"] = func(s lnmu.Settings) (*lnmu.Result[float64], error) {
				return lnmu.Factor(t.Context(), lnmu.NewCSR(m), 3, method, &s)
			}
		}
		for kind, factor := range factors {
			for _, s := range []lnmu.Settings{{Limits: lnmu.Limits{Iterations: 7}}, {Limits: lnmu.Limits{Iterations: 7, Tolerance: 1e-300, CheckEvery: 2}}, {Limits: lnmu.Limits{Iterations: 100, Tolerance: 0.1, CheckEvery: 1}}} {
				var calls []int
				s.Restarts, s.Iterated = 1, func(k int) { calls = append(calls, k) }
				res := must.Get(factor(s))(t)
				var want []int
				for _, b := range res.Blocks {
					for k := range b.IterationsDone {
						want = append(want, k+1)
					}
				}
				if len(want) == 0 || !slices.Equal(calls, want) {
					t.Errorf("%#v, %s, tolerance %v: Iterated was called with %v, want %v", method, kind, s.Tolerance, calls, want)
				}
			}
			calls := 0
			must.Get(factor(lnmu.Settings{Limits: lnmu.Limits{Iterations: 7}, Start: lnmu.Start{Restarts: 2}, Threads: 1, Watch: lnmu.Watch{Iterated: func(int) { calls++ }}}))(t)
			blocks := 1
			if r, ok := method.(lnmu.RNMU); ok {
				blocks = (3 + max(1, r.Block) - 1) / max(1, r.Block)
			} else if d.Recursive {
				blocks = 3
			}
			if calls != 2*7*blocks {
				t.Errorf("%#v, %s: Iterated was called %d times in two runs, want %d", method, kind, calls, 2*7*blocks)
			}
		}
	}
	v, w := lnmutest.RandomStart[float64](m.Rows, m.Cols, 3, 1)
	calls := 0
	if _, err := (&lnmu.Result[float64]{V: v, W: w}).Improve(t.Context(), m, lnmu.NMF{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 9}, Watch: lnmu.Watch{Iterated: func(int) { calls++ }}}); err != nil || calls != 9 {
		t.Errorf("Improve called Iterated %d times, want 9 (%v)", calls, err)
	}
}

// TestLargeRank: a rank above both sides is one like others, where all factors are found
// together; a recursion ends when nothing is left.
func TestLargeRank(t *testing.T) {
	for _, size := range [][2]int{{7, 5}, {5, 7}, {1, 1}} {
		m := lnmutest.RandomMatrix[float64](size[0], size[1], 3)
		for i := range m.Data {
			m.Data[i] += 0.1
		}
		for _, method := range []lnmu.Method{
			lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.GNMU{Solver: lnmu.SolverADMM},
			lnmu.SNMF{PenaltyV: 1e-3, PenaltyW: 1e-3}, lnmu.Hoyer{HoyerV: 0.1}, lnmu.RNMU{}, lnmu.RNMU{Block: 4},
		} {
			for _, init := range options.Inits() {
				name := fmt.Sprintf("%v %#v %s", size, method, init)
				const rank = 12
				res, err := lnmu.Factor[float64](t.Context(), m, rank, method, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.Choice(init), Restarts: 1}, Limits: lnmu.Limits{Iterations: 300}})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if res.V.Cols != rank || res.W.Rows != rank || !(res.RelativeError < 0.5) {
					t.Errorf("%s: V %d x %d, W %d x %d, error %v", name, res.V.Rows, res.V.Cols, res.W.Rows, res.W.Cols, res.RelativeError)
				}
				if found := len(res.Blocks); options.DescriptionOf(method).Recursive && res.Stop == outcome.StopExact && found >= rank {
					t.Errorf("%s: %d blocks of a matrix of which nothing is left", name, found)
				}
			}
		}
	}
}
