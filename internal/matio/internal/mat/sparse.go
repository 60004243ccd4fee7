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
	e, dt, err := r.numeric("ir")
	if err != nil {
		return err
	}
	s := scipy.New(f, "csc", func(name string) string {
		for _, part := range parts {
			if part.name == name {
				name = part.here
			}
		}
		return "variable " + v.name + ", " + name
	})
	listed := e.size / int64(dt.Size)
	for k, count := range []int64{listed, v.dims[1] + 1, listed} {
		if err := s.Add(parts[k].name, &part{array: a, number: k, count: count}, 1); err != nil {
			return err
		}
	}
	return s.UseAs(v.dims[0], v.dims[1])
}

// part is one of the parts of a sparse array.
type part struct {
	*array
	number int // of parts
	count  int64
}

// Count returns the number of elements. That of the values is as large as that of the row indices, until they
// are read.
func (p *part) Count() int64 { return p.count }

// Elements returns a type that holds the elements. From finds out which it is.
func (p *part) Elements() element.Type {
	if p.number < 2 {
		return element.Type{Kind: 'i', Size: 4}
	}
	return element.Type{Kind: 'f', Size: 8}
}

// From starts reading the part, of which first is 0. The parts are read side by side, and inflated each on its
// own.
func (p *part) From(int64) (*input.Numbers, error) {
	m := &file{f: p.m.f, order: p.m.order}
	r, err := m.at(p.v)
	if err != nil {
		return nil, err
	}
	for k := 0; ; k++ {
		e, dt, err := r.numeric(parts[k].here)
		n := e.size / int64(max(1, dt.Size))
		switch {
		case err != nil:
		case k < 2 && dt.Kind == 'f':
			err = r.bad("%s has elements of type %v: want integers", parts[k].here, dt)
		case k == 1 && n != p.v.dims[1]+1:
			err = r.bad("jc has %d column pointers: want %d, one more than columns", n, p.v.dims[1]+1)
		case k == 2:
			err = r.last(e)
		}
		if err != nil {
			return nil, err
		}
		if k < p.number {
			if err := r.skip(e.next); err != nil {
				return nil, err
			}
			continue
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
