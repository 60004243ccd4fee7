package processes

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"nmu/internal/together"
	"nmu/lnmu"
)

// share returns the part of m that a process has.
func share[T lnmu.Float](m lnmu.Dense[T], p lnmu.Processes) lnmu.Part[T] {
	return lnmu.Part[T]{Matrix: lines(m, p), Processes: p, Rows: m.Rows, Cols: m.Cols}
}

// lines returns the rows of m that a process has, or its columns if there are more.
func lines[T lnmu.Float](m lnmu.Dense[T], p lnmu.Processes) lnmu.Dense[T] {
	first, last := lnmu.Share(m.Rows, m.Cols, p.Rank(), p.Size())
	if m.Cols > m.Rows {
		part := m.Slice(0, m.Rows, first, last)
		part.Cols = last - first
		return part
	}
	part := m.Slice(first, last, 0, m.Cols)
	part.Cols = m.Cols
	return part
}

// startOf returns the part of a start that a process has.
func startOf[T lnmu.Float](v, w lnmu.Dense[T], p lnmu.Processes) (lnmu.Dense[T], lnmu.Dense[T]) {
	if w.Cols > v.Rows {
		return v, lines(w, p)
	}
	return lines(v, p), w
}

// joined puts what the processes have found together, and fails unless the rest of
// their results is the same.
func joined[T lnmu.Float](t *testing.T, m, n int, parts []*lnmu.Result[T]) *lnmu.Result[T] {
	t.Helper()
	res := *parts[0]
	if n > m {
		w := lnmu.NewDense[T](res.W.Rows, n, nil)
		at := 0
		for _, p := range parts {
			for k := range w.Rows {
				copy(w.Row(k)[at:], p.W.Row(k))
			}
			at += p.W.Cols
		}
		res.W = w
	} else {
		v := lnmu.NewDense[T](m, res.V.Cols, nil)
		at := 0
		for _, p := range parts {
			for i := range p.V.Rows {
				copy(v.Row(at+i), p.V.Row(i))
			}
			at += p.V.Rows
		}
		res.V = v
	}
	for rank, p := range parts {
		short, whole := p.V, res.V
		if n <= m {
			short, whole = p.W, res.W
		}
		if lnmu.SHA256(short) != lnmu.SHA256(whole) {
			t.Errorf("process %d has another short factor", rank)
		}
		same(t, fmt.Sprintf("process %d", rank), p, parts[0])
	}
	return &res
}

// same fails unless all numbers of two results are equal.
func same[T lnmu.Float](t *testing.T, what string, got, want *lnmu.Result[T]) {
	t.Helper()
	a, b := *got, *want
	a.V, a.W, b.V, b.W = lnmu.Dense[T]{}, lnmu.Dense[T]{}, lnmu.Dense[T]{}, lnmu.Dense[T]{}
	if x, y := fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b); x != y {
		t.Errorf("%s:\n%s, want\n%s", what, x, y)
	}
}

// positive is a matrix of a given rank with noise.
func positive[T lnmu.Float](m, n, rank int) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(5, uint64(m)))
	d := lnmu.NewDense[T](m, n, nil)
	v, w := make([]float64, m*rank), make([]float64, n*rank)
	for _, x := range [][]float64{v, w} {
		for i := range x {
			x[i] = max(0, rng.NormFloat64())
		}
	}
	for i := range m {
		for j := range n {
			x := 0.1 * rng.Float64()
			for k := range rank {
				x += v[i*rank+k] * w[j*rank+k]
			}
			d.Row(i)[j] = T(x)
		}
	}
	return d
}

// factorParts runs processes that factor their parts of m, and fails if one of them
// returns an error.
func factorParts[T lnmu.Float](t *testing.T, m lnmu.Dense[T], size int, settings *lnmu.Settings, factor func(p lnmu.Processes, part lnmu.Part[T], s *lnmu.Settings) (*lnmu.Result[T], error)) []*lnmu.Result[T] {
	t.Helper()
	return inParts(t, size, settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
		return factor(p, share(m, p), s)
	})
}

// inParts runs processes, each of which finds a part of a result.
func inParts[T lnmu.Float](t *testing.T, size int, settings *lnmu.Settings, factor func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error)) []*lnmu.Result[T] {
	t.Helper()
	parts := make([]*lnmu.Result[T], size)
	together.Run(size, func(p *together.Process) {
		s := *settings
		s.Threads = 1 + (size+p.Rank())%2
		res, err := factor(p, &s)
		if err != nil {
			t.Errorf("process %d of %d: %v", p.Rank(), size, err)
			runtime.Goexit()
		}
		parts[p.Rank()] = res
	})
	if t.Failed() {
		t.FailNow()
	}
	return parts
}

// alike fails unless two results are the same, bit for bit.
func alike[T lnmu.Float](t *testing.T, what string, got, want *lnmu.Result[T]) {
	t.Helper()
	same(t, what, got, want)
	if lnmu.SHA256(got.V) != lnmu.SHA256(want.V) || lnmu.SHA256(got.W) != lnmu.SHA256(want.W) {
		t.Errorf("%s: other factors", what)
	}
}
