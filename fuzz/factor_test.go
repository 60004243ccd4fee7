package fuzz

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
)

// FuzzFactor and FuzzFactorSparse factor a matrix at every level with several
// numbers of threads, which must give the same bits, and check the invariants of
// the result.

func FuzzFactor(f *testing.F)       { f.Fuzz(checkFactor) }
func FuzzFactorSparse(f *testing.F) { f.Fuzz(checkFactorSparse) }

var (
	checkFactor       = either(factorDense[float64], factorDense[float32])
	checkFactorSparse = either(factorSparse[float64], factorSparse[float32])
)

// TestMethods checks that random inputs reach every method with every option of it, and
// with missing entries and weights where it takes them.
func TestMethods(t *testing.T) {
	dense, sparse := map[string]bool{}, map[string]bool{}
	note := func(reached map[string]bool, p *problem[float32]) {
		name := p.method.Name()
		reached[name] = true
		for _, o := range p.options {
			if o.Value.String() != "" {
				reached[name+" "+o.Name] = true
			}
		}
		if p.observed != nil {
			reached[name+" mask"] = true
		}
		if p.weights.Data != nil {
			reached[name+" weights"] = true
		}
	}
	for i := range 2000 {
		input := binary.LittleEndian.AppendUint16(nil, uint16(i))
		p := newDense[float32](t, newSource(input))
		p.hide()
		note(dense, p)
		note(sparse, newProblem[float32](t, newSource(input), mostEntries))
	}
	for _, d := range options.Methods() {
		_, all := options.Of(d.Method)
		want := []string{d.Name}
		for _, o := range all {
			want = append(want, d.Name+" "+o.Name)
		}
		if d.Partial() {
			want = append(want, d.Name+" mask", d.Name+" weights")
		}
		for _, w := range want {
			if !dense[w] {
				t.Errorf("FuzzFactor does not reach %s", w)
			}
		}
		must.Equal(t, sparse[d.Name], d.Sparse(), "FuzzFactorSparse reaches", d.Name)
	}
}

// numbers of threads
var threads = []int{1, 2, 3, 5}

// factorDense checks one dense problem.
func factorDense[T lnmu.Float](t *testing.T, s *source) {
	p := newDense[T](t, s)
	var refuse error
	switch {
	case s.one(8):
		refuse = p.spoil()
	case s.one(4):
		p.hide()
	}
	res := p.everywhere(refuse, func(o *lnmu.Settings) (*lnmu.Result[T], error) {
		m := p.m
		if o.Overwrite = s.one(4); o.Overwrite {
			m.Data = slices.Clone(m.Data)
		}
		return p.factor(m, o)
	})
	if res != nil {
		p.invariants(res)
	}
}

// factorSparse checks one sparse problem.
func factorSparse[T lnmu.Float](t *testing.T, s *source) {
	p := newProblem[T](t, s, mostEntries)
	if p.lagrange != nil && s.one(3) {
		growth := math.Ldexp(1, -s.n(12))
		p.lagrange.ZeroMultiplier = func(k int) float64 { return growth * float64(k) }
	}
	var refuse error
	dense := p.m
	if s.one(8) {
		switch refuse = p.spoil(); refuse {
		case lnmu.ErrShape: // of the dense matrix; see below
			p.m, refuse = dense, nil
		}
	}
	m := lnmu.NewCSR(p.m)
	if refuse == nil && s.one(8) {
		switch s.n(7) {
		case 0:
			m.Ptr[s.n(len(m.Ptr))] += s.n(9) - 4
		case 1:
			m.Ptr = m.Ptr[:s.n(len(m.Ptr))]
		case 2:
			m.Val = append(m.Val, 1)
		case 3:
			m.Rows = []int{-1, 0, math.MaxInt, m.Rows + 1}[s.n(4)]
		case 4:
			m.Cols = []int{-1, 0, math.MaxInt, m.Cols - 1}[s.n(4)]
		case 5:
			if len(m.Idx) > 0 {
				m.Idx[s.n(len(m.Idx)&0xffff)] = int32(s.n(len(m.Idx)&0xffff)) - 1
			}
		case 6:
			for i := range m.Ptr {
				m.Ptr[i] = int(s.Uint64())
			}
		}
		switch err := m.Validate(); {
		case errors.Is(err, lnmu.ErrShape):
			refuse = lnmu.ErrShape
		case err != nil:
			refuse = lnmu.ErrValue
		case m.Rows != p.m.Rows || m.Cols != p.m.Cols: // sound, but not for this start
			return
		default:
			p.m = m.Dense()
		}
	}
	if refuse == nil && s.one(4) {
		p.hideZeros(m)
	}
	before := lnmu.CSR[T]{Ptr: slices.Clone(m.Ptr), Idx: slices.Clone(m.Idx), Val: slices.Clone(m.Val)}
	res := p.everywhere(refuse, func(o *lnmu.Settings) (*lnmu.Result[T], error) { return p.factor(m, o) })
	if !slices.Equal(before.Ptr, m.Ptr) || !slices.Equal(before.Idx, m.Idx) || checkasm.Compare(m.Val, before.Val, true) != nil {
		t.Fatalf("%v: the sparse matrix was modified", p)
	}
	if res != nil {
		p.invariants(res)
	}
}
