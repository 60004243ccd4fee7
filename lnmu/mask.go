package lnmu

import (
	"fmt"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
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

// checkMissing replaces what Settings say of missing entries and weights of the rows x cols
// part p of M by the entries that count, as observed.Entries has them, and returns these. All
// processes call it, and if one of them has an error, all have one.
func (s *Settings) checkMissing(c group.Comm, p core.Part, rows, cols int) (observed.Entries, error) {
	e, err := s.entries().Settle(c, p, rows, cols)
	if err == nil {
		err = e.CheckLines(c, p)
	}
	if err != nil {
		return e, err
	}
	s.Observed, s.Weights = nil, e.Weights
	if e.Seen.Data != nil {
		s.Observed = &Mask{e.Seen}
	}
	return e, nil
}

// checkMissingSolver checks and fills in the solver for what is missing.
func (s *Settings) checkMissingSolver() error {
	switch {
	case s.MissingSolver != "":
		return known("solver for missing entries", s.MissingSolver, missingSolvers)
	case s.incomplete():
		s.MissingSolver = MissingMajorize
	}
	return nil
}

// entries are what Settings say of missing entries and weights.
func (s *Settings) entries() observed.Entries {
	var e observed.Entries
	if s.Observed != nil {
		e.Seen = s.Observed.bits
		if e.Seen.Data == nil { // that of no entry at all
			e.Seen.Data = []byte{}
		}
	}
	if s.Weights != nil {
		e.Weights = s.Weights
	}
	return e
}

// incomplete reports whether entries are missing, or have weights, after checkMissing.
func (s *Settings) incomplete() bool {
	return s.Observed != nil || s.Weights != nil || s.SparseMissing
}

// completed is a method with other defaults for a matrix that is not complete.
type completed interface{ forIncomplete() Method }
