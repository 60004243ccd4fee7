// Package subject lists the measured methods, with their iterations and cost models, and the
// measured matrices.
package subject

import (
	"fmt"

	"nmu/bench/internal/machine"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// Method is a factorization method that is measured.
type Method struct {
	lnmu.Method
	Name  string // as on the command line
	Title string // as in a text

	// Streams reports whether the bandwidth bounds an iteration. Otherwise the rate of
	// multiply-adds does.
	Streams bool

	few, some int // iterations on large problems, and on small ones
}

// StepsPerUpdate is T, the HALS steps per iteration of G-NMU and R-NMU.
const StepsPerUpdate = 2

// Names of the methods.
const (
	NMF  = "nmf"
	GNMU = "gnmu"
	RNMU = "rnmu"
)

// Methods are the methods, in the order of the report.
var Methods = []Method{
	{Method: lnmu.NMF{}, Name: NMF, Title: "NMF", few: 20, some: 100},
	{Method: lnmu.GNMU{Lagrangian: lagrangian}, Name: GNMU, Title: "G-NMU", few: 10, some: 50},
	{Method: lnmu.RNMU{Lagrangian: lagrangian}, Name: RNMU, Title: "R-NMU", Streams: true, few: 5, some: 20},
}

var lagrangian = lnmu.Lagrangian{StepsPerUpdate: StepsPerUpdate}

// MethodByName returns the method of that name. The error wraps machine.ErrOption.
func MethodByName(name string) (Method, error) {
	var names []string
	for _, m := range Methods {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("%w: no method %q; there are %v", machine.ErrOption, name, names)
}

// Recursive reports whether the method computes one factor after the other, so that an
// iteration belongs to a single factor.
func (m Method) Recursive() bool { return m.Describe().Recursive }

// Underapproximates reports whether the method keeps multipliers beside M.
func (m Method) Underapproximates() bool { return m.Describe().Underapproximates }

// Paper returns the number of iterations in section 4.3 of the paper.
func (m Method) Paper() int { return m.Describe().Iterations }

// FewIterations returns the number of iterations on a large problem.
func (m Method) FewIterations() int { return m.few }

// SomeIterations returns the number of iterations on a small problem.
func (m Method) SomeIterations() int { return m.some }

// IterationText writes a number of iterations.
func (m Method) IterationText(iterations int) string {
	if m.Recursive() {
		return fmt.Sprintf("%d iterations of each factor", iterations)
	}
	return fmt.Sprintf("%d iterations", iterations)
}

// Steps returns the HALS steps per iteration.
func (m Method) Steps() int {
	if m.Underapproximates() {
		return StepsPerUpdate
	}
	return 1
}

// Model returns the model of the time of a factorization.
func (m Method) Model(rows, cols, rank int) (scaling.Method, error) {
	return scaling.Of(m.Method, rows, cols, rank)
}

// Cost returns the work of one iteration, or zero if the sizes are not valid for the method.
func (m Method) Cost(rows, cols, rank int, t machine.Type) scaling.Cost {
	model, err := m.Model(rows, cols, rank)
	if err != nil {
		return scaling.Cost{}
	}
	return model.Cost(scaling.Problem{Rows: rows, Cols: cols, Size: t.Size()})
}
