package matio

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
)

// Spill is where numbers go that need not fit in memory: temporary files, which are gone
// when the File is closed. With it a table keeps no names of its rows, and a sparse
// matrix in text is not read by Open, but once, by Entries.
type Spill struct {
	Context context.Context // ends the reading of numbers, with its error
	Dir     string          // the folder of the temporary files
}

// spilled is numbers in a temporary file.
type spilled struct {
	f     *File
	file  *os.File
	w     *bufio.Writer
	named bool  // the file has still its name
	n     int64 // of the numbers
	cols  int   // of a table
	drop  drops // left out of the table
	means []float64
}

// spillChunk is how many numbers are added until it is looked whether to go on.
const spillChunk = 1 << 14

// newSpilled creates a temporary file.
func (f *File) newSpilled() (*spilled, error) {
	file, named, err := TempFile(f.opt.Spill.Dir)
	if err != nil {
		return nil, err
	}
	s := &spilled{f: f, file: file, named: named, w: bufio.NewWriterSize(file, 8*spillChunk)}
	f.spilled = append(f.spilled, s)
	return s, nil
}

// TempFile creates a file in a folder that is gone when it is closed: where the system
// allows it it has no name, else named says that it has to be removed then.
func TempFile(dir string) (file *os.File, named bool, err error) {
	if file, err = unnamed(dir); err == nil {
		return file, false, nil
	}
	if file, err = os.CreateTemp(dir, ".nmu-*.tmp"); err != nil {
		return nil, false, err
	}
	return file, os.Remove(file.Name()) != nil, nil
}

// RemoveTemp closes a file of TempFile.
func RemoveTemp(file *os.File, named bool) error {
	err := file.Close()
	if named {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}

func (s *spilled) remove() error { return RemoveTemp(s.file, s.named) }

func (s *spilled) add(_ *File, x float64) error {
	if s.n++; s.n%spillChunk == 0 {
		if err := s.f.opt.Spill.Context.Err(); err != nil {
			return err
		}
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
	_, err := s.w.Write(b[:])
	return err
}

func (s *spilled) dense() dense { return s }

func (s *spilled) replaceNaN(means []float64) { s.means = means }

func (s *spilled) without(rows, cols int, drop drops) (int, int) {
	s.cols, s.drop = cols, drop
	return drop.left(rows, cols)
}

func (s *spilled) verify() error { return s.w.Flush() }

func (s *spilled) each(do func(x float64)) error {
	if err := s.verify(); err != nil {
		return err
	}
	r := s.from(0)
	var buf [chunk]float64
	for left := s.n; left > 0; {
		x := buf[:min(chunk, left)]
		if err := r.next(x); err != nil {
			return err
		}
		if err := s.f.opt.Spill.Context.Err(); err != nil {
			return err
		}
		for _, x := range x {
			do(x)
		}
		left -= int64(len(x))
	}
	return nil
}

// from reads the numbers from the given one on.
func (s *spilled) from(first int64) *numbers {
	size := int64(8)
	return &numbers{f: s.f, dt: dtype{kind: 'f', size: 8}, r: io.NewSectionReader(s.file, first*size, (s.n-first)*size), off: first * size}
}

func (s *spilled) open() (source, error) {
	r := s.from(0)
	if s.cols == 0 {
		return r, nil
	}
	if s.drop.first {
		r = s.from(int64(s.cols))
	}
	return &spilledTable{spilled: s, r: r}, nil
}

// spilledTable delivers a table without what is left out.
type spilledTable struct {
	*spilled
	r    *numbers
	rest []float64 // read and not yet delivered
	j    int       // column of the next
	buf  [chunk]float64
	read int64
}

func (s *spilledTable) next(dst []float64) error {
	for len(dst) > 0 {
		if len(s.rest) == 0 {
			left := s.n - s.read
			if s.drop.first {
				left -= int64(s.cols)
			}
			s.rest = s.buf[:min(chunk, left)]
			if err := s.r.next(s.rest); err != nil {
				return err
			}
			s.read += int64(len(s.rest))
		}
		x := s.rest[0]
		s.rest = s.rest[1:]
		if s.means != nil && math.IsNaN(x) {
			x = s.means[s.j]
		}
		if !s.drop.cols[s.j] {
			dst[0] = x
			dst = dst[1:]
		}
		if s.j++; s.j == s.cols {
			s.j = 0
		}
	}
	return nil
}

func (s *spilledTable) close() error { return nil }

// mirrorSpilled is mirror for a lower triangle in a file.
func (f *File) mirrorSpilled(low *spilled) (*spilled, error) {
	if err := low.verify(); err != nil {
		return nil, err
	}
	full, err := f.newSpilled()
	if err != nil || f.rows == 0 {
		return full, err
	}
	n := int64(f.rows)
	at := func(i, j int64) int64 { return j*n - j*(j-1)/2 + i - j } // of i, j in low, i >= j
	// The columns j0 to j1-1 are made at once, of pieces of all columns up to these.
	keep := f.scratch()
	defer keep(0)
	width := max(1, min(n, f.Left()/4/(8*n)))
	band, err := alloc[float64](f, width*n)
	if err != nil {
		return nil, err
	}
	r := low.from(0)
	read := func(dst []float64, i, j int64) error {
		r.r = io.NewSectionReader(low.file, 8*at(i, j), 8*int64(len(dst)))
		return r.next(dst)
	}
	piece, err := alloc[float64](f, width)
	if err != nil {
		return nil, err
	}
	for j0 := int64(0); j0 < n; j0 += width {
		j1 := min(j0+width, n)
		for j := int64(0); j < j1; j++ {
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
			if err := full.add(f, x); err != nil {
				return nil, err
			}
		}
	}
	return full, nil
}
