package matio

// chosenRows are the rows and columns that SelectRows has chosen from a sparse matrix.
type chosenRows struct {
	from   *Parts
	rows   []int
	cols   int
	column []int32 // the new index of each column, or -1
	ptr    []int   // the row pointers of the rows
}

// SelectRows returns the given rows and columns of a sparse matrix stored by rows; both lists ascend. It
// reads the matrix once to count the entries as T. Closing p closes the result.
func SelectRows[T Float](p *Parts, rows, cols []int) (*Parts, error) {
	_, n := p.Dims()
	c := &chosenRows{from: p, rows: rows, cols: len(cols), column: make([]int32, n), ptr: make([]int, 1, len(rows)+1)}
	for j := range c.column {
		c.column[j] = -1
	}
	for k, j := range cols {
		c.column[j] = int32(k)
	}
	s := &Parts{f: p.f, chosenRows: c}
	for at := 0; at < len(rows); {
		n, err := c.together(at, len(rows))
		if err != nil {
			return nil, err
		}
		ptr, _, _, err := chosenBlock[T](s, Block{I0: at, I1: at + n, J1: len(cols)})
		if err != nil {
			return nil, err
		}
		before := c.ptr[at]
		for _, end := range ptr[1:] {
			c.ptr = append(c.ptr, before+end)
		}
		at += n
	}
	s.entries = int64(c.ptr[len(rows)])
	return s, nil
}

// together returns how many of the chosen rows first to last-1 are read at once.
func (c *chosenRows) together(first, last int) (int, error) {
	const pointers, entries = 4096, 1 << 17
	rows := c.rows[first:last]
	rows = rows[:Nearby(rows, pointers)]
	ptr, err := c.from.Pointers(rows[0], rows[len(rows)-1]+1)
	if err != nil {
		return 0, err
	}
	n := 1
	for n < len(rows) && ptr[rows[n]+1-rows[0]]-ptr[0] <= entries {
		n++
	}
	return n, nil
}

// chosenBlock is SparseBlock for chosen rows.
func chosenBlock[T Float](p *Parts, b Block) (ptr []int, idx []int32, val []T, err error) {
	_, cols := p.from.Dims()
	ptr = make([]int, 1, b.Rows()+1)
	for at := b.I0; at < b.I1; {
		n, err := p.together(at, b.I1)
		if err != nil {
			return nil, nil, nil, err
		}
		rows := p.rows[at : at+n]
		of, columns, values, err := SparseBlock[T](p.from, Block{I0: rows[0], I1: rows[n-1] + 1, J1: cols})
		if err != nil {
			return nil, nil, nil, err
		}
		for _, i := range rows {
			i -= rows[0]
			for k := of[i]; k < of[i+1]; k++ {
				if j := p.column[columns[k]]; int(j) >= b.J0 && int(j) < b.J1 {
					idx, val = append(idx, j-int32(b.J0)), append(val, values[k])
				}
			}
			ptr = append(ptr, len(idx))
		}
		at += n
	}
	return ptr, idx, val, nil
}
