package mat

import (
	"io"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/scipy"
)

// parts are the arrays of a sparse matrix in their order in the file, by the names that package scipy
// gives them: row indices, pointers to columns, values. The first and the last may be longer than the
// last pointer says.
var parts = []struct{ name, here string }{{"indices", "ir"}, {"indptr", "jc"}, {"data", "pr"}}

// useSparse makes a sparse array the matrix of the file.
func (a *array) useSparse() error {
	f, v := a.m.f, a.v
	r, err := a.m.at(v)
	if err != nil {
		return err
	}
	e, dt := r.numeric("ir")
	if r.err != nil {
		return r.err
	}
	s := scipy.New(f, "csc", func(name string) string {
		for _, part := range parts {
			if part.name == name {
				name = part.here
			}
		}
		return "variable " + v.name + ", " + name
	})
	whole, double := element.Type{Kind: 'i', Size: 4}, element.Type{Kind: 'f', Size: 8} // which hold the elements
	listed := e.size / int64(dt.Size)
	for k, part := range []input.Array{{Len: listed, Type: whole}, {Len: v.dims[1] + 1, Type: whole}, {Len: listed, Type: double}} {
		part.Dims, part.Claim = 1, a.Verify
		part.Inflated = func(int64) (*input.Numbers, error) { return a.part(k) }
		if err := s.Add(parts[k].name, &part); err != nil {
			return err
		}
	}
	return s.UseAs(v.dims[0], v.dims[1])
}

// part starts reading a part, from its first element. The parts are read side by side, and inflated each on its own.
// There are as many values as row indices, until they are read.
func (a *array) part(number int) (*input.Numbers, error) {
	m := &file{f: a.m.f, order: a.m.order}
	r, err := m.at(a.v)
	if err != nil {
		return nil, err
	}
	for k := 0; ; k++ {
		e, dt := r.numeric(parts[k].here)
		n := e.size / int64(max(1, dt.Size))
		switch {
		case k < 2 && dt.Kind == 'f':
			r.bad("%s has elements of type %v: want integers", parts[k].here, dt)
		case k == 1 && n != a.v.dims[1]+1:
			r.bad("jc has %d column pointers: want %d, one more than columns", n, a.v.dims[1]+1)
		case k == 2:
			r.last(e)
		}
		if k < number {
			r.skip(e.next)
			continue
		}
		if r.err != nil {
			return nil, r.err
		}
		s := r.numbers(dt)
		s.Source = io.LimitReader(r.r, e.size)
		s.Done = func() error {
			if k < 2 || r.done == nil {
				return nil
			}
			if _, err := io.Copy(io.Discard, s.Source); err != nil {
				return m.f.ReadError(r.offset(), err)
			}
			if r.pos += e.size; r.pos < e.next {
				if err := r.skip(e.next); err != nil {
					return err
				}
			}
			return r.done()
		}
		return s, nil
	}
}
