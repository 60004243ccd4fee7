package matio

import (
	"unsafe"

	"nmu/internal/matio/internal/csr"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
)

// mapThreshold is the size in bytes from which a .npy file is mapped.
const mapThreshold = 1 << 20

// Dense returns the matrix of f, row by row without gaps: element i, j is data[i*cols+j].
//
// The caller must not change data. A .npy file of 1 MiB or more is mapped if it holds these
// very bytes: element type T, C order (Fortran order if transposed), little endian on a
// little-endian unix machine. A mapping is read-only, and a write to it is a fault. A read of
// bytes that another process has cut off the file is a fault too (see File.Guard). Close
// removes the mapping.
//
// A sparse matrix is expanded if its size is in proportion to its nonzeros. Otherwise, and if
// Options.MaxMemory is not enough, the error wraps ErrTooLarge. If T is float32, the error
// wraps ErrPrecision if all nonzeros of a row, or a negative number, would become zero. Other
// errors wrap ErrFormat or those of the file system. Dense takes time O(rows*cols). It takes
// memory for the result, unless it is mapped, and for a few of its rows or columns.
func Dense[T Float](f *File) (rows, cols int, data []T, err error) {
	rows, cols = f.Dims()
	keep := f.in.Scratch()
	kept := int64(0) // bytes
	switch {
	case f.in.Closed:
		err = closedError(f)
	case f.in.Sparse != nil:
		data, err = expand[T](f)
		kept = element.SizeOf[T](int64(len(data)))
	default:
		if data = shared[T](f); data == nil {
			data, err = readDense[T](f)
			kept = element.SizeOf[T](int64(len(data)))
		}
	}
	keep(kept)
	if err != nil {
		return 0, 0, nil, err
	}
	return rows, cols, data, nil
}

// shared returns the elements of f if the file, or the memory into which Open has read it,
// holds them as type T in this order; else nil.
func shared[T Float](f *File) []T {
	if f.in.ByColumns != f.in.Transpose {
		return nil
	}
	if v, ok := f.in.Dense.(store.Values); ok && len(v) > 0 {
		if _, ok := any(v[0]).([]T); ok {
			v, err := v.Joined(f.in)
			if err != nil {
				return nil // readDense says why
			}
			f.in.Dense = v
			return any(v[0]).([]T)
		}
	}
	return mapped[T](f)
}

func readDense[T Float](f *File) ([]T, error) {
	n := int64(f.in.Rows) * int64(f.in.Cols) // setDims found it to fit
	if n == 0 {
		return []T{}, nil
	}
	transposed := f.in.ByColumns != f.in.Transpose // the stored lines are the columns of the result
	need := element.SizeOf[T](n)
	if transposed {
		rows, cols := f.Dims()
		need = element.Plus(need, element.SizeOf[float64](int64(transposedWidth(rows, cols))*int64(rows)))
	}
	if err := f.in.Fits(need, input.Reading); err != nil {
		return nil, err // rather than inflate the data for nothing
	}
	if err := f.in.Dense.Verify(); err != nil {
		return nil, err
	}
	data, err := input.Alloc[T](f.in, n)
	if err != nil {
		return nil, err
	}
	s, err := f.in.Dense.Open()
	if err != nil {
		return nil, err
	}
	to := input.Narrow[T](f.in)
	if transposed {
		err = fillTransposed(f, s, data, to)
	} else {
		err = fill(s, data, to)
	}
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		_, cols := f.Dims()
		err = to.Check(func(i int) []T { return data[i*cols : (i+1)*cols] })
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// fill reads data in the order of s.
func fill[T Float](s input.Source, data []T, to *input.Narrowing[T]) error {
	buf := make([]float64, min(input.Chunk, len(data)))
	for first := 0; first < len(data); first += len(buf) {
		b := buf[:min(len(buf), len(data)-first)]
		if err := s.Next(b); err != nil {
			return err
		}
		for i, v := range b {
			data[first+i] = to.Number(v, first+i)
		}
	}
	return nil
}

// fillTransposed reads the matrix of f into data. The source s delivers one column after the other.
// fillTransposed takes several columns at a time, so that it writes runs of elements.
func fillTransposed[T Float](f *File, s input.Source, data []T, to *input.Narrowing[T]) error {
	rows, cols := f.Dims()
	width := transposedWidth(rows, cols)
	buf, err := input.Alloc[float64](f.in, int64(width)*int64(rows))
	if err != nil {
		return err
	}
	for j := 0; j < cols; j += width {
		w := min(width, cols-j)
		if err := s.Next(buf[:w*rows]); err != nil {
			return err
		}
		for i := range rows {
			line := data[i*cols+j : i*cols+j+w]
			for k := range line {
				line[k] = to.Number(buf[k*rows+i], i*cols+j+k)
			}
		}
	}
	return nil
}

// transposedWidth returns how many columns fillTransposed takes at a time.
func transposedWidth(rows, cols int) int { return min(cols, max(8, (1<<18)/rows)) }

// expand returns the dense form of the sparse matrix of f.
func expand[T Float](f *File) ([]T, error) {
	n, err := f.expanded(f.Stored())
	if err == nil {
		err = f.in.Fits(element.Plus(element.SizeOf[T](n), f.entriesSize(element.SizeOf[T](1))), input.Reading)
	}
	if err != nil {
		return nil, err // before the entries are read
	}
	e, err := f.in.Sparse.Entries()
	if err != nil {
		return nil, err
	}
	if n, err = f.expanded(int64(len(e.Minor))); n == 0 || err != nil {
		return []T{}, err
	}
	data, err := input.Alloc[T](f.in, n)
	if err != nil {
		return nil, err
	}
	ptr, idx, val, err := csr.Of[T](f.in, e)
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

// mapped returns a mapping of the elements of f. It returns nil if they have another type or
// order, or if the system does not map the file.
func mapped[T Float](f *File) []T {
	if !mappable[T](f) {
		return nil
	}
	a := f.in.Plain
	if f.mapping == nil {
		m, err := mapFile(f.in.Handle, int(f.in.Size))
		if err != nil {
			return nil // then it is read
		}
		f.mapping = m
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&f.mapping[a.Offset])), a.Len)
}

// mappable says whether the file has the elements of f as they are in memory.
func mappable[T Float](f *File) bool {
	a, size := f.in.Plain, element.SizeOf[T](1)
	return a != nil && a.Reader == nil && a.Type == (element.Type{Kind: 'f', Size: int(size)}) && !element.HostBigEndian &&
		a.Len*size >= mapThreshold && a.Offset%size == 0 && int64(int(f.in.Size)) == f.in.Size
}
