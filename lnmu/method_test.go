package lnmu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// typical returns a method by its description, with the options without which it does
// not run.
func typical(d Description) Method {
	switch d.Name {
	case "snmf":
		return SNMF{PenaltyV: 0.1, PenaltyW: 0.1}
	case "hoyer":
		return Hoyer{SparsenessV: 0.5}
	}
	method, _ := d.Options()
	return method
}

// TestMethods checks the descriptions: each has a name of its own under which it is
// found, says what the method is, and holds for the method that its options set.
func TestMethods(t *testing.T) {
	var names []string
	for _, d := range Methods() {
		if d.Name == "" || d.Name != strings.ToLower(d.Name) || slices.Contains(names, d.Name) {
			t.Errorf("name %q after %q", d.Name, names)
		}
		names = append(names, d.Name)
		if d.Title == "" || d.Problem == "" || d.Factors == "" || d.Iterations < 1 || d.Recursive && !d.Underapproximates {
			t.Errorf("%s: %+v", d.Name, d)
		}
		found, err := Describe(d.Name)
		if err != nil || found.Name != d.Name || found.Title != d.Title {
			t.Errorf("%s: found %+v, %v", d.Name, found, err)
		}
		if method, _ := d.Options(); nameOf(method) != d.Name {
			t.Errorf("%s: its options set %s", d.Name, nameOf(method))
		}
		method, s, err := WithDefaults(9, 7, 3, typical(d), nil)
		if err != nil || nameOf(method) != d.Name || s.Iterations != d.Iterations {
			t.Errorf("%s: %#v with %+v by default, %v", d.Name, method, s, err)
		}
		if l := lagrangianOf(typical(d)); (l != nil) != d.Underapproximates {
			t.Errorf("%s: %+v", d.Name, l)
		}
	}
	for _, name := range []string{"als", "", "NMF", "nmf "} {
		_, err := Describe(name)
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), fmt.Sprintf("unknown method %q", name)) {
			t.Errorf("%q: %v", name, err)
			continue
		}
		for _, known := range names {
			if !strings.Contains(err.Error(), known) {
				t.Errorf("%v: without %s", err, known)
			}
		}
	}
}

// lagrangianOf returns the options of Algorithm L-NMU that a method has, or nil.
func lagrangianOf(method Method) *Lagrangian {
	p, err := method.prepare(3)
	if err != nil {
		panic(err)
	}
	return p.lagrange
}

// TestMethodOptions sets every option of every method as a command line does: it
// changes the method that came with it, and no other one; what is no value changes
// nothing.
func TestMethodOptions(t *testing.T) {
	values := map[string]string{ // of every option there is
		"solver": "accelerated", "sweeps": "3", "rho": "3", "residual-tol": "0.25",
		"inner": "3", "feasible": "each", "feasible-steps": "4", "block": "2", "norm": "l1",
		"penalty-v": "0.25", "penalty-w": "1e3", "sparsity-v": "0.75", "sparsity-w": "1", "hoyer-v": "0.5", "hoyer-w": "0.625",
		"step-offset": "2", "multipliers": "start", "smooth-v": "0.5", "smooth-w": "7", "smooth-norm": "l2", "shape-v": "3x4", "shape-w": "1x5",
	}
	used := map[string]bool{}
	for _, d := range Methods() {
		untouched, _ := d.Options()
		before := fmt.Sprintf("%+v", untouched)
		_, all := d.Options()
		for i, o := range all {
			value, ok := values[o.Name]
			if o.Name == "solver" && d.Underapproximates {
				value = "admm"
			}
			if o.Name == "penalty-w" && d.Recursive { // a part there
				value = "1"
			}
			if !ok {
				t.Errorf("%s: no value for the option %s", d.Name, o.Name)
				continue
			}
			used[o.Name] = true
			if strings.Count(o.Usage, "`") != 2 || !strings.Contains(o.Usage, "`"+strings.ToUpper(strings.Split(o.Usage, "`")[1])+"`") {
				t.Errorf("%s --%s: usage %q names no value", d.Name, o.Name, o.Usage)
			}
			if o.Value.String() != "" {
				t.Errorf("%s --%s is %q before it is set", d.Name, o.Name, o.Value)
			}
			method, options := d.Options()
			for _, wrong := range []string{"", "x", "-1", "0", "NaN", "Inf", "-Inf", "1e999", " 1", "1 "} {
				if err := options[i].Value.Set(wrong); err == nil || !strings.HasPrefix(err.Error(), "choose ") {
					t.Errorf("%s --%s=%s: %v", d.Name, o.Name, wrong, err)
				}
			}
			if got := fmt.Sprintf("%+v", method); got != before {
				t.Errorf("%s --%s: what is no value made %s of %s", d.Name, o.Name, got, before)
			}
			if err := options[i].Value.Set(value); err != nil {
				t.Errorf("%s --%s=%s: %v", d.Name, o.Name, value, err)
			}
			if got := fmt.Sprintf("%+v", method); got == before {
				t.Errorf("%s --%s=%s did not change %s", d.Name, o.Name, value, got)
			}
			for k, other := range options {
				if got := other.Value.String(); (got != "") != (k == i) {
					t.Errorf("%s --%s=%s: option %s is now %q", d.Name, o.Name, value, other.Name, got)
				}
			}
		}
		if got := fmt.Sprintf("%+v", untouched); got != before {
			t.Errorf("%s: setting the options of others made %s of %s", d.Name, got, before)
		}
	}
	for name := range values {
		if !used[name] {
			t.Errorf("no method has the option %s", name)
		}
	}
	for name, most := range map[string]float64{"sparsity-v": 1, "hoyer-v": 1, "penalty-v": math.Inf(1)} {
		for _, d := range Methods() {
			_, options := d.Options()
			for _, o := range options {
				if err := o.Value.Set("1.5"); o.Name == name && (name != "penalty-v" || !d.Recursive) && (err != nil) != (most == 1) {
					t.Errorf("--%s=1.5: %v", name, err)
				}
			}
		}
	}
}

// TestOptionsReachMethod checks that what the options set is what runs.
func TestOptionsReachMethod(t *testing.T) {
	m := data[float64](30, 20, 3)
	set := func(name string, pairs ...string) Method {
		t.Helper()
		d, err := Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		method, options := d.Options()
		for i := 0; i < len(pairs); i += 2 {
			k := slices.IndexFunc(options, func(o Option) bool { return o.Name == pairs[i] })
			if err := options[k].Value.Set(pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return method
	}
	for _, c := range []struct{ set, want Method }{
		{set("nmf"), NMF{}},
		{set("gnmu", "inner", "3", "feasible", "final", "feasible-steps", "2"), GNMU{Lagrangian{StepsPerUpdate: 3, Feasible: FeasibleFinal, ExactSteps: 2}}},
		{set("rnmu", "block", "2", "inner", "1"), RNMU{Block: 2, Lagrangian: Lagrangian{StepsPerUpdate: 1}}},
		{set("rnmu", "norm", "l1"), RNMU{Norm: L1}},
		{set("gnmu", "solver", "admm"), GNMU{Lagrangian{Solver: SolverADMM}}},
		{set("rnmu", "solver", "admm", "rho", "3", "residual-tol", "0.5"), RNMU{Lagrangian: Lagrangian{Solver: SolverADMM, Rho: 3, ResidualTolerance: 0.5}}},
		{set("rnmu", "feasible", "each"), RNMU{Lagrangian: Lagrangian{Feasible: FeasibleEach}}},
		{set("rnmu", "penalty-v", "0.25", "sparsity-w", "0.5"), RNMU{Priors: Priors{PenaltyV: 0.25, SparsityW: 0.5}}},
		{set("rnmu", "smooth-v", "0.25", "smooth-norm", "l2", "shape-v", "1X30"), RNMU{Priors: Priors{SmoothV: 0.25, SmoothNorm: L2, ShapeV: Shape{1, 30}}}},
		{set("rnmu", "smooth-w", "0.25", "shape-w", "4x5", "sparsity-v", "0.5"), RNMU{Priors: Priors{SmoothW: 0.25, ShapeW: Shape{4, 5}, SparsityV: 0.5}}},
		{set("gnmu", "step-offset", "3", "multipliers", "start"), GNMU{Lagrangian{StepOffset: 3, Multipliers: MultipliersStart}}},
		{set("snmf", "penalty-v", "0.125", "penalty-w", "0.25"), SNMF{PenaltyV: 0.125, PenaltyW: 0.25}},
		{set("snmf", "sparsity-v", "0.5", "sparsity-w", "0.25"), SNMF{SparsityV: 0.5, SparsityW: 0.25}},
		{set("hoyer", "hoyer-v", "0.5", "hoyer-w", "0.25"), Hoyer{SparsenessV: 0.5, SparsenessW: 0.25}},
	} {
		s := Settings{Iterations: 8, Restarts: 1}
		got, err := Factor(t.Context(), m, 4, c.set, &s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Factor(t.Context(), m, 4, c.want, &s)
		if err != nil {
			t.Fatal(err)
		}
		if SHA256(got.V) != SHA256(want.V) || SHA256(got.W) != SHA256(want.W) {
			t.Errorf("the options that set %#v run another method", c.want)
		}
	}
}

// TestIterated checks that Iterated is called at the end of every iteration, of every
// block and restart, by every method, and that what stops a run does not leave out its
// last iteration.
func TestIterated(t *testing.T) {
	m := data[float64](40, 25, 2)
	methods := []Method{RNMU{Block: 2}, RNMU{Norm: L1}, SNMF{SparsityV: 0.5}}
	for _, d := range Methods() {
		methods = append(methods, typical(d))
	}
	for _, method := range methods {
		d := method.Describe()
		factors := map[string]func(s Settings) (*Result[float64], error){
			"dense": func(s Settings) (*Result[float64], error) { return Factor(t.Context(), m, 3, method, &s) },
		}
		r, _ := method.(RNMU)
		if d.Sparse && r.Norm != L1 {
			factors["sparse"] = func(s Settings) (*Result[float64], error) {
				return Factor(t.Context(), NewCSR(m), 3, method, &s)
			}
		}
		for kind, factor := range factors {
			for _, s := range []Settings{{Iterations: 7}, {Iterations: 7, Tolerance: 1e-300, CheckEvery: 2}, {Iterations: 100, Tolerance: 0.1, CheckEvery: 1}} {
				var calls []int
				s.Restarts, s.Iterated = 1, func(k int) { calls = append(calls, k) }
				res, err := factor(s)
				if err != nil {
					t.Fatal(err)
				}
				var want []int
				for _, b := range res.Blocks {
					for k := range b.Iterations {
						want = append(want, k+1)
					}
				}
				if len(want) == 0 || !slices.Equal(calls, want) {
					t.Errorf("%#v, %s, tolerance %v: Iterated was called with %v, want %v", method, kind, s.Tolerance, calls, want)
				}
			}
			calls := 0
			if _, err := factor(Settings{Iterations: 7, Restarts: 2, Threads: 1, Iterated: func(int) { calls++ }}); err != nil {
				t.Fatal(err)
			}
			blocks := 1
			if r, ok := method.(RNMU); ok {
				blocks = (3 + max(1, r.Block) - 1) / max(1, r.Block)
			} else if d.Recursive {
				blocks = 3
			}
			if calls != 2*7*blocks {
				t.Errorf("%#v, %s: Iterated was called %d times in two runs, want %d", method, kind, calls, 2*7*blocks)
			}
		}
	}
	v, w := randomStart[float64](m.Rows, m.Cols, 3, 1)
	calls := 0
	if _, err := Improve(t.Context(), m, v, w, NMF{}, &Settings{Iterations: 9, Iterated: func(int) { calls++ }}); err != nil || calls != 9 {
		t.Errorf("Improve called Iterated %d times, want 9 (%v)", calls, err)
	}
}

// TestOptionsOfMethod checks that the options of a method begin with what it has, and
// set a copy of it.
func TestOptionsOfMethod(t *testing.T) {
	for _, c := range []struct {
		method       Method
		name, before string
		after        Method
	}{
		{GNMU{Lagrangian{StepsPerUpdate: 4}}, "inner", "4", &GNMU{Lagrangian{StepsPerUpdate: 1}}},
		{RNMU{Block: 3, Norm: L2}, "block", "3", &RNMU{Block: 1, Norm: L2}},
		{SNMF{PenaltyV: 0.5, PenaltyW: 2}, "penalty-w", "2", &SNMF{PenaltyV: 0.5, PenaltyW: 1}},
		{Hoyer{SparsenessV: 0.25, SparsenessW: 0.5}, "hoyer-v", "0.25", &Hoyer{SparsenessV: 1, SparsenessW: 0.5}},
	} {
		before := fmt.Sprintf("%+v", c.method)
		method, options := c.method.Describe().Options()
		k := slices.IndexFunc(options, func(o Option) bool { return o.Name == c.name })
		if got := options[k].Value.String(); got != c.before {
			t.Errorf("--%s of %s begins as %q, want %q", c.name, before, got, c.before)
		}
		if err := options[k].Value.Set("1"); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintf("%+v", method), fmt.Sprintf("%+v", c.after); got != want {
			t.Errorf("--%s=1 makes %s of %s, want %s", c.name, got, before, want)
		}
		if got := fmt.Sprintf("%+v", c.method); got != before {
			t.Errorf("--%s=1 changes the method itself from %s to %s", c.name, before, got)
		}
	}
}
