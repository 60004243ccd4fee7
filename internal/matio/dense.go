package matio

import (
	"fmt"
	"os"
	"unsafe"
)

// A sparse matrix expands to at most expandFloor + expandRatio*nonzeros elements.
const (
	expandFloor = 1 << 22
	expandRatio = 1024
)

// mapThreshold is the size in bytes from which a .npy file is mapped.
const mapThreshold = 1 << 20

// Dense returns the matrix of f, row by row without gaps: element i, j is
// data[i*cols+j].
//
// The data must not be changed. Where the file is a .npy file of 1 MiB or more
// that holds these very bytes (element type T, C order, or Fortran order if
// transposed, little endian on a little-endian unix machine), data is a
// read-only mapping of it: there is no copy, a write to data is a fault, and so is
// reading what another process has cut off the file meanwhile (see File.Guard),
// and Close takes the data away.
//
// A sparse matrix is expanded if that is in proportion to its nonzeros, else the
// error wraps ErrTooLarge, as it does where Options.MaxMemory is not enough. If T is
// float32 and all numbers of a row that are not zero would become so, or a negative
// one would, it wraps ErrPrecision. Other errors wrap ErrFormat or those of the file
// system. It takes time O(rows*cols) and, mapped or not, memory for the result and a
// few of its rows or columns.
func Dense[T Float](f *File) (rows, cols int, data []T, err error) {
	rows, cols = f.Dims()
	keep := f.in.scratch()
	kept := int64(0) // bytes
	switch {
	case f.in.closed:
		err = closedError(f)
	case f.in.entries != nil:
		data, err = expand[T](f)
		kept = sizeOf[T](int64(len(data)))
	default:
		if data = shared[T](f); data == nil {
			data, err = readDense[T](f)
			kept = sizeOf[T](int64(len(data)))
		}
	}
	keep(kept)
	if err != nil {
		return 0, 0, nil, err
	}
	return rows, cols, data, nil
}

func closedError(f *File) error {
	return fmt.Errorf("%s: %w", f.in.path, os.ErrClosed)
}

// shared returns the elements of f where the file, or the memory into which Open
// has read it, holds them as they are; else nil.
func shared[T Float](f *File) []T {
	if f.in.colMajor != f.in.transpose {
		return nil
	}
	if v, ok := f.in.data.(values); ok && len(v) > 0 {
		if _, ok := any(v[0]).([]T); ok {
			v, err := v.joined(f.in)
			if err != nil {
				return nil // readDense says why
			}
			f.in.data = v
			return any(v[0]).([]T)
		}
	}
	return mapped[T](f)
}

func readDense[T Float](f *File) ([]T, error) {
	n := int64(f.in.rows) * int64(f.in.cols) // setDims found it to fit
	if n == 0 {
		return []T{}, nil
	}
	turned := f.in.colMajor != f.in.transpose // the stored lines are the columns of the result
	need := sizeOf[T](n)
	if turned {
		rows, cols := f.Dims()
		need = plus(need, sizeOf[float64](int64(turnedWidth(rows, cols))*int64(rows)))
	}
	if err := f.in.Fits(need, reading); err != nil {
		return nil, err // rather than inflate the data for nothing
	}
	if err := f.in.data.verify(); err != nil {
		return nil, err
	}
	data, err := alloc[T](f.in, n)
	if err != nil {
		return nil, err
	}
	s, err := f.in.data.open()
	if err != nil {
		return nil, err
	}
	to := narrow[T](f.in)
	if turned {
		err = fillTurned(f, s, data, to)
	} else {
		err = fill(s, data, to)
	}
	if cerr := s.close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = to.check(func(i int) []T { return data[i*to.cols : (i+1)*to.cols] })
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// fill reads data in the order of s.
func fill[T Float](s source, data []T, to *narrowing[T]) error {
	buf := make([]float64, min(chunk, len(data)))
	for first := 0; first < len(data); first += len(buf) {
		b := buf[:min(len(buf), len(data)-first)]
		if err := s.next(b); err != nil {
			return err
		}
		for i, v := range b {
			data[first+i] = to.number(v, first+i)
		}
	}
	return nil
}

// fillTurned reads data, the matrix of f, of which s delivers one column after the
// other. It takes several columns at a time, so that it writes stretches of
// memory and not single elements.
func fillTurned[T Float](f *File, s source, data []T, to *narrowing[T]) error {
	rows, cols := f.Dims()
	width := turnedWidth(rows, cols)
	buf, err := alloc[float64](f.in, int64(width)*int64(rows))
	if err != nil {
		return err
	}
	for j := 0; j < cols; j += width {
		w := min(width, cols-j)
		if err := s.next(buf[:w*rows]); err != nil {
			return err
		}
		for i := range rows {
			line := data[i*cols+j : i*cols+j+w]
			for k := range line {
				line[k] = to.number(buf[k*rows+i], i*cols+j+k)
			}
		}
	}
	return nil
}

// turnedWidth returns how many columns fillTurned takes at a time.
func turnedWidth(rows, cols int) int { return min(cols, max(8, (1<<18)/rows)) }

// expand returns the dense form of the sparse matrix of f.
func expand[T Float](f *File) ([]T, error) {
	n, err := f.expanded(f.Stored())
	if err == nil {
		err = f.in.Fits(plus(sizeOf[T](n), f.entriesSize(sizeOf[T](1))), reading)
	}
	if err != nil {
		return nil, err // before the entries are read
	}
	e, err := f.in.entries.entries()
	if err != nil {
		return nil, err
	}
	if n, err = f.expanded(int64(len(e.minor))); n == 0 || err != nil {
		return []T{}, err
	}
	data, err := alloc[T](f.in, n)
	if err != nil {
		return nil, err
	}
	ptr, idx, val, err := csr[T](f.in, e)
	if err != nil {
		return nil, err
	}
	rows, cols := f.Dims()
	for i := range rows {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			data[i*cols+int(idx[k])] = val[k]
		}
	}
	return data, nil
}

// expanded returns how many elements the sparse matrix of f has, or an error if that is out
// of proportion to the number of its entries.
func (f *File) expanded(entries int64) (int64, error) {
	n, ok := mul(int64(f.in.rows), int64(f.in.cols))
	if limit := ExpandLimit(entries); !ok || n > limit {
		return 0, f.in.tooLarge("the sparse matrix of %d x %d with %d nonzeros would fill more than %d elements if it were made dense", f.in.rows, f.in.cols, entries, limit)
	}
	return n, nil
}

// mapped returns the elements of f as they lie in its file, or nil where they
// are of another form or the system does not map the file.
func mapped[T Float](f *File) []T {
	if !mappable[T](f) {
		return nil
	}
	a := f.in.raw
	if f.mapping == nil {
		m, err := mapFile(f.in.file, int(f.in.size))
		if err != nil {
			return nil // then it is read
		}
		f.mapping = m
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&f.mapping[a.off])), a.n)
}

// mappable says whether the file has the elements of f as they are in memory.
func mappable[T Float](f *File) bool {
	a, size := f.in.raw, sizeOf[T](1)
	return a != nil && a.dt == (dtype{kind: 'f', size: int(size)}) && !hostBigEndian &&
		a.n*size >= mapThreshold && a.off%size == 0 && int64(int(f.in.size)) == f.in.size
}
