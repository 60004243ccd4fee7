package options

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// TestMethodOptions sets every option of every method as a command line does: it
// changes the method that came with it, and no other one; what is no value changes
// nothing.
func TestMethodOptions(t *testing.T) {
	values := map[string]string{ // of every option there is
		"sweeps": "3", "rho": "3", "residual-tolerance": "0.25",
		"inner": "3", "feasible": "each", "feasible-steps": "4", "block": "2", "norm": "l1",
		"penalty-v": "0.25", "penalty-w": "1e3", "threshold-v": "0.25", "threshold-w": "1", "sparsity-v": "0.75", "sparsity-w": "1", "hoyer-v": "0.5", "hoyer-w": "0.625", "l2-v": "0.125", "l2-w": "2",
		"step-offset": "2", "multipliers": "start", "smooth-v": "0.5", "smooth-w": "7", "smooth-norm": "l2", "shape-v": "3x4", "shape-w": "1x5",
		"sum-to-one": "w",
	}
	used := map[string]bool{}
	for _, d := range Methods() {
		untouched, _ := Of(d.Method)
		before := fmt.Sprintf("%+v", untouched)
		_, all := Of(d.Method)
		for i, o := range all {
			value, ok := values[o.Name]
			if o.Name == "solver" {
				value, ok = d.Words["Solver"][1], true
			}
			if !ok {
				t.Errorf("%s: no value for the option %s", d.Name, o.Name)
				continue
			}
			used[o.Name] = true
			if strings.Count(o.Usage, "`") != 2 || !strings.Contains(o.Usage, "`"+strings.ToUpper(strings.Split(o.Usage, "`")[1])+"`") {
				t.Errorf("%s --%s: usage %q names no value", d.Name, o.Name, o.Usage)
			}
			must.Equal(t, o.Value.String(), "", d.Name, "--"+o.Name, "is", o.Value, "before it is set")
			method, options := Of(d.Method)
			for _, wrong := range []string{"", "x", "-1", "0", "NaN", "Inf", "-Inf", "1e999", " 1", "1 "} {
				if err := options[i].Value.Set(wrong); err == nil || !strings.HasPrefix(err.Error(), "choose ") {
					t.Errorf("%s --%s=%s: %v", d.Name, o.Name, wrong, err)
				}
			}
			must.Equal(t, fmt.Sprintf("%+v", method), before, d.Name, "--"+o.Name, "what is no value made")
			must.Equal(t, options[i].Value.Set(value), nil, d.Name, "--", o.Name, value)
			if got := fmt.Sprintf("%+v", method); got == before {
				t.Errorf("%s --%s=%s did not change %s", d.Name, o.Name, value, got)
			}
			for k, other := range options {
				must.Equal(t, other.Value.String() != "", k == i, d.Name, "--"+o.Name, value, "option", other.Name, "is now")
			}
		}
		must.Equal(t, fmt.Sprintf("%+v", untouched), before, d.Name, "setting the options of others made")
	}
	for name := range values {
		if !used[name] {
			t.Errorf("no method has the option %s", name)
		}
	}
	for name, most := range map[string]float64{"sparsity-v": 1, "hoyer-v": 1, "threshold-v": 1, "penalty-v": math.Inf(1)} {
		for _, d := range Methods() {
			_, options := Of(d.Method)
			for _, o := range options {
				if err := o.Value.Set("1.5"); o.Name == name && (err != nil) != (most == 1) {
					t.Errorf("--%s=1.5: %v", name, err)
				}
			}
		}
	}
}

// TestOptionsReachMethod checks that what the options set is what runs.
func TestOptionsReachMethod(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 99))
	m := lnmu.NewDense[float64](30, 20, nil)
	for i := range m.Data {
		m.Data[i] = max(0, rng.Float64()-0.4)
	}
	set := func(name string, pairs ...string) lnmu.Method {
		t.Helper()
		d := must.Get(Describe(name))(t)
		method, options := Of(d.Method)
		for i := 0; i < len(pairs); i += 2 {
			k := slices.IndexFunc(options, func(o Option) bool { return o.Name == pairs[i] })
			must.Do(t, options[k].Value.Set(pairs[i+1]))
		}
		return method
	}
	for _, c := range []struct{ set, want lnmu.Method }{
		{set("nmf"), lnmu.NMF{}},
		{set("nmf", "sum-to-one", "v"), lnmu.NMF{SumToOneV: true}},
		{set("gnmu", "inner", "3", "feasible", "final", "feasible-steps", "2"), lnmu.GNMU{Inner: 3, Feasible: lnmu.FeasibleFinal, FeasibleSteps: 2}},
		{set("rnmu", "block", "2", "inner", "1"), lnmu.RNMU{Block: 2, GNMU: lnmu.GNMU{Inner: 1}}},
		{set("rnmu", "norm", "l1"), lnmu.RNMU{Norm: lnmu.L1}},
		{set("gnmu", "solver", "admm"), lnmu.GNMU{Solver: lnmu.SolverADMM}},
		{set("rnmu", "solver", "admm", "rho", "3", "residual-tolerance", "0.5"), lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 3, ResidualTolerance: 0.5}}},
		{set("rnmu", "feasible", "each"), lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}},
		{set("rnmu", "threshold-v", "0.25", "sparsity-w", "0.5"), lnmu.RNMU{ThresholdV: 0.25, SparsityW: 0.5}},
		{set("rnmu", "smooth-v", "0.25", "smooth-norm", "l2", "shape-v", "1X30"), lnmu.RNMU{SmoothV: 0.25, SmoothNorm: lnmu.L2, ShapeV: [2]int{1, 30}}},
		{set("rnmu", "smooth-w", "0.25", "shape-w", "4x5", "sparsity-v", "0.5"), lnmu.RNMU{SmoothW: 0.25, ShapeW: [2]int{4, 5}, SparsityV: 0.5}},
		{set("gnmu", "step-offset", "3", "multipliers", "start"), lnmu.GNMU{StepOffset: 3, Multipliers: lnmu.MultipliersStart}},
		{set("snmf", "penalty-v", "0.125", "penalty-w", "0.25"), lnmu.SNMF{PenaltyV: 0.125, PenaltyW: 0.25}},
		{set("snmf", "sparsity-v", "0.5", "sparsity-w", "0.25"), lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.25}},
		{set("hoyer", "hoyer-v", "0.5", "hoyer-w", "0.25"), lnmu.Hoyer{HoyerV: 0.5, HoyerW: 0.25}},
	} {
		s := lnmu.Settings{Limits: lnmu.Limits{Iterations: 8}, Start: lnmu.Start{Restarts: 1}}
		got := must.Get(lnmu.Factor(t.Context(), m, 4, c.set, &s))(t)
		want := must.Get(lnmu.Factor(t.Context(), m, 4, c.want, &s))(t)
		if factors.SHA256(got.V) != factors.SHA256(want.V) || factors.SHA256(got.W) != factors.SHA256(want.W) {
			t.Errorf("the options that set %#v run another method", c.want)
		}
	}
}

// TestOptionsOfMethod checks that the options of a method begin with what it has, and
// set a copy of it.
func TestOptionsOfMethod(t *testing.T) {
	for _, c := range []struct {
		method       lnmu.Method
		name, before string
		after        lnmu.Method
	}{
		{lnmu.GNMU{Inner: 4}, "inner", "4", &lnmu.GNMU{Inner: 1}},
		{lnmu.RNMU{Block: 3, Norm: lnmu.L2}, "block", "3", &lnmu.RNMU{Block: 1, Norm: lnmu.L2}},
		{lnmu.SNMF{PenaltyV: 0.5, PenaltyW: 2}, "penalty-w", "2", &lnmu.SNMF{PenaltyV: 0.5, PenaltyW: 1}},
		{lnmu.Hoyer{HoyerV: 0.25, HoyerW: 0.5}, "hoyer-v", "0.25", &lnmu.Hoyer{HoyerV: 1, HoyerW: 0.5}},
	} {
		before := fmt.Sprintf("%+v", c.method)
		method, options := Of(c.method)
		k := slices.IndexFunc(options, func(o Option) bool { return o.Name == c.name })
		must.Equal(t, options[k].Value.String(), c.before, "--"+c.name, "of", before, "begins as")
		must.Do(t, options[k].Value.Set("1"))
		if got, want := fmt.Sprintf("%+v", method), fmt.Sprintf("%+v", c.after); got != want {
			t.Errorf("--%s=1 makes %s of %s, want %s", c.name, got, before, want)
		}
		must.Equal(t, fmt.Sprintf("%+v", c.method), before, "--"+c.name, "1 changes the method itself from")
	}
}

// TestChoices checks that an option takes all words that are its choices, that it lists them
// in its refusal of another one, and that its usage says them.
func TestChoices(t *testing.T) {
	listed := map[string][]string{}
	for _, d := range Methods() {
		_, all := Of(d.Method)
		for _, o := range all {
			words := o.Choices()
			if words == nil {
				continue
			}
			listed[o.Name] = append(listed[o.Name], strings.Join(words, " "))
			if err := o.Value.Set("?"); err == nil || err.Error() != "choose "+strings.Join(words, " or ") {
				t.Errorf("%s --%s=?: %v; its choices are %q", d.Name, o.Name, err, words)
			}
			for _, word := range words {
				if err := o.Value.Set(word); err != nil || o.Value.String() != word || !strings.Contains(o.Usage, word) {
					t.Errorf("%s --%s=%s: %v; its usage is %q", d.Name, o.Name, word, err, o.Usage)
				}
			}
		}
	}
	want := map[string][]string{
		"solver":   {"accelerated hals", "lagrangian admm", "lagrangian admm", "accelerated hals", "multiplicative coordinate"},
		"norm":     {"l2 l1"},
		"feasible": {"final each", "final each"}, "multipliers": {"zero start", "zero start"}, "smooth-norm": {"l2 l1"}, "sum-to-one": {"v w"},
	}
	if !maps.EqualFunc(listed, want, slices.Equal) {
		t.Errorf("choices %q, want %q", listed, want)
	}
}

// TestDescribe: every method is found under its name in any letters, and no other name is one.
func TestDescribe(t *testing.T) {
	for _, d := range Methods() {
		if found, err := Describe(strings.ToUpper(d.Name)); err != nil || found.Name != d.Name || found.Title != d.Title {
			t.Errorf("%s: found %+v, %v", d.Name, found, err)
		}
	}
	for _, name := range []string{"als", "", "nmf "} {
		_, err := Describe(name)
		if !errors.Is(err, lnmu.ErrOption) || !strings.Contains(err.Error(), fmt.Sprintf("unknown method %q", name)) {
			t.Errorf("%q: %v", name, err)
			continue
		}
		for _, d := range Methods() {
			must.Say(t, err.Error(), d.Name)
		}
	}
}
