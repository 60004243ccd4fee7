package scipy

import (
	"nmu/internal/matio/internal/input"
)

// Ends returns the first and the last pointer of a sparse matrix in a folder.
func (s *Matrix) Ends() (ptr []int64, err error) {
	n := int64(s.File.Rows)
	defer s.File.In(s.Called("indptr"))()
	for _, at := range []int64{0, n} {
		r := s.From("indptr", at)
		err = r.EachInt(1, func(_ int, v int64) error {
			ptr = append(ptr, v)
			return s.File.Pointer(r, "indptr", at, v, 0, s.member["data"].Count())
		})
		if err != nil {
			return nil, err
		}
	}
	return ptr, nil
}

// From starts reading the member name, which must be a file, at element first.
func (s *Matrix) From(name string, first int64) *input.Numbers {
	return s.member[name].(*input.Plain).From(first)
}

// Block reads the entries of block b of the stored matrix. part counts the memory.
func (s *Matrix) Block(part *input.File, b input.Block) (e input.Entries, err error) {
	e.ByRow = true
	leave := part.In(s.Called("indptr"))
	ptr, base, err := part.Pointers(s.From("indptr", int64(b.I0)), "indptr", int64(b.I0), int64(b.Rows()), s.member["data"].Count())
	leave()
	if err != nil {
		return e, err
	}
	defer part.In(s.Called("indices"))()
	n := int64(ptr[len(ptr)-1])
	guess := n
	if b.J0 > 0 || b.J1 < s.File.Cols {
		guess = min(n, input.Chunk)
	}
	index, value := s.From("indices", base), s.From("data", base)
	var cols [input.Chunk]int64
	var vals [input.Chunk]float64
	row := 0 // of the next entry
	for k := int64(0); k < n; k += input.Chunk {
		m := int(min(input.Chunk, n-k))
		raw, err := index.Bytes(m)
		if err == nil {
			index.Type.Ints(cols[:m], raw)
			err = value.Next(vals[:m])
		}
		if err != nil {
			return e, err
		}
		if e.Minor, err = input.Grown(part, e.Minor, m, guess, n); err != nil {
			return e, err
		}
		if e.Val, err = input.Grown(part, e.Val, m, guess, n); err != nil {
			return e, err
		}
		for i, j := range cols[:m] {
			if err := part.Index(index, "indices", base+k+int64(i), j, s.File.Cols); err != nil {
				return e, err
			}
			for int64(ptr[row+1]) <= k+int64(i) {
				row++
				ptr[row] = len(e.Minor) // of those that are kept
			}
			if j >= int64(b.J0) && j < int64(b.J1) {
				e.Minor, e.Val = append(e.Minor, int32(j-int64(b.J0))), append(e.Val, vals[i])
			}
		}
	}
	for row++; row < len(ptr); row++ {
		ptr[row] = len(e.Minor)
	}
	e.Ptr = ptr
	return e, nil
}
