package lnmu

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/matrix"
)

// Mask says which entries of a matrix are observed. What the others hold, be it NaN,
// has no influence on anything. The zero value is the mask of no entry at all; make
// one with NewMask or MaskOf. It takes an eighth of a byte for each entry.
type Mask struct{ bits kernel.Bits }

// NewMask returns the mask of a rows x cols matrix of which all entries are observed.
// It panics if rows or cols is negative, or if their product overflows.
func NewMask(rows, cols int) *Mask {
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/cols {
		panic(fmt.Sprintf("lnmu: no mask of %d x %d", rows, cols))
	}
	k := &Mask{kernel.NewBits(rows, cols)}
	for i := range k.bits.Data {
		k.bits.Data[i] = 0xff
	}
	return k
}

// MaskOf returns the mask of the entries of m that are not NaN, nil if all are.
func MaskOf[T Float](m Matrix[T]) *Mask {
	rows, cols := m.Dims()
	k := NewMask(rows, cols)
	found := false
	for i := range rows {
		for j := range cols {
			if x := m.At(i, j); x != x {
				k.Set(i, j, false)
				found = true
			}
		}
	}
	if !found {
		return nil
	}
	return k
}

// Dims returns the number of rows and columns.
func (k *Mask) Dims() (rows, cols int) { return k.bits.Rows, k.bits.Cols }

// Observed reports whether entry (i, j) is observed. It panics if there is no such
// entry.
func (k *Mask) Observed(i, j int) bool {
	k.check(i, j)
	return k.bits.At(i, j)
}

// Set says whether entry (i, j) is observed. It panics if there is no such entry.
func (k *Mask) Set(i, j int, observed bool) {
	k.check(i, j)
	at, bit := i*k.bits.Stride+j/8, byte(1)<<(j%8)
	if observed {
		k.bits.Data[at] |= bit
	} else {
		k.bits.Data[at] &^= bit
	}
}

// And returns the mask of the entries that both masks observe. Nil observes all. It
// panics if the masks are of different shapes.
func (k *Mask) And(other *Mask) *Mask {
	switch {
	case k == nil:
		return other
	case other == nil:
		return k
	case k.bits.Rows != other.bits.Rows || k.bits.Cols != other.bits.Cols:
		panic(fmt.Sprintf("lnmu: a %d x %d mask and a %d x %d mask", k.bits.Rows, k.bits.Cols, other.bits.Rows, other.bits.Cols))
	}
	both := NewMask(k.Dims())
	for i := range both.bits.Data {
		both.bits.Data[i] = k.bits.Data[i] & other.bits.Data[i]
	}
	return both
}

// sum tells masks apart.
func (k *Mask) sum() string {
	sum := sha256.Sum256(k.bits.Data)
	return hex.EncodeToString(sum[:])
}

// check panics unless there is an entry (i, j).
func (k *Mask) check(i, j int) {
	if uint(i) >= uint(k.bits.Rows) || uint(j) >= uint(k.bits.Cols) {
		panic(fmt.Sprintf("lnmu: no entry (%d, %d) in a %d x %d mask", i, j, k.bits.Rows, k.bits.Cols))
	}
}

// Missing returns the number of entries that are not observed, in O(m n / 8) steps.
func (k *Mask) Missing() int {
	missing := 0
	for i := range k.bits.Rows {
		missing += k.bits.Cols - matrix.CountRow(k.bits, i)
	}
	return missing
}

// MissingSolver is how missing entries and weights enter a HALS step.
type MissingSolver string

const (
	// MissingMajorize lets a missing entry take its value of V W before every step:
	// a step costs one product more than that of a complete matrix, whatever is
	// missing. The error on the observed entries falls in each step as it does
	// without missing entries, but by less, the more there are.
	MissingMajorize MissingSolver = "majorize"

	// MissingExact minimises over the observed entries themselves, which takes an
	// r x r Gram matrix for each row and each column: O(r) times as much work for
	// every missing entry (or observed one, if these are fewer), and as few steps as
	// a complete matrix takes.
	MissingExact MissingSolver = "exact"
)

var missingSolvers = []MissingSolver{MissingMajorize, MissingExact}

// checkMissing checks what Settings say of missing entries and weights of an m x n
// matrix. A mask of all entries goes, as do weights that are all equal; weights of
// which the positive ones are equal become a mask.
func (s *Settings) checkMissing(m, n int) error {
	if s.MissingSolver != "" {
		if err := known("solver for missing entries", s.MissingSolver, missingSolvers); err != nil {
			return err
		}
	}
	if err := s.checkObserved(m, n); err != nil {
		return err
	}
	if s.incomplete() && s.MissingSolver == "" {
		s.MissingSolver = MissingMajorize
	}
	if s.Observed == nil {
		return nil
	}
	return s.Observed.checkLines()
}

// incomplete reports whether entries are missing, or have weights, after checkObserved.
func (s *Settings) incomplete() bool {
	return s.Observed != nil || s.Weights != nil || s.SparseMissing
}

// completed is a method with other defaults for a matrix that is not complete.
type completed interface{ forIncomplete() Method }

// checkObserved checks the mask and the weights of an m x n matrix, and takes out what
// says nothing.
func (s *Settings) checkObserved(m, n int) error {
	if s.Observed != nil {
		if rows, cols := s.Observed.Dims(); rows != m || cols != n {
			return fmt.Errorf("%w: the mask is %d x %d and M is %d x %d; they must be the same", ErrShape, rows, cols, m, n)
		}
	}
	if s.Weights != nil {
		if err := s.checkWeights(m, n); err != nil {
			return err
		}
	}
	if s.Observed != nil && s.Observed.Missing() == 0 {
		s.Observed = nil
	}
	return nil
}

// checkWeights takes out weights that are all equal, and those of 0 into the mask.
func (s *Settings) checkWeights(m, n int) error {
	rows, cols := s.Weights.Dims()
	if rows != m || cols != n {
		return fmt.Errorf("%w: the weights are %d x %d and M is %d x %d; they must be the same", ErrShape, rows, cols, m, n)
	}
	least, most := math.Inf(1), 0.0
	k := NewMask(m, n)
	for i := range m {
		for j := range n {
			if s.Observed != nil && !s.Observed.Observed(i, j) {
				k.Set(i, j, false)
				continue
			}
			x := s.Weights.At(i, j)
			if !(x >= 0) || math.IsInf(x, 0) {
				return &core.ValueError{Matrix: "the weights", Row: i, Col: j, Value: x}
			}
			if x > 0 {
				least, most = min(least, x), max(most, x)
			} else {
				k.Set(i, j, false)
			}
		}
	}
	s.Observed = k
	if least >= most {
		s.Weights = nil
	}
	return nil
}

// checkLines returns an error for the first row or column without an observed entry:
// nothing says what its factors should be.
func (k *Mask) checkLines() error {
	for i := range k.bits.Rows {
		if matrix.CountRow(k.bits, i) == 0 {
			return core.Unobserved("row", i)
		}
	}
	return k.checkColumns()
}

// checkColumns returns an error for the first column without an observed entry.
func (k *Mask) checkColumns() error {
	seen := make([]byte, k.bits.Stride)
	for i := range k.bits.Rows {
		for b, x := range k.bits.Data[i*k.bits.Stride:][:k.bits.Stride] {
			seen[b] |= x
		}
	}
	for j := range k.bits.Cols {
		if seen[j/8]&(1<<(j%8)) == 0 {
			return core.Unobserved("column", j)
		}
	}
	return nil
}

// of returns the bits of a mask, none for that of all entries.
func (k *Mask) of() kernel.Bits {
	if k == nil {
		return kernel.Bits{}
	}
	return k.bits
}

// weights returns the weights for a dense matrix, nil for equal ones.
func (s *Settings) weights() dense.Weights {
	if s.Weights == nil {
		return nil
	}
	return s.Weights
}
