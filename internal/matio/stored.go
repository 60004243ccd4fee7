package matio

import "math"

// sparse is the stored entries of a sparse matrix. Zeros and several entries of one place
// are possible.
type sparse interface {
	// entries reads them.
	entries() (entries, error)
	// each calls do for each of them, in the order of the file.
	each(do func(i, j int32, v float64) error) error
	// count returns how many there are, 0 if the file does not say so.
	count() int64
	// order says in which order the file has them.
	order() order
	// single says whether float32 holds every number.
	single() bool
}

// order is the order of the entries in a file, with how they are read from it.
type order int

const (
	byRow     order = iota // row by row, and each reads them so
	byColumn               // column by column, and each reads them so
	oneByOne               // in any order, and each reads them so
	atOnce                 // column by column, and each reads them all before
	heldByNow              // in any order, and Open has read them
)

// entries are the elements of a sparse matrix as its file lists them: by lines
// (rows if byRow, else columns) with pointers, or one by one. Those with pointers
// are read anew for each call of File.entries, so they may be changed.
type entries struct {
	byRow bool
	ptr   []int     // line i is minor[ptr[i]:ptr[i+1]]; nil if one by one
	major []int32   // the line of each entry if one by one
	minor []int32   // place within the line
	val   []float64 // nil if all are 1
}

// each calls do for each entry.
func (e *entries) each(do func(i, j int32, v float64) error) error {
	put := func(line int32, k int) error {
		v := 1.0
		if e.val != nil {
			v = e.val[k]
		}
		if e.byRow {
			return do(line, e.minor[k], v)
		}
		return do(e.minor[k], line, v)
	}
	if e.ptr == nil {
		for k, line := range e.major {
			if err := put(line, k); err != nil {
				return err
			}
		}
		return nil
	}
	for line := range len(e.ptr) - 1 {
		for k := e.ptr[line]; k < e.ptr[line+1]; k++ {
			if err := put(int32(line), k); err != nil {
				return err
			}
		}
	}
	return nil
}

// grow makes room for more entries.
func (e *entries) grow(f *input) (err error) {
	n := max(2*int64(cap(e.val)), chunk)
	if e.major, err = grown(f, e.major, 1, n, n); err != nil {
		return err
	}
	if e.minor, err = grown(f, e.minor, 1, n, n); err != nil {
		return err
	}
	e.val, err = grown(f, e.val, 1, n, n)
	return err
}

// pointers reads n+1 pointers into nnz entries, those of n lines from the given one on,
// and returns them as they count from the first of them, which is base.
func (f *input) pointers(s *numbers, what string, line, n, nnz int64) (ptr []int, base int64, err error) {
	if ptr, err = alloc[int](f, n+1); err != nil {
		return nil, 0, err
	}
	last := int64(0)
	err = s.eachInt(n+1, func(i int, v int64) error {
		if err := f.pointer(s, what, line+int64(i), v, last, nnz); err != nil {
			return err
		}
		if i == 0 {
			base = v
		}
		last = v
		if ptr[i] = int(v - base); int64(ptr[i]) != v-base {
			return f.tooLarge("%d entries do not fit in memory", v-base)
		}
		return nil
	})
	return ptr, base, err
}

// pointer checks pointer i, which is v; the one before it is last.
func (f *input) pointer(s *numbers, what string, i, v, last, nnz int64) error {
	switch {
	case i == 0 && v != 0:
		return f.bad(s.off, "%s[0] = %d, must be 0", what, v)
	case v < 0 || v > nnz:
		return f.bad(s.off, "%s[%d] = %d is outside the %d entries", what, i, v, nnz)
	case v < last:
		return f.bad(s.off, "%s[%d] = %d is less than %s[%d] = %d", what, i, v, what, i-1, last)
	}
	return nil
}

// indices reads n indices, each less than bound.
func (f *input) indices(s *numbers, what string, n int64, bound int) ([]int32, error) {
	idx, err := alloc[int32](f, n)
	if err != nil {
		return nil, err
	}
	err = s.eachInt(n, func(i int, v int64) error {
		idx[i] = int32(v)
		return f.index(s, what, int64(i), v, bound)
	})
	return idx, err
}

// index checks index i, which is v and must be less than bound.
func (f *input) index(s *numbers, what string, i, v int64, bound int) error {
	if v < 0 || v >= int64(bound) {
		return f.bad(s.off, "%s[%d] = %d is outside 0 to %d", what, i, v, bound-1)
	}
	if v > math.MaxInt32 {
		return f.tooLarge("%s[%d] = %d: indices up to %d are possible", what, i, v, math.MaxInt32)
	}
	return nil
}

// entryValues reads n numbers.
func (f *input) entryValues(s *numbers, n int64) ([]float64, error) {
	val, err := alloc[float64](f, n)
	if err != nil {
		return nil, err
	}
	return val, s.next(val)
}
