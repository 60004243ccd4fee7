package matio

import "fmt"

// DenseWithin returns block b of the matrix of f, row by row without gaps. Of a .npy file
// or a folder of them it reads that alone; any other file it reads to its end, as far as
// Open has not done so, and holds of it what is in the block. A sparse matrix is
// expanded within the block if Dense would expand the whole. Errors are those of Dense
// and ReadBlock.
func DenseWithin[T Float](f *File, b Block) (data []T, err error) {
	part, err := f.blockOf(b)
	if err != nil {
		return nil, err
	}
	if f.in.entries != nil {
		return expandWithin[T](f, part, b)
	}
	if data, err = alloc[T](part, int64(b.rows())*int64(b.cols())); err != nil {
		return nil, err
	}
	if p := f.Parts(); p != nil {
		err = ReadBlock(p, data, b.cols(), b)
	} else {
		err = filter(f, part, b, data)
	}
	if err != nil {
		return nil, err
	}
	f.in.used = part.used
	return data, nil
}

// SparseWithin returns block b of the matrix of f in compressed sparse row form, as
// Sparse gives it: columns count from J0. Of a folder with a sparse matrix it reads that
// alone; any other file it reads to its end, as far as Open has not done so, and holds
// of it what is in the block. Errors are those of Sparse.
func SparseWithin[T Float](f *File, b Block) (ptr []int, idx []int32, val []T, err error) {
	part, err := f.blockOf(b)
	if err != nil {
		return nil, nil, nil, err
	}
	if f.folder != nil {
		ptr, idx, val, err = SparseBlock[T](&Parts{f: f}, b)
	} else {
		ptr, idx, val, err = selected[T](f, part, b)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	f.in.used += sizeOf[int](int64(cap(ptr))) + sizeOf[int32](int64(cap(idx))) + sizeOf[T](int64(cap(val)))
	return ptr, idx, val, nil
}

// selected reads all entries of f and keeps those of a block, which part stands for.
func selected[T Float](f *File, part *input, b Block) (ptr []int, idx []int32, val []T, err error) {
	var e entries
	err = Entries(f, func(i, j int32, v float64) error {
		if int(i) < b.I0 || int(i) >= b.I1 || int(j) < b.J0 || int(j) >= b.J1 {
			return nil
		}
		if len(e.val) == cap(e.val) {
			if err := e.grow(part); err != nil {
				return err
			}
		}
		e.major, e.minor, e.val = append(e.major, i-int32(b.I0)), append(e.minor, j-int32(b.J0)), append(e.val, v)
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	e.byRow = true
	return csr[T](part, e)
}

// blockOf returns a File that stands for a block, in what counts memory and names places.
func (f *File) blockOf(b Block) (*input, error) {
	rows, cols := f.Dims()
	switch {
	case f.in.closed:
		return nil, closedError(f)
	case !b.within(rows, cols):
		return nil, fmt.Errorf("%s: rows %d to %d and columns %d to %d of a matrix of %d x %d", f.in.path, b.I0, b.I1, b.J0, b.J1, rows, cols)
	}
	part := f.in.block(b.rows(), b.cols())
	part.firstRow, part.firstCol = b.I0, b.J0
	return part, nil
}

// filter reads all elements of f and keeps those of a block, which part stands for.
func filter[T Float](f *File, part *input, b Block, data []T) error {
	r, err := f.Elements()
	if err != nil {
		return err
	}
	rows, cols := f.Dims()
	to, width := narrow[T](part), b.cols()
	keep := func(i, j int, v float64) {
		if i >= b.I0 && i < b.I1 && j >= b.J0 && j < b.J1 {
			at := (i-b.I0)*width + j - b.J0
			data[at] = to.number(v, at)
		}
	}
	var buf [chunk]float64
	lines, length := rows, cols
	if f.ByColumn() {
		lines, length = cols, rows
	}
	for line := 0; line < lines && err == nil; line++ {
		for first := 0; first < length && err == nil; first += chunk {
			x := buf[:min(chunk, length-first)]
			if err = r.Next(x); err != nil {
				break
			}
			for k, v := range x {
				if f.ByColumn() {
					keep(first+k, line, v)
				} else {
					keep(line, first+k, v)
				}
			}
		}
	}
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if width < cols {
		return to.err
	}
	return to.check(func(i int) []T { return data[i*width : (i+1)*width] })
}

// expandWithin returns the dense form of a block of a sparse matrix, which part stands
// for.
func expandWithin[T Float](f *File, part *input, b Block) ([]T, error) {
	ptr, idx, val, err := SparseWithin[T](f, b)
	if err != nil {
		return nil, err
	}
	n := int64(b.rows()) * int64(b.cols())
	if limit := ExpandLimit(int64(len(val))); n > limit {
		return nil, f.in.tooLarge("its part of %d x %d with %d nonzeros would fill more than %d elements if it were made dense", b.rows(), b.cols(), len(val), limit)
	}
	part.used = f.in.used
	data, err := alloc[T](part, n)
	if err != nil {
		return nil, err
	}
	for i := range b.rows() {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			data[i*b.cols()+int(idx[k])] = val[k]
		}
	}
	f.in.used = part.used
	return data, nil
}
