package input

import (
	"math"
	"slices"

	"nmu/internal/matio/internal/element"
)

// Meaning says what numbers of a matrix stand for.
type Meaning struct {
	Codes    []float64 // of missing entries, which become NaN
	Negative Negative
}

// Negative says what negative entries are. "" leaves them as they are.
type Negative string

// The values of Negative except "".
const (
	NegativeClip    Negative = "clip"    // zero
	NegativeMissing Negative = "missing" // missing entries
)

// Any reports whether a number may stand for something else.
func (m *Meaning) Any() bool { return len(m.Codes) > 0 || m.Negative != "" }

// code returns the index of the code that x is, also as float32, or -1.
func code(codes []float64, x float64) int {
	return slices.IndexFunc(codes, func(c float64) bool { return x == c || x == float64(float32(c)) })
}

// IsCode reports whether x is the code of a missing entry.
func (m *Meaning) IsCode(x float64) bool { return code(m.Codes, x) >= 0 }

// negative reports whether x is a finite number below 0.
func negative(x float64) bool { return x < 0 && !math.IsInf(x, 0) }

// Of returns what x stands for.
func (m *Meaning) Of(x float64) float64 {
	switch {
	case m.IsCode(x), m.Negative == NegativeMissing && negative(x):
		return math.NaN()
	case m.Negative == NegativeClip && negative(x):
		return 0
	}
	return x
}

// Replace replaces numbers by what they stand for.
func Replace[T element.Float](m *Meaning, x []T) {
	if !m.Any() {
		return
	}
	for i, y := range x {
		x[i] = T(m.Of(float64(y)))
	}
}

// Tally counts the numbers of a matrix that may stand for something else.
type Tally struct {
	Codes    []float64
	Found    []int64 // the numbers that are each code
	Negative int64   // the other finite numbers below 0
	Least    float64 // of these, or 0
	Largest  float64 // of all finite numbers, or 0
}

// Add adds a number.
func (t *Tally) Add(x float64) {
	if k := code(t.Codes, x); k >= 0 {
		if t.Found == nil {
			t.Found = make([]int64, len(t.Codes))
		}
		t.Found[k]++
		return
	}
	if negative(x) {
		t.Negative++
		t.Least = min(t.Least, x)
	}
	if x > t.Largest && !math.IsInf(x, 0) {
		t.Largest = x
	}
}

// Of returns how many numbers are code k.
func (t *Tally) Of(k int) int64 {
	if t.Found == nil {
		return 0
	}
	return t.Found[k]
}
