package lnmu

import (
	"fmt"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Mask marks the observed entries of a matrix. The others may hold any value, NaN included. The
// zero value is the mask of an empty matrix; NewMask and MaskOf return other masks. A mask
// takes an eighth of a byte for each entry.
type Mask struct{ bits kernel.Bits }

// NewMask returns the mask of a rows x cols matrix of which all entries are observed.
// It panics if rows or cols is negative, or if their product overflows.
func NewMask(rows, cols int) *Mask {
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/cols {
		panic(fmt.Sprintf("lnmu: no mask of %d x %d", rows, cols))
	}
	return &Mask{observed.Full(rows, cols)}
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
	k.bits.Set(i, j, observed)
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

// Missing returns the number of entries that are not observed, in O(m n / 8) steps; 0 for nil.
func (k *Mask) Missing() (missing int) {
	for i := 0; k != nil && i < k.bits.Rows; i++ {
		missing += k.bits.Cols - matrix.CountRow(k.bits, i)
	}
	return missing
}
