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

	"nmu/lnmu"
)

// full reports whether the long form is asked for.
func full() bool { return os.Getenv("NMU_FULL") != "" }

// matrix is a matrix of float64, which all references work with.
type matrix = lnmu.Dense[float64]

// problem is a matrix to factor, with the weights of its entries. A missing entry has weight 0.
type problem struct {
	m, weights matrix
	name       string
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
	p := problem{product(v, w), lnmu.NewDense[float64](m, n, nil), fmt.Sprintf("%dx%d", m, n)}
	for i := range p.m.Data {
		p.m.Data[i] += noise * rng.Float64()
		p.weights.Data[i] = 1
	}
	return p
}

// blocks returns an m x n matrix of ones in blocks along its diagonal, so that a matrix of that rank is exact.
func blocks(m, n, rank int) problem {
	p := planted(m, n, rank, 0, 1)
	for i := range m {
		for j := range n {
			p.m.Row(i)[j] = 0
			if i*rank/m == j*rank/n {
				p.m.Row(i)[j] = 1
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
	q := problem{lnmu.NewDense[float64](p.m.Rows, p.m.Cols, nil), lnmu.NewDense[float64](p.m.Rows, p.m.Cols, nil), name}
	copy(q.m.Data, p.m.Data)
	for i := range q.weights.Data {
		q.weights.Data[i] = 1
		switch {
		case kind == "weights":
			q.weights.Data[i] = float64(1+i%3) / 3 // penalties refer to weights up to 1
		case (kind == "missing" || kind == "exact") && i%7 == 3:
			q.weights.Data[i] = 0
		case kind == "sparse" && i%3 == 1:
			q.m.Data[i] = 0
		case kind == "stored" && (i%7 == 1 || p.m.Data[i] == 0):
			q.m.Data[i], q.weights.Data[i] = 0, 0
		}
	}
	return q
}

// times returns the problem with M multiplied by s.
func (p problem) times(s float64) problem {
	q := problem{lnmu.NewDense[float64](p.m.Rows, p.m.Cols, nil), p.weights, fmt.Sprintf("%s times %.0e", p.name, s)}
	for i, x := range p.m.Data {
		q.m.Data[i] = s * x
	}
	return q
}

// given returns the matrix as the library takes it: "dense", "missing", "exact" (missing entries with
// that solver for them), "weights", "sparse" (a
// CSR) or "stored" (a CSR whose unstored entries are missing). Missing entries and weights
// may be those of a matrix "in files" or "of a CSR". What is wider than tall is given by pointers.
func given[T lnmu.Float](p problem, kind string) lnmu.Matrix[T] {
	dense := as[T](p.m)
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
				mask.Set(i, j, p.weights.At(i, j) > 0)
			}
		}
		m = lnmu.Observed[T]{Matrix: m, Mask: mask}
	case "weights":
		m = lnmu.Observed[T]{Matrix: m, Weights: p.weights}
	}
	if p.m.Rows < p.m.Cols {
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
func solverOf(kind string) lnmu.MissingSolver {
	switch {
	case strings.HasPrefix(kind, "exact"), strings.Contains(kind, "by exact"):
		return lnmu.MissingExact
	case strings.Contains(kind, "by majorize"):
		return lnmu.MissingMajorize
	}
	return ""
}

// as returns x in precision T.
func as[T lnmu.Float](x matrix) lnmu.Dense[T] {
	y := lnmu.NewDense[T](x.Rows, x.Cols, nil)
	for i := range x.Rows {
		for j, a := range x.Row(i) {
			y.Row(i)[j] = T(a)
		}
	}
	return y
}

// wide returns x in float64.
func wide[T lnmu.Float](x lnmu.Dense[T]) matrix {
	y := lnmu.NewDense[float64](x.Rows, x.Cols, nil)
	for i := range x.Rows {
		for j, a := range x.Row(i) {
			y.Row(i)[j] = float64(a)
		}
	}
	return y
}

// drawn returns uniform random numbers in [0, 1).
func drawn(m, n int, rng *rand.Rand) matrix {
	x := lnmu.NewDense[float64](m, n, nil)
	for i := range x.Data {
		x.Data[i] = rng.Float64()
	}
	return x
}

// product returns V W.
func product(v, w matrix) matrix {
	x := lnmu.NewDense[float64](v.Rows, w.Cols, nil)
	for i := range v.Rows {
		for k, a := range v.Row(i) {
			for j, b := range w.Row(k) {
				x.Row(i)[j] += a * b
			}
		}
	}
	return x
}

// clone returns a copy of x.
func clone(x matrix) matrix { return as[float64](x) }

// squares returns Σ u (m - v w)².
func (p problem) squares(v, w matrix) (sum float64) {
	x := product(v, w)
	for i, a := range p.m.Data {
		if u := p.weights.Data[i]; u > 0 {
			sum += u * (a - x.Data[i]) * (a - x.Data[i])
		}
	}
	return sum
}

// norm returns the weighted norm of M.
func (p problem) norm() float64 {
	return math.Sqrt(p.squares(lnmu.NewDense[float64](p.m.Rows, 1, nil), lnmu.NewDense[float64](1, p.m.Cols, nil)))
}

// divergence returns Σ u (m log(m/x) - m + x), x = V W.
func (p problem) divergence(v, w matrix) (sum float64) {
	x := product(v, w)
	for i, a := range p.m.Data {
		u := p.weights.Data[i]
		switch {
		case u == 0:
		case a == 0:
			sum += u * x.Data[i]
		default:
			sum += u * (a*math.Log(a/x.Data[i]) - a + x.Data[i])
		}
	}
	return sum
}
