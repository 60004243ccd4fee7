// Package csr brings the entries that a file lists into compressed sparse row form.
package csr

import (
	"math"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// A sparse matrix has at most rowFloor + rowRatio*(bytes of the file) rows.
const (
	rowFloor = 1 << 20
	rowRatio = 64
)

// Of returns the entries of f in compressed sparse row form, of the transpose if f.Transpose.
// The columns of a row increase strictly. Numbers are what f.Meaning says; repeated entries of one place are then added
// in the order of the file and in float64. Zeros are dropped.
func Of[T element.Float](f *input.File, e input.Entries) (ptr []int, idx []int32, val []T, err error) {
	rows, cols := f.Dims()
	if cols > math.MaxInt32 {
		return nil, nil, nil, f.TooLarge("a sparse matrix of %d columns: at most %d are possible", cols, math.MaxInt32)
	}
	var v []float64
	if e.Ptr != nil && e.ByRow != f.Transpose {
		ptr, idx, v = e.Ptr, e.Minor, e.Val
	} else {
		if err := CheckRows(f); err != nil {
			return nil, nil, nil, err
		}
		if ptr, idx, v, err = sortByRow(f, e, rows); err != nil {
			return nil, nil, nil, err
		}
	}
	input.Replace(&f.Meaning, v)
	idx, v = canonical(f, ptr, idx, v)
	if d, ok := any(v).([]T); ok {
		return ptr, idx, d, nil
	}
	if val, err = input.Alloc[T](f, int64(len(v))); err != nil {
		return nil, nil, nil, err
	}
	to, n, start := input.Narrow[T](f, cols), 0, 0
	for i := range rows {
		end := ptr[i+1]
		for k := start; k < end; k++ {
			if val[n] = T(v[k]); val[n] == 0 { // as v[k] is not
				to.Lose(v[k], i, int(idx[k]))
				continue
			}
			idx[n] = idx[k]
			n++
		}
		start, ptr[i+1] = end, n
	}
	if err := to.Check(func(i int) []T { return val[ptr[i]:ptr[i+1]] }); err != nil {
		return nil, nil, nil, err
	}
	return ptr, idx[:n], val[:n], nil
}

// sortByRow sorts the entries of f stably by row with a counting sort.
func sortByRow(f *input.File, e input.Entries, rows int) (ptr []int, idx []int32, val []float64, err error) {
	if ptr, err = input.Alloc[int](f, int64(rows)+1); err != nil {
		return nil, nil, nil, err
	}
	each := func(do func(i, j int32, v float64)) {
		e.Each(func(i, j int32, v float64) error {
			if f.Transpose {
				i, j = j, i
			}
			do(i, j, v)
			return nil
		})
	}
	each(func(i, _ int32, _ float64) { ptr[i+1]++ })
	for i := range rows {
		ptr[i+1] += ptr[i]
	}
	if idx, err = input.Alloc[int32](f, int64(len(e.Minor))); err != nil {
		return nil, nil, nil, err
	}
	if val, err = input.Alloc[float64](f, int64(len(e.Minor))); err != nil {
		return nil, nil, nil, err
	}
	// ptr[i] moves to the end of row i, which is the start of row i+1.
	each(func(i, j int32, v float64) {
		idx[ptr[i]], val[ptr[i]] = j, v
		ptr[i]++
	})
	copy(ptr[1:], ptr)
	ptr[0] = 0
	return ptr, idx, val, nil
}

// CheckRows returns an error for more rows than are plausible in a file of this size.
func CheckRows(f *input.File) error {
	rows, _ := f.Dims()
	if limit := rowFloor + rowRatio*f.Size; int64(rows) > limit {
		return f.TooLarge("a sparse matrix of %d rows is out of proportion to a file of %d bytes, from which at most %d rows are read", rows, f.Size, limit)
	}
	return nil
}
