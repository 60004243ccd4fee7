package csr

import (
	"math/bits"
	"slices"

	"nmu/internal/matio/internal/input"
)

// canonical sorts the entries of each row by column, adds repeated entries of one place, and
// drops zeros, all in place.
func canonical(f *input.File, ptr []int, idx []int32, val []float64) ([]int32, []float64, error) {
	var s sorter
	n, start, added := 0, 0, 0
	for i := range len(ptr) - 1 {
		end := ptr[i+1]
		row := idx[start:end]
		if !slices.IsSorted(row) {
			if s.idx == nil {
				if err := s.room(f, ptr[i:], start, idx); err != nil {
					return nil, nil, err
				}
			}
			s.sort(row, val[start:end])
		}
		if n == start && clean(row, val[start:end]) {
			n, start = end, end
			continue
		}
		for k := start; k < end; {
			j, v := idx[k], val[k]
			for k++; k < end && idx[k] == j; k++ {
				v += val[k]
				added++
			}
			if v != 0 {
				idx[n], val[n] = j, v
				n++
			}
		}
		start, ptr[i+1] = end, n
	}
	if added > 0 {
		f.Note("added up: %s with the row and column of another", input.Counted(added, "entry", "entries"))
	}
	return idx[:n], val[:n], nil
}

// clean says whether the columns of a row increase strictly and no value is zero.
func clean(row []int32, val []float64) bool {
	val = val[:len(row)]
	last := int32(-1)
	for k, j := range row {
		if j <= last || val[k] == 0 {
			return false
		}
		last = j
	}
	return true
}

// sorter sorts rows stably by column. It has room for the longest row.
type sorter struct {
	idx   []int32
	val   []float64
	count [1 << wideDigit]int
}

// Bits of the columns that one counting sort looks at, for short and long rows.
const (
	narrowDigit = 8
	wideDigit   = 11
	longRow     = 1 << 13
)

// shortRow is the length of rows that insertion sorts sooner.
const shortRow = 32

// room allocates s for the rows of ptr that are not in order. The first of them starts at start.
func (s *sorter) room(f *input.File, ptr []int, start int, idx []int32) (err error) {
	longest := 0
	for _, end := range ptr[1:] {
		if end-start > longest && !slices.IsSorted(idx[start:end]) {
			longest = end - start
		}
		start = end
	}
	if s.idx, err = input.Alloc[int32](f, int64(longest)); err != nil {
		return err
	}
	s.val, err = input.Alloc[float64](f, int64(longest))
	return err
}

// sort sorts a row with a counting sort for each digit of the columns, the lowest first.
func (s *sorter) sort(idx []int32, val []float64) {
	n := len(idx)
	if n <= shortRow {
		for k := 1; k < n; k++ {
			j, v := idx[k], val[k]
			l := k
			for ; l > 0 && idx[l-1] > j; l-- {
				idx[l], val[l] = idx[l-1], val[l-1]
			}
			idx[l], val[l] = j, v
		}
		return
	}
	digit := narrowDigit
	if n >= longRow {
		digit = wideDigit
	}
	all := int32(0)
	for _, j := range idx {
		all |= j
	}
	toIdx, toVal := s.idx[:n], s.val[:n]
	fromIdx, fromVal := idx, val
	count := s.count[:1<<digit]
	for shift := 0; shift < bits.Len32(uint32(all)); shift += digit {
		clear(count)
		for _, j := range fromIdx {
			count[int(j>>shift)&(len(count)-1)]++
		}
		place := 0
		for d, c := range count {
			count[d] = place
			place += c
		}
		for k, j := range fromIdx {
			d := int(j>>shift) & (len(count) - 1)
			p := count[d]
			count[d]++
			toIdx[p], toVal[p] = j, fromVal[k]
		}
		fromIdx, toIdx = toIdx, fromIdx
		fromVal, toVal = toVal, fromVal
	}
	if &fromIdx[0] != &idx[0] {
		copy(idx, fromIdx)
		copy(val, fromVal)
	}
}
