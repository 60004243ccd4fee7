package matio

// ends returns the first and the last pointer of a sparse matrix in a folder.
func (s *sciPy) ends() (ptr []int64, err error) {
	n := int64(s.f.rows)
	defer s.f.in(s.called("indptr"))()
	for _, at := range []int64{0, n} {
		r := s.from("indptr", at)
		err = r.eachInt(1, func(_ int, v int64) error {
			ptr = append(ptr, v)
			return s.f.pointer(r, "indptr", at, v, 0, s.member["data"].count())
		})
		if err != nil {
			return nil, err
		}
	}
	return ptr, nil
}

// from starts reading a member that is a file from the given element on.
func (s *sciPy) from(name string, first int64) *numbers {
	return s.member[name].(*plainArray).from(first)
}

// block reads the entries of a block of the stored matrix. They are counted in part,
// which is to hold the block.
func (s *sciPy) block(part *input, b Block) (e entries, err error) {
	e.byRow = true
	leave := part.in(s.called("indptr"))
	ptr, base, err := part.pointers(s.from("indptr", int64(b.I0)), "indptr", int64(b.I0), int64(b.rows()), s.member["data"].count())
	leave()
	if err != nil {
		return e, err
	}
	defer part.in(s.called("indices"))()
	n := int64(ptr[len(ptr)-1])
	guess := n
	if b.J0 > 0 || b.J1 < s.f.cols {
		guess = min(n, chunk)
	}
	index, value := s.from("indices", base), s.from("data", base)
	var cols [chunk]int64
	var vals [chunk]float64
	row := 0 // of the next entry
	for k := int64(0); k < n; k += chunk {
		m := int(min(chunk, n-k))
		raw, err := index.bytes(m)
		if err == nil {
			index.dt.ints(cols[:m], raw)
			err = value.next(vals[:m])
		}
		if err != nil {
			return e, err
		}
		if e.minor, err = grown(part, e.minor, m, guess, n); err != nil {
			return e, err
		}
		if e.val, err = grown(part, e.val, m, guess, n); err != nil {
			return e, err
		}
		for i, j := range cols[:m] {
			if err := part.index(index, "indices", base+k+int64(i), j, s.f.cols); err != nil {
				return e, err
			}
			for int64(ptr[row+1]) <= k+int64(i) {
				row++
				ptr[row] = len(e.minor) // of those that are kept
			}
			if j >= int64(b.J0) && j < int64(b.J1) {
				e.minor, e.val = append(e.minor, int32(j-int64(b.J0))), append(e.val, vals[i])
			}
		}
	}
	for row++; row < len(ptr); row++ {
		ptr[row] = len(e.minor)
	}
	e.ptr = ptr
	return e, nil
}
