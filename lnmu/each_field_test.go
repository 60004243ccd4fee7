package lnmu_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/internal/run"
)

// TestEachField checks the options of methods in the identity of a state: each once, by a
// name of its own and with a value that is printed alike in every process; no functions.
func TestEachField(t *testing.T) {
	list := func(m lnmu.Method) (lines, names []string) {
		run.EachField(m, func(name string, value reflect.Value) {
			switch value.Kind() {
			case reflect.String, reflect.Bool, reflect.Int, reflect.Float64:
			default:
				t.Errorf("%T: field %s is of kind %s, which may have no text of its own", m, name, value.Kind())
			}
			if slices.Contains(names, name) {
				t.Errorf("%T: two fields have the name %s", m, name)
			}
			lines, names = append(lines, fmt.Sprintf("%s %v", name, value)), append(names, name)
		})
		return lines, names
	}
	for _, d := range lnmu.Methods() {
		list(d.Method)
	}
	m := lnmu.RNMU{
		Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, StepsPerUpdate: 3, Rho: 0.5, Feasible: lnmu.FeasibleEach, StepLength: func(int) float64 { return 1 }},
		Block:      2, Norm: lnmu.L1,
		Priors: lnmu.Priors{SparsityW: 0.25, SmoothV: 1e-7, ShapeV: lnmu.Shape{3, 4}},
	}
	got, _ := list(m)
	want := []string{
		"Solver admm", "StepsPerUpdate 3", "Sweeps 0", "Rho 0.5", "ResidualTolerance 0", "Multipliers ", "StepOffset 0", "Feasible each", "ExactSteps 0",
		"Block 2", "Norm l1",
		"PenaltyV 0", "PenaltyW 0", "SparsityV 0", "SparsityW 0.25", "SmoothV 1e-07", "SmoothW 0", "ShapeV.Height 3", "ShapeV.Width 4", "ShapeW.Height 0", "ShapeW.Width 0", "SmoothNorm ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the options of %T are\n%q, want\n%q", m, got, want)
	}
}
