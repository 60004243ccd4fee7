package bench

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/peer"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	nmublas "nmu/blas"
	"nmu/kernel"
)

// The groups of the BLAS part.
const (
	groupBLASGonum = "BLAS, gonum's programs"
	groupBLASSmall = "BLAS, small calls"
)

// gemmGroup returns the group of the products of square matrices.
func gemmGroup(t machine.Type, threads int) string {
	return fmt.Sprintf("BLAS, gemm %s threads=%d", t, threads)
}

// gemmCase returns the case of a size.
func gemmCase(n int) string { return fmt.Sprintf("n=%d", n) }

// blasSizes are the sizes of the products.
var blasSizes = []int{256, 512, 1024, 2048}

// decomposed is the size of the matrices of gonum's programs.
const decomposed = 500

// level23 is the part of a BLAS that is measured.
type level23 interface {
	blas.Float64Level1
	blas.Float64Level2
	blas.Float64Level3
	blas.Float32Level3
}

// blasOf returns the compared implementations: this program's and gonum's.
func blasOf() map[string]level23 {
	return map[string]level23{"nmu": nmublas.Implementation{}, "gonum": gonum.Implementation{}}
}

// measureBLAS measures package blas beside gonum's BLAS and NumPy's.
func (s *session) measureBLAS() error {
	sizes := blasSizes
	if s.plan.Short {
		sizes = []int{64}
	}
	numpy := s.findNumPy(sizes[len(sizes)/2])
	for _, threads := range slices.Compact([]int{1, min(barsThreads, s.opts.Threads)}) {
		for _, t := range subject.Types {
			for _, n := range sizes {
				if err := s.gemm(t, threads, n, numpy); err != nil {
					return err
				}
			}
		}
	}
	if err := s.gonumPrograms(); err != nil {
		return err
	}
	return s.smallCalls()
}

// findNumPy returns the BLAS of NumPy, or nil if it is not installed or not wanted.
func (s *session) findNumPy(n int) *peer.Gemm {
	if !s.wanted("numpy") {
		return nil
	}
	numpy, err := peer.NewGemm(s.ctx, n)
	if err != nil {
		s.note("BLAS: %v", err)
		return nil
	}
	return numpy
}

// each measures the same work by several programs, in turn in each repetition, and adds a
// measurement of each.
func (s *session) each(m report.Measurement, names []string, seconds func(name string) (float64, error)) error {
	samples := map[string][]float64{}
	for rep := range s.opts.Repetitions {
		for _, name := range names {
			s.say("%s %s by %s, repetition %d of %d", m.Group, m.Case, name, rep+1, s.opts.Repetitions)
			x, err := seconds(name)
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if err != nil {
				return err
			}
			samples[name] = append(samples[name], 1e6*x)
		}
	}
	for _, name := range names {
		m.Series, m.Unit, m.Stat = name, "µs", stat.New(samples[name])
		s.report.Add(m)
	}
	return nil
}

// lasts returns the mean seconds of a call of f, over enough calls for the clock.
func (s *session) lasts(f func()) float64 {
	for n := 1; ; n *= 2 {
		begin := time.Now()
		for range n {
			f()
		}
		if took := time.Since(begin); took > s.least/5 {
			return took.Seconds() / float64(n)
		}
	}
}

// gemm measures the product of square matrices.
func (s *session) gemm(t machine.Type, threads, n int, numpy *peer.Gemm) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	names := []string{"nmu", "gonum"}
	note := ""
	if numpy != nil {
		names = append(names, "numpy")
		note = numpy.About()
	}
	x, y := squares[float64](n), squares[float32](n)
	impl := blasOf()
	m := report.Measurement{Group: gemmGroup(t, threads), Case: gemmCase(n), Note: note}
	return s.each(m, names, func(name string) (float64, error) {
		if name == "numpy" {
			return numpy.Seconds(s.ctx, t, threads, n)
		}
		return s.lasts(func() {
			if t == machine.Float64 {
				impl[name].Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x[0], n, x[1], n, 0, x[2], n)
			} else {
				impl[name].Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, y[0], n, y[1], n, 0, y[2], n)
			}
		}), nil
	})
}

// squares returns three n x n matrices.
func squares[T kernel.Float](n int) (x [3][]T) {
	for k := range x {
		x[k] = make([]T, n*n)
		for i := range x[k] {
			x[k][i] = T(i % (7 - 2*k))
		}
	}
	return x
}

// gonumPrograms measures gonum's own programs on each BLAS, with one thread.
func (s *session) gonumPrograms() error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer blas64.Use(gonum.Implementation{})
	n := decomposed
	if s.plan.Short {
		n = 60
	}
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, float64((i*31+j*17)%101)/101)
		}
		a.Set(i, i, float64(n))
	}
	impl := blasOf()
	for _, p := range []struct {
		name string
		run  func()
	}{
		{"mul", func() { new(mat.Dense).Mul(a, a) }},
		{"qr", func() { new(mat.QR).Factorize(a) }},
		{"lu", func() { new(mat.LU).Factorize(a) }},
		{"solve", func() { _ = new(mat.Dense).Solve(a, a) }}, // a is well conditioned
	} {
		err := s.each(report.Measurement{Group: groupBLASGonum, Case: p.name}, []string{"nmu", "gonum"}, func(name string) (float64, error) {
			blas64.Use(impl[name])
			return s.lasts(p.run), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errNoCall is the error of an unknown small call.
var errNoCall = errors.New("bench: no such call")

// smallCalls measures calls with sizes around the thresholds for the use of the kernels.
func (s *session) smallCalls() error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	impl := blasOf()
	for _, n := range []int{2, 4, 8, 9, 16, 24, 32, 48, 64, 100, 128, 200} {
		x := squares[float64](n)
		for i := range n {
			x[0][i*n+i] = 1
		}
		for _, call := range []string{"gemm", "syrk", "symm", "trsm", "trmm", "gemv", "ger", "dot", "axpy", "scal", "nrm2"} {
			m := report.Measurement{Group: groupBLASSmall, Case: fmt.Sprintf("%s n=%d", call, n)}
			err := s.each(m, []string{"nmu", "gonum"}, func(name string) (float64, error) {
				f := smallCall(impl[name], call, n, x)
				if f == nil {
					return 0, errNoCall
				}
				return s.lasts(f), nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// smallCall returns a call of a routine that can be made any number of times.
func smallCall(b level23, name string, n int, x [3][]float64) func() {
	switch name {
	case "gemm":
		return func() { b.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x[0], n, x[1], n, 0, x[2], n) }
	case "syrk":
		return func() { b.Dsyrk(blas.Lower, blas.NoTrans, n, n, 1, x[0], n, 0, x[2], n) }
	case "symm":
		return func() { b.Dsymm(blas.Left, blas.Upper, n, n, 1, x[0], n, x[1], n, 0, x[2], n) }
	case "trsm": // a right-hand side of zeros stays zero
		clear(x[2])
		return func() { b.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, x[0], n, x[2], n) }
	case "trmm":
		clear(x[2])
		return func() { b.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, x[0], n, x[2], n) }
	case "gemv":
		return func() { b.Dgemv(blas.NoTrans, n, n, 1, x[0], n, x[1], 1, 0, x[2], 1) }
	case "ger":
		return func() { b.Dger(n, n, 1e-9, x[0], 1, x[1], 1, x[2], n) }
	case "dot":
		return func() { b.Ddot(n*n, x[0], 1, x[1], 1) }
	case "axpy":
		return func() { b.Daxpy(n*n, 1e-9, x[0], 1, x[2], 1) }
	case "scal":
		return func() { b.Dscal(n*n, 1, x[1], 1) }
	case "nrm2":
		return func() { b.Dnrm2(n*n, x[1], 1) }
	}
	return nil
}
