package lnmu_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nmu/internal/combination"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// TestFeaturesHaveWords checks that the page has words for each feature of package combination, and
// that a run asks for it.
func TestFeaturesHaveWords(t *testing.T) {
	for f, name := range combination.Features {
		if name == "" {
			t.Errorf("feature %d has no words for the page", f)
		}
		if a := askingFor(combination.Feature(f)); a.method == nil {
			t.Errorf("%s: askingFor has no run with it", name)
		}
	}
}

// featuresOf says which feature a field of a method or of Settings asks for; -1: none, since it goes
// with everything.
var featuresOf = map[string]combination.Feature{
	"NMF.Solver": combination.Accelerated, "NMF.Sweeps": combination.Accelerated, "NMF.SumToOneV": combination.SumToOne, "NMF.SumToOneW": combination.SumToOne,
	"NMF.L2V": combination.Ridge, "NMF.L2W": combination.Ridge, "SNMF.L2V": combination.Ridge, "SNMF.L2W": combination.Ridge, "KL.L2V": combination.Ridge, "KL.L2W": combination.Ridge,
	"SNMF.PenaltyV": combination.Penalties, "SNMF.PenaltyW": combination.Penalties, "SNMF.SparsityV": combination.Penalties, "SNMF.SparsityW": combination.Penalties,
	"SNMF.Solver": combination.Accelerated, "SNMF.Sweeps": combination.Accelerated,
	"Hoyer.HoyerV": combination.Products, "Hoyer.HoyerW": combination.Products,
	"KL.Solver": combination.Coordinates, "KL.PenaltyV": combination.Divergence, "KL.PenaltyW": combination.Divergence,
	"GNMU.Solver": combination.ADMM, "GNMU.Rho": combination.ADMM, "GNMU.ResidualTolerance": combination.ADMM,
	"GNMU.Inner": -1, "GNMU.Sweeps": -1, "GNMU.StepOffset": -1, "GNMU.StepLength": -1,
	"GNMU.Multipliers": combination.Violated, "GNMU.ZeroMultiplier": combination.Zeros,
	"GNMU.Feasible": combination.Exact, "GNMU.FeasibleSteps": combination.Exact,
	"RNMU.Block": -1, "RNMU.Norm": combination.L1,
	"RNMU.ThresholdV": combination.Priors, "RNMU.ThresholdW": combination.Priors, "RNMU.SparsityV": combination.Priors, "RNMU.SparsityW": combination.Priors,
	"RNMU.SmoothV": combination.Priors, "RNMU.SmoothW": combination.Priors, "RNMU.ShapeV": combination.Priors, "RNMU.ShapeW": combination.Priors, "RNMU.SmoothNorm": combination.Priors,
	"Start.Init": combination.SVD, "Settings.MissingSolver": combination.PerLine, "Settings.Overwrite": combination.Overwrite, "Settings.FixedV": combination.Fixed, "Settings.FixedW": combination.Fixed, "Settings.Baseline": combination.Fixed,
	"Limits.Iterations": -1, "Start.Restarts": -1, "Settings.FullRestarts": -1, "Start.Seed": -1, "Settings.Threads": -1, "Limits.Tolerance": -1, "Limits.CheckEvery": -1,
	"Limits.TargetError": -1, "Limits.TimeLimit": -1, "Settings.Scratch": -1, "Watch.Checkpoint": -1, "Settings.Record": -1, "Watch.Progress": -1, "Watch.Iterated": -1,
}

// TestFieldsAreFeatures checks that each option of each method, and each setting, is a feature of
// package combination or says that it goes with everything.
func TestFieldsAreFeatures(t *testing.T) {
	var look func(x reflect.Type)
	look = func(x reflect.Type) {
		for i := range x.NumField() {
			f := x.Field(i)
			if f.Anonymous {
				look(f.Type)
				continue
			}
			if _, ok := featuresOf[x.Name()+"."+f.Name]; !ok {
				t.Errorf("%s.%s has no feature: add one to package combination and here, or -1 if it goes with everything", x.Name(), f.Name)
			}
		}
	}
	for _, d := range options.Methods() {
		look(reflect.TypeOf(d.Method))
	}
	look(reflect.TypeOf(lnmu.Settings{}))
}

// both returns a run that asks for two features. It is not ok if no method has both.
func both(f, g combination.Feature) (a asking, ok bool) {
	a, b := askingFor(f), askingFor(g)
	plain := reflect.TypeOf(askingFor(combination.SVD).method) // of features that go with any method
	settings := func(f combination.Feature) bool {
		return slices.Contains([]combination.Feature{combination.SVD, combination.Pure, combination.Overwrite}, f)
	}
	switch {
	case settings(f):
		a.method = b.method
	case settings(g):
	case g == combination.Improve || f == combination.Improve:
		if reflect.TypeOf(a.method) != plain || reflect.TypeOf(b.method) != plain {
			return a, false
		}
		if g == combination.Improve {
			break
		}
		a.method = b.method
	default:
		x, y := withLagrangian(a.method, b.method)
		if reflect.TypeOf(x) != reflect.TypeOf(y) {
			return a, false
		}
		to := reflect.New(reflect.TypeOf(x)).Elem()
		to.Set(reflect.ValueOf(x))
		if !merge(to, reflect.ValueOf(y)) {
			return a, false
		}
		a.method = to.Interface().(lnmu.Method)
	}
	return a, merge(reflect.ValueOf(&a.s).Elem(), reflect.ValueOf(b.s))
}

// withLagrangian returns two methods as one and the same if both keep V W <= M, or if one of them
// is an NMF whose solver or l2 penalties the other one has too.
func withLagrangian(x, y lnmu.Method) (lnmu.Method, lnmu.Method) {
	g, isG := x.(lnmu.GNMU)
	h, isH := y.(lnmu.GNMU)
	if _, ok := y.(lnmu.RNMU); ok && isG {
		x = lnmu.RNMU{GNMU: g}
	}
	if _, ok := x.(lnmu.RNMU); ok && isH {
		y = lnmu.RNMU{GNMU: h}
	}
	if m, ok := x.(lnmu.NMF); ok && m.L2V > 0 {
		switch y.(type) {
		case lnmu.SNMF:
			return lnmu.SNMF{L2V: m.L2V, L2W: m.L2W}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}
		case lnmu.KL:
			return lnmu.KL{L2V: m.L2V, L2W: m.L2W}, y
		}
	}
	accelerated := func(z lnmu.Method) (lnmu.Method, bool) {
		m, ok := z.(lnmu.NMF)
		return lnmu.SNMF{Solver: m.Solver}, ok && m.Solver == lnmu.SolverAccelerated && !m.SumToOneW
	}
	if _, ok := x.(lnmu.SNMF); ok {
		if z, is := accelerated(y); is {
			return lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, z
		}
	}
	if _, ok := y.(lnmu.SNMF); ok {
		if z, is := accelerated(x); is {
			return lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, z
		}
	}
	return x, y
}

// merge sets the fields of to that from sets to other values than zero. It returns false if both set
// a field, to different values.
func merge(to, from reflect.Value) bool {
	for i := range from.NumField() {
		x, y := from.Field(i), to.Field(i)
		switch {
		case x.IsZero():
		case x.Kind() == reflect.Struct:
			if !merge(y, x) {
				return false
			}
		case y.IsZero() || y.Kind() == reflect.String && y.String() == string(lnmu.SolverHALS): // the default
			y.Set(x)
		case x.Kind() == reflect.String && x.String() == string(lnmu.SolverHALS):
		case x.Kind() != reflect.Func && !reflect.DeepEqual(x.Interface(), y.Interface()):
			return false
		}
	}
	return true
}

// TestPairsOfFeatures runs each pair of features: what package combination excludes is refused, and of
// all other pairs neither feature is ignored.
func TestPairsOfFeatures(t *testing.T) {
	m := lnmutest.SparseData[float64](60, 40, 3)
	dense := m.Dense()
	for f := range combination.Features {
		for g := range f {
			f, g := combination.Feature(f), combination.Feature(g)
			name := combination.Features[f] + " with " + combination.Features[g]
			why, excluded := combination.ReasonOf(f, g)
			a, ok := both(f, g)
			switch {
			case conditional(f) || conditional(g):
				continue // TestCombinations runs these
			case !ok:
				if !excluded {
					t.Errorf("%s: no run has both, but the cell says yes", name)
				}
				continue
			}
			run := func(a asking) (*lnmu.Result[float64], error) {
				a.s.Iterations, a.s.Restarts = 6, 1
				as := f
				if g == combination.Improve {
					as = g
				}
				if f == combination.Zeros || g == combination.Zeros {
					return a.factor(t, as, m, a.s, 0, 60)
				}
				return a.factor(t, as, matrix.Clone(dense), a.s, 0, 60)
			}
			got, err := run(a)
			if excluded {
				if why == "one is for a dense matrix, the other one for a sparse one" {
					_, onDense := a.factor(t, f, dense, a.s, 0, 60)
					if err == nil || onDense == nil {
						t.Errorf("%s is not refused (%v, %v), though %s", name, err, onDense, why)
					}
				} else if !errors.Is(err, lnmu.ErrOption) {
					t.Errorf("%s: error %v, though %s", name, err, why)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for _, alone := range []combination.Feature{f, g} {
				if f == combination.Overwrite || f == combination.Improve {
					continue // no bit depends on the first, and the second one has another start
				}
				b := askingFor(alone)
				if reflect.TypeOf(b.method) != reflect.TypeOf(a.method) {
					continue // of another method, which leads to other factors
				}
				without, err := run(b)
				if err == nil && factors.SHA256(without.V) == factors.SHA256(got.V) && factors.SHA256(without.W) == factors.SHA256(got.W) {
					t.Errorf("%s: the factors are those of %s alone", name, combination.Features[alone])
				}
			}
		}
	}
}

// conditional reports whether a feature is a condition as well.
func conditional(f combination.Feature) bool {
	return slices.Contains([]combination.Feature{combination.Divergence, combination.Fixed, combination.Missing, combination.Weights, combination.Unstored, combination.PerLine}, f)
}

// TestUndeclaredFeatures checks that a run with a pair that package combination excludes names both
// features and the reason.
func TestUndeclaredFeatures(t *testing.T) {
	err := combination.CheckPairs([]combination.Request{{Feature: combination.L1, Words: "norm l1"}, {Feature: combination.ADMM, Words: "solver admm"}})
	if err == nil || !strings.Contains(err.Error(), "solver admm with norm l1") || !strings.Contains(err.Error(), "for the norm l2") {
		t.Errorf("error %v", err)
	}
}
