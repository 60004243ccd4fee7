package scipy

import (
	"nmu/internal/matio/internal/input"
)

// Each calls do for each entry. It streams all arrays side by side.
func (s *Matrix) Each(do func(i, j int32, v float64) error) (err error) {
	var open []*memberReader
	defer func() {
		for k := 0; k < len(open) && err == nil; k++ {
			err = open[k].Close() // reads what is left, and compares
		}
	}()
	reader := func(name string) *memberReader {
		r := &memberReader{s: s, name: name, left: s.member[name].Count()}
		if err == nil {
			if r.Numbers, err = s.member[name].Numbers(); err == nil {
				open = append(open, r)
			}
		}
		return r
	}
	rows, cols := s.File.Rows, s.File.Cols
	data := reader("data")
	if s.Format == "coo" {
		row, col := reader("row"), reader("col")
		for left := data.left; err == nil && left > 0; left-- {
			var i, j int32
			if i, err = row.index(rows); err == nil {
				if j, err = col.index(cols); err == nil {
					err = data.entry(i, j, do)
				}
			}
		}
		return err
	}
	if s.Format == "csc" {
		rows, cols = cols, rows
		put := do
		do = func(i, j int32, v float64) error { return put(j, i, v) }
	}
	ptr, idx := reader("indptr"), reader("indices")
	if err != nil {
		return err
	}
	last, nnz := int64(0), data.left
	for line := int64(-1); line < int64(rows); line++ {
		next, err := ptr.pointer(last, nnz)
		for ; err == nil && last < next; last++ {
			var j int32
			if j, err = idx.index(cols); err == nil {
				err = data.entry(int32(line), j, do)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// memberReader reads the elements of an array one by one.
type memberReader struct {
	*input.Numbers
	s    *Matrix
	name string
	left int64 // in the file
	at   int64 // the next

	ints []int64 // of these, read
	vals []float64
	buf  [input.Chunk]int64
	num  [input.Chunk]float64
}

// in names the array in messages.
func (r *memberReader) in() (leave func()) { return r.s.File.In(r.s.Called(r.name)) }

func (r *memberReader) Close() error {
	defer r.in()()
	return r.Numbers.Close()
}

// integer returns the next element, which must be an integer.
func (r *memberReader) integer() (int64, error) {
	if len(r.ints) == 0 {
		defer r.in()()
		n := min(input.Chunk, r.left)
		r.left -= n
		raw, err := r.Bytes(int(n))
		if err != nil {
			return 0, err
		}
		r.ints = r.buf[:n]
		r.Type.Ints(r.ints, raw)
	}
	v := r.ints[0]
	r.ints = r.ints[1:]
	r.at++
	return v, nil
}

// index returns the next element as an index below bound.
func (r *memberReader) index(bound int) (int32, error) {
	v, err := r.integer()
	if err == nil && (v < 0 || v >= int64(bound)) {
		defer r.in()()
		err = r.s.File.Index(r.Numbers, r.name, r.at-1, v, bound)
	}
	return int32(v), err
}

// pointer returns the next element as a pointer into nnz entries, at least last.
func (r *memberReader) pointer(last, nnz int64) (int64, error) {
	v, err := r.integer()
	if err == nil && (v < last || v > nnz || r.at == 1) {
		defer r.in()()
		err = r.s.File.Pointer(r.Numbers, r.name, r.at-1, v, last, nnz)
	}
	return v, err
}

// entry calls do with the next element as the value of an entry.
func (r *memberReader) entry(i, j int32, do func(i, j int32, v float64) error) error {
	if len(r.vals) == 0 {
		defer r.in()()
		n := min(input.Chunk, r.left)
		r.left -= n
		r.vals = r.num[:n]
		if err := r.Next(r.vals); err != nil {
			return err
		}
	}
	v := r.vals[0]
	r.vals = r.vals[1:]
	return do(i, j, v)
}
