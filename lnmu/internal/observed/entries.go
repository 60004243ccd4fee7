package observed

import (
	"fmt"
	"io"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Entries are the entries that count of M, or of the part of it that a process has. The zero
// value stands for all of them, with equal weights.
type Entries struct {
	Mask    kernel.Bits         // the observed entries; without Data all are observed
	Weights matrix.Any[float64] // of the matrix, or of the part of it that a process has; nil: equal ones

	Least, Largest float64 // positive weights of observed entries of M; set by Settle. Without Weights, the one that all have
	Missing        int     // entries of M; set by Settle
}

// Incomplete reports whether entries are missing or have weights.
func (e Entries) Incomplete() bool { return e.Mask.Data != nil || e.Weights != nil }

// noWeights are the weights of a part without entries.
type noWeights struct{ rows, cols int }

func (w noWeights) Dims() (rows, cols int) { return w.rows, w.cols }
func (w noWeights) At(i, j int) float64    { panic("observed: a weight of no entry") }

// facts are a summary of the entries of some processes.
type facts struct {
	least, largest    float64 // positive weights of observed entries
	missing           int
	weighted, uniform bool // a process has weights, or has entries but no weights
}

// Settle returns the entries that count, given those of the rows x cols part p of a process.
// An entry of weight 0 is missing. If no process misses an entry, there is no mask, and if
// all weights are equal, there are none. All processes of the group call it. If one of them
// has an error, all have one.
func (e Entries) Settle(c group.Comm, p core.Part, rows, cols int) (Entries, error) {
	e, own, err := e.look(p.Window(rows, cols), rows, cols)
	if err := group.Agree(c, err); err != nil {
		return e, err
	}
	all := facts{least: math.Inf(1)}
	group.Ring(c, group.Bytes(&all), func() {
		all = facts{min(all.least, own.least), max(all.largest, own.largest), all.missing + own.missing, all.weighted || own.weighted, all.uniform || own.uniform}
	})
	switch {
	case all.weighted && all.uniform:
		return e, fmt.Errorf("%w: some processes have weights, and others have none; give all of them weights", fault.ErrOption)
	case all.least >= all.largest:
		e.Weights = nil
	case e.Weights == nil:
		e.Weights = noWeights{rows, cols}
	}
	switch e.Least, e.Largest, e.Missing = all.least, all.largest, all.missing; {
	case all.missing == 0:
		e.Mask = kernel.Bits{}
	case e.Mask.Data == nil:
		e.Mask = Full(rows, cols)
	}
	return e, nil
}

// Full returns a mask with all entries observed.
func Full(rows, cols int) kernel.Bits {
	b := kernel.NewBits(rows, cols)
	for i := range b.Data {
		b.Data[i] = 0xff
	}
	return b
}

// copyOf returns a copy of the bits of a rows x cols matrix.
func copyOf(b kernel.Bits, rows, cols int) kernel.Bits {
	x := Full(rows, cols)
	for i := 0; i < rows && b.Data != nil; i++ {
		copy(bytesOf(x, i), bytesOf(b, i))
	}
	return x
}

// Check returns an error unless the mask and the weights are those of a rows x cols matrix.
func (e Entries) Check(rows, cols int) error {
	if e.Mask.Data != nil && (e.Mask.Rows != rows || e.Mask.Cols != cols) {
		return fmt.Errorf("%w: the mask is %d x %d and M is %d x %d; they must be the same", fault.ErrShape, e.Mask.Rows, e.Mask.Cols, rows, cols)
	}
	if e.Weights != nil {
		if m, n := e.Weights.Dims(); m != rows || n != cols {
			return fmt.Errorf("%w: the weights are %d x %d and M is %d x %d; they must be the same", fault.ErrShape, m, n, rows, cols)
		}
	}
	return nil
}

// look returns the entries with those of weight 0 in the mask, and the facts about them.
func (e Entries) look(w core.Window, rows, cols int) (Entries, facts, error) {
	f := facts{least: math.Inf(1), weighted: e.Weights != nil, uniform: e.Weights == nil && rows > 0 && cols > 0}
	if err := e.Check(rows, cols); err != nil {
		return e, f, err
	}
	if e.Weights == nil && e.Largest > 0 {
		f.least, f.largest = e.Largest, e.Largest
	}
	if e.Weights != nil {
		copied := false // the mask of the caller stays as it is
		for i := range rows {
			for j := range cols {
				if e.Mask.Data != nil && !e.Mask.At(i, j) {
					continue
				}
				x := e.Weights.At(i, j)
				switch {
				case !(x >= 0) || math.IsInf(x, 0):
					return e, f, &fault.ValueError{Matrix: "the weights", Row: w.Rows.From + i, Col: w.Cols.From + j, Value: x}
				case x > 0:
					f.least, f.largest = min(f.least, x), max(f.largest, x)
					continue
				case !copied:
					e.Mask, copied = copyOf(e.Mask, rows, cols), true
				}
				e.Mask.Set(i, j, false)
			}
		}
	}
	for i := 0; i < rows && e.Mask.Data != nil; i++ {
		f.missing += cols - matrix.CountRow(e.Mask, i)
	}
	return e, f, nil
}

// CheckLines returns an error in all processes for the first row, or the first column, of M
// without an observed entry. M does not determine the factors there.
func (e Entries) CheckLines(c group.Comm, p core.Part) error {
	if e.Mask.Data == nil {
		return nil
	}
	found := make([]bool, e.Mask.Rows)
	for i := range found {
		found[i] = matrix.CountRow(e.Mask, i) > 0
	}
	if err := p.CheckObserved(c, false, found, !p.Columns); err != nil {
		return err
	}
	return e.CheckColumns(c, p)
}

// CheckColumns is CheckLines for the columns alone.
func (e Entries) CheckColumns(c group.Comm, p core.Part) error {
	if e.Mask.Data == nil {
		return nil
	}
	one := kernel.NewBits(1, e.Mask.Cols) // in any row
	for i := range e.Mask.Rows {
		for at, x := range bytesOf(e.Mask, i) {
			one.Data[at] |= x
		}
	}
	found := make([]bool, e.Mask.Cols)
	for j := range found {
		found[j] = one.At(0, j)
	}
	return p.CheckObserved(c, true, found, p.Columns)
}

// Sums returns in all processes the SHA-256 of the mask and of the weights of M as a whole,
// row by row, or "" for none.
func (e Entries) Sums(c group.Comm, p core.Part) (seen, weights string) {
	sum := func(rows int, write func(i int, to io.Writer)) string {
		turns, each := 1, rows
		if p.Columns { // every process has a piece of each row
			turns, each = rows, 1
		}
		return codec.Sum(c, turns, func(turn int, to io.Writer) {
			for i := range each {
				write(turn+i, to)
			}
		})
	}
	if b := e.Mask; b.Data != nil {
		seen = sum(b.Rows, func(i int, to io.Writer) { _, _ = to.Write(bytesOf(b, i)) })
	}
	if e.Weights != nil {
		rows, cols := e.Weights.Dims()
		row, buf := make([]float64, cols), []byte(nil)
		weights = sum(rows, func(i int, to io.Writer) {
			for j := range row {
				row[j] = e.Weights.At(i, j)
			}
			buf = codec.AppendFloats(buf[:0], row)
			_, _ = to.Write(buf)
		})
	}
	return seen, weights
}

// bytesOf returns the bytes of row i.
func bytesOf(b kernel.Bits, i int) []byte { return b.Data[i*b.Stride:][:(b.Cols+7)/8] }

// ExpectedQ returns the expectation of Q at so many observed entries of an m x n matrix: their number without
// that of the numbers in V and W, but for the scale of each factor. It is 0 if V and W have more.
func ExpectedQ(observed, rank, m, n int) float64 {
	return math.Max(0, float64(observed)-float64(float64(rank)*float64(m+n-1)))
}
