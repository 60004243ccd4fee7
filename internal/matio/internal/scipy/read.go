package scipy

import (
	"math"

	"nmu/internal/matio/internal/input"
)

// Each calls do for each entry. It reads all arrays side by side.
func (s *Matrix) Each(do func(i, j int32, v float64) error) error {
	f := s.File
	if s.Format != "coo" {
		lines, _ := s.lines()
		return s.walk(f, 0, lines, func(line int, places []int64, val []float64) error {
			for k, place := range places {
				i, j := int32(line), int32(place)
				if s.Format == "csc" {
					i, j = j, i
				}
				if err := do(i, j, val[k]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	readers, err := s.openAll(f, 0, "row", "col", "data")
	if err != nil {
		return err
	}
	for left := s.Count(); left > 0; {
		n := min(left, input.Chunk)
		rows, err := readers[0].indices(n, f.Rows)
		if err != nil {
			return err
		}
		cols, err := readers[1].indices(n, f.Cols)
		if err != nil {
			return err
		}
		val, err := readers[2].numbers(n)
		if err != nil {
			return err
		}
		for k, v := range val {
			if err := do(int32(rows[k]), int32(cols[k]), v); err != nil {
				return err
			}
		}
		left -= n
	}
	return end(readers)
}

// Entries reads all entries.
func (s *Matrix) Entries() (e input.Entries, err error) {
	for name, m := range s.member {
		leave := s.File.In(s.called(name))
		err := m.Verify()
		if leave(); err != nil {
			return e, err
		}
	}
	if s.Format == "coo" {
		n := s.Count()
		e.ByRow = true
		err = s.Each(func(i, j int32, v float64) error { return e.Add(s.File, i, j, v, n, n) })
		return e, err
	}
	return s.Block(s.File, input.Block{I1: s.File.Rows, J1: s.File.Cols})
}

// Block reads the entries of block b of the stored matrix, which is no coo. f counts the memory.
func (s *Matrix) Block(f *input.File, b input.Block) (e input.Entries, err error) {
	e.ByRow = s.Format == "csr"
	if !e.ByRow {
		b = b.Transposed()
	}
	lines, length := s.lines()
	most := s.Count()
	if b.Rows() < lines {
		first, err := s.Pointer(f, b.I0)
		if err != nil {
			return e, err
		}
		last, err := s.Pointer(f, b.I1)
		if err != nil {
			return e, err
		}
		most = max(0, last-first)
	}
	all := b.Cols() == length
	guess := most
	if !all {
		guess = min(most, input.Chunk)
	}
	if e.Ptr, err = input.Alloc[int](f, int64(b.Rows())+1); err != nil {
		return e, err
	}
	err = s.walk(f, b.I0, b.I1, func(line int, places []int64, val []float64) (err error) {
		if e.Minor, err = input.Grown(f, e.Minor, len(places), guess, most); err != nil {
			return err
		}
		if e.Val, err = input.Grown(f, e.Val, len(places), guess, most); err != nil {
			return err
		}
		for k, j := range places {
			if all || j >= int64(b.J0) && j < int64(b.J1) {
				e.Minor, e.Val = append(e.Minor, int32(j-int64(b.J0))), append(e.Val, val[k])
			}
		}
		e.Ptr[line-b.I0+1] = len(e.Minor)
		return nil
	})
	for i := range b.Rows() {
		e.Ptr[i+1] = max(e.Ptr[i], e.Ptr[i+1])
	}
	return e, err
}

// Pointer returns the pointer of a line, or the end of the last line.
func (s *Matrix) Pointer(f *input.File, line int) (int64, error) {
	p, err := s.Pointers(f, line, line)
	if err != nil {
		return 0, err
	}
	return int64(p[0]), nil
}

// Pointers returns the pointers of lines first to last, the latter of which may be the end of the last line.
// f counts the memory.
func (s *Matrix) Pointers(f *input.File, first, last int) ([]int, error) {
	ptr, err := input.Alloc[int](f, int64(last-first)+1)
	if err != nil {
		return nil, err
	}
	r, err := s.open(f, "indptr", int64(first))
	if err != nil {
		return nil, err
	}
	before := int64(0)
	for k := 0; k < len(ptr); {
		read, err := r.pointers(min(input.Chunk, int64(len(ptr)-k)), before, s.Count())
		if err != nil {
			return nil, err
		}
		for _, p := range read {
			if ptr[k] = int(p); int64(ptr[k]) != p {
				return nil, f.TooLarge("the sparse matrix has %d entries, more than a 32-bit program can count; use a 64-bit build", p)
			}
			before = p
			k++
		}
	}
	return ptr, nil
}

// walk calls do for the entries of lines first to last-1: their places in the line and their values. A long
// line is delivered in pieces. f names the members in messages.
func (s *Matrix) walk(f *input.File, first, last int, do func(line int, places []int64, val []float64) error) error {
	_, length := s.lines()
	ptr, err := s.open(f, "indptr", int64(first))
	if err != nil {
		return err
	}
	all := []*reader{ptr}
	at := int64(0) // the next entry
	for line := first - 1; line < last; {
		ends, err := ptr.pointers(min(input.Chunk, int64(last-line)), at, s.Count())
		if err != nil {
			return err
		}
		if line < first {
			at = ends[0]
		}
		for last := ends[len(ends)-1]; at < last; {
			if len(all) == 1 {
				of, err := s.openAll(f, at, "indices", "data")
				if err != nil {
					return err
				}
				all = append(all, of...)
			}
			n := min(last-at, input.Chunk)
			places, err := all[1].indices(n, length)
			if err != nil {
				return err
			}
			val, err := all[2].numbers(n)
			if err != nil {
				return err
			}
			for len(val) > 0 {
				for ends[0] <= at {
					ends = ends[1:]
					line++
				}
				n := min(int64(len(val)), ends[0]-at)
				if err := do(line, places[:n], val[:n]); err != nil {
					return err
				}
				places, val, at = places[n:], val[n:], at+n
			}
		}
		line += len(ends)
	}
	return end(all)
}

// reader reads a member from one of its elements on, in chunks. What it returns is valid until the next call.
type reader struct {
	*input.Numbers
	s    *Matrix
	f    *input.File // for messages
	name string
	at   int64 // the next element
	ints []int64
	vals []float64
}

// open starts reading a member at element first.
func (s *Matrix) open(f *input.File, name string, first int64) (r *reader, err error) {
	defer f.In(s.called(name))()
	r = &reader{s: s, f: f, name: name, at: first}
	r.Numbers, err = s.member[name].From(first)
	return r, err
}

// openAll is open for several members.
func (s *Matrix) openAll(f *input.File, first int64, names ...string) (all []*reader, err error) {
	for _, name := range names {
		r, err := s.open(f, name, first)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// end ends reading: it checks the ends of the members.
func end(all []*reader) error {
	for _, r := range all {
		if err := r.end(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) end() error {
	defer r.f.In(r.s.called(r.name))()
	return r.Close()
}

// bad returns an error about element k of those that were read last.
func (r *reader) bad(k int, format string, args ...any) error {
	defer r.f.In(r.s.called(r.name))()
	return r.f.Bad(r.Offset-int64(len(r.ints)-k)*int64(r.Type.Size), format, args...)
}

// integers returns the next n elements, n <= input.Chunk, which must be integers.
func (r *reader) integers(n int64) ([]int64, error) {
	defer r.f.In(r.s.called(r.name))()
	raw, err := r.Bytes(int(n))
	if err != nil {
		return nil, err
	}
	if int64(cap(r.ints)) < n {
		r.ints = make([]int64, n)
	}
	r.ints, r.at = r.ints[:n], r.at+n
	r.Type.Ints(r.ints, raw)
	return r.ints, nil
}

// numbers returns the next n elements, n <= input.Chunk.
func (r *reader) numbers(n int64) ([]float64, error) {
	defer r.f.In(r.s.called(r.name))()
	if int64(cap(r.vals)) < n {
		r.vals = make([]float64, n)
	}
	r.vals = r.vals[:n]
	return r.vals, r.Next(r.vals)
}

// indices is integers for indices less than bound.
func (r *reader) indices(n int64, bound int) ([]int64, error) {
	idx, err := r.integers(n)
	limit := uint64(min(int64(bound), math.MaxInt32+1))
	for k, x := range idx {
		switch at := r.at - n + int64(k); {
		case uint64(x) < limit:
		case x < 0 || x >= int64(bound):
			return nil, r.bad(k, "%s[%d] = %d is outside 0 to %d", r.name, at, x, bound-1)
		default:
			return nil, r.f.TooLarge("%s[%d] = %d exceeds the largest index, %d", r.name, at, x, math.MaxInt32)
		}
	}
	return idx, err
}

// pointers is integers for pointers into nnz entries. The first of all is 0, and they do not decrease from
// before on.
func (r *reader) pointers(n, before, nnz int64) ([]int64, error) {
	ptr, err := r.integers(n)
	for k, x := range ptr {
		switch at := r.at - n + int64(k); {
		case at == 0 && x != 0:
			return nil, r.bad(k, "%s[0] = %d: must be 0", r.name, x)
		case x < 0 || x > nnz:
			return nil, r.bad(k, "%s[%d] = %d is not in 0 to %d, the number of entries", r.name, at, x, nnz)
		case x < before:
			return nil, r.bad(k, "%s[%d] = %d is less than %s[%d] = %d: pointers must not decrease", r.name, at, x, r.name, at-1, before)
		}
		before = x
	}
	return ptr, err
}
