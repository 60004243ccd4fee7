// Package regime tests that every run keeps its promises: each constraint holds, and the objective
// is as small as the one of a literal implementation. The table in lines_test.go has a line for
// each method and solver. The tests take the lines through matrices of all sizes and scales,
// ranks, starts, numbers of iterations and kinds of storage.
//
// NMU_FULL=1 runs the long form.
package regime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"nmu/internal/literal"
	"nmu/lnmu"
)

// full reports whether the long form is asked for.
func full() bool { return os.Getenv("NMU_FULL") != "" }

// matrix is what all references work with.
type matrix = literal.Matrix

// problem is a matrix to factor with a name.
type problem struct {
	literal.Problem
	name string
}

// planted returns an m x n matrix with positive factors of that rank, and noise of that size.
func planted(m, n, rank int, noise float64, seed uint64) problem {
	rng := rand.New(rand.NewPCG(seed, 99))
	v, w := drawn(m, rank, rng), drawn(rank, n, rng)
	for _, x := range [][]float64{v.Data, w.Data} {
		for i := range x {
			x[i] = math.Max(0, 1.5*x[i]-0.5)
		}
	}
	p := problem{literal.Complete(literal.Product(v, w)), fmt.Sprintf("%dx%d", m, n)}
	for i := range p.M.Data {
		p.M.Data[i] += noise * rng.Float64()
	}
	return p
}

// blocks returns an m x n matrix of ones in blocks along its diagonal, so that a matrix of that rank is exact.
func blocks(m, n, rank int) problem {
	p := planted(m, n, rank, 0, 1)
	for i := range m {
		for j := range n {
			p.M.Row(i)[j] = 0
			if i*rank/m == j*rank/n {
				p.M.Row(i)[j] = 1
			}
		}
	}
	p.name = "blocks " + p.name
	return p
}

// with returns the problem with other weights: "missing" entries, "weights", or with all entries
// that are 0 missing ("stored"). The first word of a kind says which.
func (p problem) with(kind string) problem {
	name := p.name + " " + kind
	kind, _, _ = strings.Cut(kind, " ")
	q := problem{literal.Complete(p.M), name}
	for i := range q.U.Data {
		switch {
		case kind == "span":
			q.U.Data[i] = []float64{1, 1e-3, 1e-6}[i%3]
		case kind == "weights":
			q.U.Data[i] = float64(1+i%3) / 3 // penalties refer to weights up to 1
		case (kind == "missing" || kind == "exact") && i%7 == 3:
			q.U.Data[i] = 0
		case kind == "sparse" && (i%4 == 1 || i/p.M.Cols == 3 || p.M.Cols > 5 && i%p.M.Cols == 5):
			q.M.Data[i] = 0
		case kind == "stored" && (i%7 == 1 || p.M.Data[i] == 0):
			q.M.Data[i], q.U.Data[i] = 0, 0
		}
	}
	return q
}

// times returns the problem with M multiplied by s.
func (p problem) times(s float64) problem {
	q := problem{literal.Problem{M: literal.Clone(p.M), U: p.U}, fmt.Sprintf("%s times %.0e", p.name, s)}
	for i, x := range p.M.Data {
		q.M.Data[i] = s * x
	}
	return q
}

// given returns the matrix as the library takes it: "dense", "missing", "exact" (missing entries with
// that solver for them), "weights", "sparse" (a
// CSR) or "stored" (a CSR whose unstored entries are missing). Missing entries and weights
// may be those of a matrix "in files" or "of a CSR". What is wider than tall is given by pointers.
func given[T lnmu.Float](p problem, kind string) lnmu.Matrix[T] {
	dense := literal.As[T](p.M)
	m := lnmu.Matrix[T](dense)
	kind, details, _ := strings.Cut(kind, " ")
	switch {
	case strings.HasSuffix(details, "in files"):
		m = lnmu.StoredFrom(dense.Rows, dense.Cols, func(i int, line []T) error {
			if dense.Rows >= dense.Cols {
				copy(line, dense.Row(i))
				return nil
			}
			for k := range line {
				line[k] = dense.At(k, i)
			}
			return nil
		})
	case strings.HasSuffix(details, "of a CSR"):
		m = lnmu.NewCSR(dense)
	}
	switch kind {
	case "sparse":
		m = lnmu.NewCSR(dense)
	case "stored":
		m = lnmu.Observed[T]{Matrix: lnmu.NewCSR(dense), StoredOnly: true}
	case "missing", "exact":
		mask := lnmu.NewMask(dense.Rows, dense.Cols)
		for i := range dense.Rows {
			for j := range dense.Cols {
				mask.Set(i, j, p.U.At(i, j) > 0)
			}
		}
		m = lnmu.Observed[T]{Matrix: m, Mask: mask}
	case "weights", "span":
		m = lnmu.Observed[T]{Matrix: m, Weights: p.U}
	}
	if p.M.Rows < p.M.Cols {
		return pointer(m)
	}
	return m
}

// pointer returns m, and a matrix in it, by pointers.
func pointer[T lnmu.Float](m lnmu.Matrix[T]) lnmu.Matrix[T] {
	switch m := m.(type) {
	case lnmu.Dense[T]:
		return &m
	case lnmu.CSR[T]:
		return &m
	case lnmu.Observed[T]:
		m.Matrix = pointer(m.Matrix)
		return &m
	}
	return m
}

// solverOf returns the missing solver of a kind, "" for the default.
func solverOf(kind string) lnmu.Choice {
	switch {
	case strings.HasPrefix(kind, "exact"), strings.Contains(kind, "by exact"):
		return lnmu.MissingExact
	case strings.Contains(kind, "by majorize"):
		return lnmu.MissingMajorize
	}
	return ""
}

// drawn returns uniform random numbers in [0, 1).
func drawn(m, n int, rng *rand.Rand) matrix {
	x := lnmu.NewDense[float64](m, n, nil)
	for i := range x.Data {
		x.Data[i] = rng.Float64()
	}
	return x
}
