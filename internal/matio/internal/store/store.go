// Package store holds the numbers of a text file, in memory or in a temporary file.
package store

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"
	"runtime/debug"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/temp"
)

// Elements stores the numbers of a text file while Open reads them, and is then an input.Dense. In memory they are
// in blocks. All blocks but the last are full, so that they grow without a copy.
type Elements struct {
	f      *input.File
	blocks [][]float64
	n      int64 // of the numbers

	file  *os.File // with File.Spill, else nil
	named bool     // the file still has its name
	w     *bufio.Writer
	raw   []byte // of the numbers that are read

	cols  int // of a table, of which some numbers are dropped or replaced; else 0
	drop  Drop
	means []float64
}

// Sizes of the blocks in elements.
const (
	firstBlock = 1 << 8
	mostBlock  = 1 << 17
	smaller    = 9 // blocks that are smaller than mostBlock: each is twice as large as the one before
)

// double is the type of the numbers in the temporary file.
var double = element.Type{Kind: 'f', Size: 8}

// New returns a store in memory, or in a temporary file with f.Spill. The file is removed when f is closed.
func New(f *input.File) (*Elements, error) {
	e := &Elements{f: f}
	if f.Spill == nil {
		return e, nil
	}
	var err error
	if e.file, e.named, err = temp.Create(f.Spill.Folder); err != nil {
		return nil, err
	}
	e.w, e.raw = bufio.NewWriterSize(e.file, 1<<17), make([]byte, 8*input.Chunk)
	f.AtClose(func() error { return temp.Remove(e.file, e.named) })
	return e, nil
}

// InMemory says whether the elements are in memory.
func (e *Elements) InMemory() bool { return e.file == nil }

// Add adds an element.
func (e *Elements) Add(x float64) error {
	e.n++
	if e.file != nil {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		_, err := e.w.Write(b[:])
		return err
	}
	last := len(e.blocks) - 1
	if last < 0 || len(e.blocks[last]) == cap(e.blocks[last]) {
		n, twice := firstBlock, 0
		if last >= 0 {
			n = min(2*cap(e.blocks[last]), mostBlock)
		}
		if k := len(e.blocks) - smaller; 0 < k && k <= 4 {
			twice = mostBlock // in Joined, until the collector has freed it
		}
		b, err := input.Alloc[float64](e.f, int64(n))
		if err == nil {
			err = e.f.Reserve(element.SizeOf[float64](int64(twice)), input.Reading)
		}
		if err != nil {
			return err
		}
		e.blocks = append(e.blocks, b[:0])
		last++
	}
	e.blocks[last] = append(e.blocks[last], x)
	return nil
}

// read reads stored elements from the given one on.
func (e *Elements) read(dst []float64, first int64) error {
	if e.file == nil {
		for _, b := range e.blocks {
			skip := min(first, int64(len(b)))
			dst, first = dst[copy(dst, b[skip:]):], first-skip
		}
		return nil
	}
	if err := e.w.Flush(); err != nil {
		return err
	}
	for len(dst) > 0 {
		n := min(len(dst), input.Chunk)
		if k, err := e.file.ReadAt(e.raw[:8*n], 8*first); k < 8*n {
			return e.f.ReadError(8*first+int64(k), err)
		}
		double.Floats(dst[:n], e.raw)
		dst, first = dst[n:], first+int64(n)
	}
	return nil
}

// Each calls do for each stored element.
func (e *Elements) Each(do func(x float64)) error {
	buf := make([]float64, min(input.Chunk, e.n))
	for at := int64(0); at < e.n; at += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), e.n-at)]
		if err := e.f.Ended(); err != nil {
			return err
		}
		if err := e.read(buf, at); err != nil {
			return err
		}
		for _, x := range buf {
			do(x)
		}
	}
	return nil
}

// ReplaceNaN replaces each NaN by the mean of its column.
func (e *Elements) ReplaceNaN(means []float64) { e.cols, e.means = len(means), means }

// Drop says which rows and columns a matrix loses.
type Drop struct {
	First bool // the first row
	Cols  []bool
}

// Without drops rows and columns of a rows x cols matrix, and returns how many are left.
func (e *Elements) Without(rows, cols int, drop Drop) (int, int) {
	kept, left := rows, cols
	if drop.First {
		kept--
	}
	for _, gone := range drop.Cols {
		if gone {
			left--
		}
	}
	if kept < rows || left < cols {
		e.cols, e.drop = cols, drop
	}
	return kept, left
}

// kept appends to those elements x that are not dropped. The first of x is element at.
func (e *Elements) kept(to, x []float64, at int64) []float64 {
	if e.cols == 0 {
		return append(to, x...)
	}
	first := e.drop.First && at < int64(e.cols)
	j := int(at % int64(e.cols))
	for _, v := range x {
		if e.means != nil && v != v {
			v = e.means[j]
		}
		if !first && (e.drop.Cols == nil || !e.drop.Cols[j]) {
			to = append(to, v)
		}
		if j++; j == e.cols {
			j, first = 0, false
		}
	}
	return to
}

// Open implements input.Dense. It delivers the elements that are not dropped.
func (e *Elements) Open() (input.Source, error) {
	at, buf := int64(0), make([]float64, min(input.Chunk, e.n))
	return &input.Pieces{Load: func() ([]float64, error) {
		first, stored := at, buf[:min(int64(len(buf)), e.n-at)]
		if len(stored) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		at += int64(len(stored))
		err := e.read(stored, first)
		return e.kept(stored[:0], stored, first), err
	}}, nil
}

// Joined returns the elements of a store in memory that are not dropped as one slice, and keeps nothing else. Memory
// holds at most a few percent of the elements twice.
func (e *Elements) Joined() ([]float64, error) {
	if e.cols == 0 && len(e.blocks) == 1 {
		return e.blocks[0], nil
	}
	held := e.f.Used
	for _, b := range e.blocks {
		e.f.Used -= element.SizeOf[float64](int64(cap(b)))
	}
	one, err := input.Alloc[float64](e.f, e.n)
	if err != nil {
		e.f.Used = held
		return nil, err
	}
	one = one[:0]
	const parts = 32
	at := int64(0)
	for i, freed := 0, int(e.n); i < len(e.blocks); i++ { // what reading has left goes with the first block
		n := len(e.blocks[i])
		one = e.kept(one, e.blocks[i], at)
		at, freed = at+int64(n), freed+n
		if e.blocks[i] = nil; freed >= max(int(e.n)/parts, mostBlock) {
			debug.FreeOSMemory()
			freed = 0
		}
	}
	e.blocks, e.n, e.cols, e.means = [][]float64{one}, int64(len(one)), 0, nil
	return one, nil
}

// Mirror returns the symmetric matrix of f, column by column. The stored elements are its lower triangle.
func (e *Elements) Mirror() (*Elements, error) {
	full, err := New(e.f)
	if err != nil || e.f.Rows == 0 {
		return full, err
	}
	n := int64(e.f.Rows)
	stored := func(i, j int64) int64 { return j*n - j*(j-1)/2 + i - j } // where i, j is, i >= j
	// The columns j0 to j1-1 are made together, from pieces of the columns 0 to j1-1.
	const most = 1 << 22 // elements
	width := max(1, min(n, most/n, e.f.Left()/4/(8*n)))
	band, err := input.Alloc[float64](e.f, width*(n+1))
	if err != nil {
		return nil, err
	}
	defer func() { e.f.Used -= element.SizeOf[float64](width * (n + 1)) }()
	band, piece := band[:width*n], band[width*n:]
	for j0 := int64(0); j0 < n; j0 += width {
		j1 := min(j0+width, n)
		for j := range j1 {
			first := max(j, j0)
			p := piece[:j1-first] // entries first to j1-1 of column j, which are of row j
			if err := e.read(p, stored(first, j)); err != nil {
				return nil, err
			}
			for k, x := range p {
				band[(first+int64(k)-j0)*n+j] = x
			}
			if j >= j0 {
				if err := e.read(band[(j-j0)*n+j:(j-j0+1)*n], stored(j, j)); err != nil {
					return nil, err
				}
			}
		}
		for _, x := range band[:(j1-j0)*n] {
			if err := full.Add(x); err != nil {
				return nil, err
			}
		}
	}
	return full, nil
}
