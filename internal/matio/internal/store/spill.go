package store

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/temp"
)

// spilled stores numbers in a temporary file.
type spilled struct {
	f     *input.File
	file  *os.File
	w     *bufio.Writer
	named bool  // the file still has its name
	n     int64 // of the numbers
	cols  int   // of a table
	drop  Drop  // left out of the table
	means []float64
}

// spillChunk is how many numbers are added between two checks of the context.
const spillChunk = 1 << 14

// newSpilled creates a temporary file.
func newSpilled(f *input.File) (*spilled, error) {
	file, named, err := temp.Create(f.Spill.Folder)
	if err != nil {
		return nil, err
	}
	s := &spilled{f: f, file: file, named: named, w: bufio.NewWriterSize(file, 8*spillChunk)}
	f.AtClose(s.remove)
	return s, nil
}

func (s *spilled) remove() error { return temp.Remove(s.file, s.named) }

func (s *spilled) Add(_ *input.File, x float64) error {
	if s.n++; s.n%spillChunk == 0 {
		if err := s.f.Spill.Context.Err(); err != nil {
			return err
		}
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
	_, err := s.w.Write(b[:])
	return err
}

func (s *spilled) Dense() input.Dense { return s }

func (s *spilled) ReplaceNaN(means []float64) { s.means = means }

func (s *spilled) Without(rows, cols int, drop Drop) (int, int) {
	s.cols, s.drop = cols, drop
	return drop.left(rows, cols)
}

func (s *spilled) Verify() error { return s.w.Flush() }

func (s *spilled) Each(do func(x float64)) error {
	if err := s.Verify(); err != nil {
		return err
	}
	r := s.from(0)
	var buf [input.Chunk]float64
	for left := s.n; left > 0; {
		x := buf[:min(input.Chunk, left)]
		if err := r.Next(x); err != nil {
			return err
		}
		if err := s.f.Spill.Context.Err(); err != nil {
			return err
		}
		for _, x := range x {
			do(x)
		}
		left -= int64(len(x))
	}
	return nil
}

// from reads the stored numbers from index first on.
func (s *spilled) from(first int64) *input.Numbers {
	size := int64(8)
	return &input.Numbers{File: s.f, Type: element.Type{Kind: 'f', Size: 8}, Source: io.NewSectionReader(s.file, first*size, (s.n-first)*size), Offset: first * size}
}

// Open starts delivering the numbers, of a table without the dropped rows and columns.
func (s *spilled) Open() (input.Source, error) {
	if s.cols == 0 {
		return s.from(0), nil
	}
	at, j := int64(0), 0 // the next number, and its column
	if s.drop.First {
		at = int64(s.cols)
	}
	r, buf := s.from(at), make([]float64, input.Chunk)
	return &input.Pieces{Load: func() ([]float64, error) {
		read := buf[:min(input.Chunk, s.n-at)]
		if err := r.Next(read); err != nil {
			return nil, err
		}
		at += int64(len(read))
		kept := read[:0]
		for _, x := range read {
			if s.means != nil && math.IsNaN(x) {
				x = s.means[j]
			}
			if !s.drop.Cols[j] {
				kept = append(kept, x)
			}
			if j++; j == s.cols {
				j = 0
			}
		}
		return kept, nil
	}}, nil
}

// Mirror is Values.Mirror for a lower triangle in a temporary file.
func (low *spilled) Mirror(f *input.File) (input.Dense, error) {
	if err := low.Verify(); err != nil {
		return nil, err
	}
	full, err := newSpilled(f)
	if err != nil || f.Rows == 0 {
		return full, err
	}
	n := int64(f.Rows)
	at := func(i, j int64) int64 { return j*n - j*(j-1)/2 + i - j } // of i, j in low, i >= j
	// The columns j0 to j1-1 are made together, from pieces of the columns 0 to j1-1.
	keep := f.Scratch()
	defer keep(0)
	width := max(1, min(n, f.Left()/4/(8*n)))
	band, err := input.Alloc[float64](f, width*n)
	if err != nil {
		return nil, err
	}
	r := low.from(0)
	read := func(dst []float64, i, j int64) error {
		r.Source = io.NewSectionReader(low.file, 8*at(i, j), 8*int64(len(dst)))
		return r.Next(dst)
	}
	piece, err := input.Alloc[float64](f, width)
	if err != nil {
		return nil, err
	}
	for j0 := int64(0); j0 < n; j0 += width {
		j1 := min(j0+width, n)
		for j := range j1 {
			first := max(j, j0)
			p := piece[:j1-first] // entries first to j1-1 of column j, which are of row j
			if err := read(p, first, j); err != nil {
				return nil, err
			}
			for k, x := range p {
				band[(first+int64(k)-j0)*n+j] = x
			}
			if j >= j0 {
				if err := read(band[(j-j0)*n+j:(j-j0+1)*n], j, j); err != nil {
					return nil, err
				}
			}
		}
		for _, x := range band[:(j1-j0)*n] {
			if err := full.Add(f, x); err != nil {
				return nil, err
			}
		}
	}
	return full, nil
}
