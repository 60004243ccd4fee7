package input

import "math"

// Pointers reads n+1 pointers into nnz entries, those of n lines from the given line on. It
// returns them relative to the first, which is base.
func (f *File) Pointers(s *Numbers, what string, line, n, nnz int64) (ptr []int, base int64, err error) {
	if ptr, err = Alloc[int](f, n+1); err != nil {
		return nil, 0, err
	}
	last := int64(0)
	err = s.EachInt(n+1, func(i int, v int64) error {
		if err := f.Pointer(s, what, line+int64(i), v, last, nnz); err != nil {
			return err
		}
		if i == 0 {
			base = v
		}
		last = v
		if ptr[i] = int(v - base); int64(ptr[i]) != v-base {
			return f.TooLarge("%d entries do not fit in memory", v-base)
		}
		return nil
	})
	return ptr, base, err
}

// Pointer checks pointer i with value v. The pointer before it has the value last.
func (f *File) Pointer(s *Numbers, what string, i, v, last, nnz int64) error {
	switch {
	case i == 0 && v != 0:
		return f.Bad(s.Offset, "%s[0] = %d: must be 0", what, v)
	case v < 0 || v > nnz:
		return f.Bad(s.Offset, "%s[%d] = %d is not in 0 to %d, the number of entries", what, i, v, nnz)
	case v < last:
		return f.Bad(s.Offset, "%s[%d] = %d is less than %s[%d] = %d: pointers must not decrease", what, i, v, what, i-1, last)
	}
	return nil
}

// Indices reads n indices, each less than bound.
func (f *File) Indices(s *Numbers, what string, n int64, bound int) ([]int32, error) {
	idx, err := Alloc[int32](f, n)
	if err != nil {
		return nil, err
	}
	limit := uint64(min(int64(bound), math.MaxInt32+1))
	err = s.EachInts(n, func(i int64, v []int64) error {
		to := idx[i:][:len(v)]
		for k, x := range v {
			if uint64(x) >= limit {
				return f.Index(s, what, i+int64(k), x, bound)
			}
			to[k] = int32(x)
		}
		return nil
	})
	return idx, err
}

// Index checks index i with value v, which must be less than bound.
func (f *File) Index(s *Numbers, what string, i, v int64, bound int) error {
	if v < 0 || v >= int64(bound) {
		return f.Bad(s.Offset, "%s[%d] = %d is outside 0 to %d", what, i, v, bound-1)
	}
	if v > math.MaxInt32 {
		return f.TooLarge("%s[%d] = %d exceeds the largest index, %d", what, i, v, math.MaxInt32)
	}
	return nil
}

// EntryValues reads n numbers.
func (f *File) EntryValues(s *Numbers, n int64) ([]float64, error) {
	val, err := Alloc[float64](f, n)
	if err != nil {
		return nil, err
	}
	return val, s.Next(val)
}
