package lnmu

import (
	"cmp"
	"errors"
	"slices"

	"nmu/lnmu/internal/matrix"
)

// keptRows returns the numbers of the rows of V that are not NaN as a whole, or nil if none is, or all
// are. A run that has left rows out gives them NaN in V.
func keptRows[T Float](v Dense[T]) []int {
	var kept []int
	for i := range v.Rows {
		if slices.ContainsFunc(v.Row(i), func(x T) bool { return x == x }) {
			kept = append(kept, i)
		}
	}
	if len(kept) == v.Rows || len(kept) == 0 {
		return nil
	}
	return kept
}

// inRows returns the given rows of M, in memory. ok is false if M is not.
func inRows[T Float](m Matrix[T], kept []int) (part Matrix[T], ok bool) {
	switch m := m.(type) {
	case CSR[T]:
		p := CSR[T]{Rows: len(kept), Cols: m.Cols, Ptr: make([]int, 1, len(kept)+1)}
		for _, i := range kept {
			p.Idx, p.Val = append(p.Idx, m.Idx[m.Ptr[i]:m.Ptr[i+1]]...), append(p.Val, m.Val[m.Ptr[i]:m.Ptr[i+1]]...)
			p.Ptr = append(p.Ptr, len(p.Idx))
		}
		return p, true
	case storedDense[T], storedCSR[T], Unread[T]:
		return nil, false
	}
	return matrix.Rows(m, kept), true
}

// withoutBlank returns the problem of new columns without the rows that V has left out.
func withoutBlank[T Float](m Matrix[T], v Dense[T]) (Matrix[T], Dense[T], []int, error) {
	kept := keptRows(v)
	if kept == nil {
		return m, v, nil, nil
	}
	inner, o, err := unwrap(m)
	if err != nil || o.Rows != v.Rows || o.Processes != nil { // which is said of the whole V
		return m, v, nil, err
	}
	if err := cmp.Or(checkMemory("M", inner), o.Entries.Check(o.Rows, o.Cols)); err != nil {
		return m, v, nil, err
	}
	of := Observed[T]{StoredOnly: o.StoredOnly, Weight: o.Entries.Largest}
	var ok bool
	if of.Matrix, ok = inRows(inner, kept); !ok {
		return m, v, nil, nil
	}
	mask, weights := maskAndWeights(o.Entries)
	if mask != nil {
		of.Mask = NewMask(len(kept), o.Cols)
		for to, i := range kept {
			for j := range o.Cols {
				of.Mask.Set(to, j, mask.Observed(i, j))
			}
		}
	}
	if weights != nil {
		of.Weights = matrix.Rows(weights, kept)
	}
	return of, matrix.Rows(v, kept), kept, nil
}

// placed makes an error name the place in the whole matrix, given the numbers of its rows.
func placed(err error, kept []int) error {
	var bad *ValueError
	if kept != nil && errors.As(err, &bad) && bad.Matrix != "W" && 0 <= bad.Row && bad.Row < len(kept) {
		bad.Row = kept[bad.Row]
	}
	return err
}
