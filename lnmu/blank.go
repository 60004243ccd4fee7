package lnmu

import "errors"

// keptRows returns the numbers of the rows of V that are not NaN as a whole, or nil if none is, or all
// are. A run that has left rows out gives them NaN in V.
func keptRows[T Float](v Dense[T]) []int {
	var kept []int
	for i := range v.Rows {
		for _, x := range v.Row(i) {
			if x == x {
				kept = append(kept, i)
				break
			}
		}
	}
	if len(kept) == v.Rows || len(kept) == 0 {
		return nil
	}
	return kept
}

// inRows returns the given rows of M, in memory. ok is false if M is neither that nor an Observed of it.
func inRows[T Float](m Matrix[T], kept []int) (part Matrix[T], ok bool) {
	switch m := m.(type) {
	case Observed[T]:
		o := Observed[T]{StoredOnly: m.StoredOnly}
		if o.Matrix, ok = inRows(m.Matrix, kept); !ok {
			return nil, false
		}
		_, cols := m.Dims()
		if m.Mask != nil {
			o.Mask = NewMask(len(kept), cols)
			for to, i := range kept {
				for j := range cols {
					o.Mask.Set(to, j, m.Mask.Observed(i, j))
				}
			}
		}
		if m.Weights != nil {
			o.Weights = copiedRows(m.Weights, kept)
		}
		return o, true
	case CSR[T]:
		p := CSR[T]{Rows: len(kept), Cols: m.Cols, Ptr: make([]int, 1, len(kept)+1)}
		for _, i := range kept {
			p.Idx, p.Val = append(p.Idx, m.Idx[m.Ptr[i]:m.Ptr[i+1]]...), append(p.Val, m.Val[m.Ptr[i]:m.Ptr[i+1]]...)
			p.Ptr = append(p.Ptr, len(p.Idx))
		}
		return p, true
	case Stored[T], StoredCSR[T], Part[T], nil:
		return nil, false
	}
	return copiedRows(m, kept), true
}

// copiedRows returns a copy of the given rows.
func copiedRows[T Float](m Matrix[T], kept []int) Dense[T] {
	_, cols := m.Dims()
	part := NewDense[T](len(kept), cols, nil)
	for to, i := range kept {
		for j := range cols {
			part.Row(to)[j] = m.At(i, j)
		}
	}
	return part
}

// withoutBlank returns the problem of new columns without the rows that V has left out.
func withoutBlank[T Float](m Matrix[T], v Dense[T]) (Matrix[T], Dense[T], []int, error) {
	kept := keptRows(v)
	if kept == nil || m == nil {
		return m, v, nil, nil
	}
	_, o, err := unwrap(m)
	if err != nil || o.Rows != v.Rows { // which is said of the whole V
		return m, v, nil, err
	}
	if c, ok := m.(CSR[T]); ok {
		if err := c.Validate(); err != nil {
			return m, v, nil, err
		}
	}
	if part, ok := inRows(m, kept); ok {
		return part, copiedRows[T](v, kept), kept, nil
	}
	return m, v, nil, nil
}

// placed makes an error name the place in the whole matrix, given the numbers of its rows.
func placed(err error, kept []int) error {
	var bad *ValueError
	if kept != nil && errors.As(err, &bad) && bad.Matrix != "W" && bad.Row < len(kept) {
		bad.Row = kept[bad.Row]
	}
	return err
}
