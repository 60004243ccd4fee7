package bench

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/kernel"
	"nmu/lnmu"
)

// seriesPass is the series of a plain pass over the nonzeros of a sparse matrix by
// kernel.AddSparseProduct: one multiply-add for each nonzero and factor. It is the unit of
// an iteration.
const seriesPass = "plain pass"

// barPasses are the upper bounds on the time of an iteration, in plain passes, and its work.
var barPasses = []struct {
	method string
	rank   int
	passes float64
	work   sparseWork
}{
	{subject.RNMU, 1, 3, sparseWork{read: 2, copied: 2, entries: 4, columns: 2}},
	{subject.GNMU, 10, 8, sparseWork{read: 3, copied: 2, entries: 6, columns: 4}},
	{subject.NMF, 25, 4, sparseWork{read: 1, copied: 1, entries: 2, columns: 2}},
	{kl, 25, 7, sparseWork{read: 2, copied: 1, again: 1, entries: 2, columns: 2}},
}

// passWork is the work of a plain pass.
var passWork = sparseWork{read: 1, entries: 1, columns: 1}

// kl is the method of the Kullback-Leibler divergence, which is measured on a sparse matrix only.
const kl = "kl"

// sparseMethod returns the method of that name.
func sparseMethod(name string) (lnmu.Method, error) {
	if name == kl {
		return lnmu.KL{}, nil
	}
	method, err := subject.MethodByName(name)
	return method.Method, err
}

// sparseCase names a row of the group.
func sparseCase(method string, rank int, t machine.Type) string {
	return report.SparseCase(fmt.Sprintf("%s rank=%d", method, rank), t)
}

// measureSparse measures iterations of several ranks on a sparse matrix of words, in one thread, each
// in turn with a plain pass and with the limit.
func (s *session) measureSparse() error {
	rows, cols, nnz := 9394, 36771, 1_200_000
	if s.plan.small {
		rows, cols, nnz = 60, 200, 900
	}
	if err := sparseIterations(s, subject.TextMatrix[float64](rows, cols, nnz, 1), machine.Float64); err != nil {
		return err
	}
	return sparseIterations(s, subject.TextMatrix[float32](rows, cols, nnz, 1), machine.Float32)
}

// sparseIterations measures the iterations in one precision.
func sparseIterations[T lnmu.Float](s *session, m lnmu.CSR[T], t machine.Type) error {
	for _, b := range barPasses {
		method, err := sparseMethod(b.method)
		if err != nil {
			return err
		}
		var iteration, pass, limits, passLimits []float64
		var by, passBy string
		plain, err := newPlainPass(m, b.rank)
		if err != nil {
			return err
		}
		iterations := s.iterations(20)
		for rep := range s.opts.Repetitions {
			s.say("%s on a sparse matrix, rank %d, %s, repetition %d of %d", b.method, b.rank, t, rep+1, s.opts.Repetitions)
			rates, err := s.sparseRates(len(m.Val), t)
			if err != nil {
				return err
			}
			limit, name := rates.limit(b.work, len(m.Val), b.rank, t)
			by, limits = name, append(limits, 1e3*limit)
			limit, name = rates.limit(passWork, len(m.Val), b.rank, t)
			passBy, passLimits = name, append(passLimits, 1e3*limit)
			took, err := engine.Factor(s.ctx, &engine.Clock{Iterations: iterations}, engine.Sparse(m), b.rank, method, 1)
			if err != nil {
				return fmt.Errorf("bench: %s on a sparse matrix: %w", b.method, err)
			}
			seconds, err := plain.seconds(s.ctx, s.least)
			if err != nil {
				return err
			}
			iteration, pass = append(iteration, 1e3*took.Iteration), append(pass, 1e3*seconds)
		}
		bytes := int64(len(m.Val)) * int64(t.Size()+4)
		note := fmt.Sprintf("%d x %d, %d nonzeros, r = %d, one thread", m.Rows, m.Cols, len(m.Val), b.rank)
		name := sparseCase(b.method, b.rank, t)
		s.report.Add(report.Measurement{Group: report.SparseGroup, Case: name, Series: "nmu", Unit: "ms", Stat: stat.New(iteration), Limits: limits, LimitBy: by, Bytes: bytes, Note: note})
		s.report.Add(report.Measurement{Group: report.SparseGroup, Case: name, Series: seriesPass, Unit: "ms", Stat: stat.New(pass), Limits: passLimits, LimitBy: passBy, Bytes: bytes, Note: note})
	}
	return nil
}

// plainPass holds the operands of a plain pass.
type plainPass[T lnmu.Float] struct {
	a, x    kernel.Matrix[T]
	val     []T
	pattern kernel.Pattern
}

// newPlainPass makes the operands of a matrix.
func newPlainPass[T lnmu.Float](m lnmu.CSR[T], rank int) (*plainPass[T], error) {
	pattern, err := kernel.NewPattern(m.Cols, m.Ptr, m.Idx)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	p := &plainPass[T]{a: gatherable[T](m.Rows, rank), x: gatherable[T](m.Cols, rank), val: m.Val, pattern: pattern}
	for i := range p.x.Data {
		p.x.Data[i] = 1
	}
	return p, nil
}

// gatherable returns a matrix whose rows of r numbers are close to each other. A row that
// fits into one cache line does not cross a line boundary.
func gatherable[T lnmu.Float](rows, r int) kernel.Matrix[T] {
	var zero T
	stride := r
	if line := kernel.Alignment / int(unsafe.Sizeof(zero)); r < line {
		for stride = 1; stride < r; {
			stride *= 2
		}
	}
	m := kernel.NewMatrix[T](1, rows*stride)
	return kernel.Matrix[T]{Rows: rows, Cols: r, Data: m.Data[:rows*stride], Stride: stride}
}

// seconds runs passes for at least the given time and returns the mean seconds of a pass.
func (p *plainPass[T]) seconds(ctx context.Context, least time.Duration) (float64, error) {
	kernel.AddSparseProduct(p.a, p.pattern, p.val, 0, p.x)
	begun, passes := time.Now(), 0
	for passes == 0 || time.Since(begun) < least {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		kernel.AddSparseProduct(p.a, p.pattern, p.val, 0, p.x)
		passes++
	}
	return time.Since(begun).Seconds() / float64(passes), nil
}

// checkSparse checks the time of an iteration in plain passes.
func (c *checker) checkSparse() {
	for _, b := range barPasses {
		for _, t := range subject.Types {
			name := sparseCase(b.method, b.rank, t)
			k := report.Check{
				Name: fmt.Sprintf("sparse/%s/%d/%s", b.method, b.rank, t),
				What: fmt.Sprintf("%s, sparse, rank %d, %s: iteration over a plain pass", b.method, b.rank, t), Unit: "x", Bar: b.passes, AtMost: true,
			}
			ours, ok := c.Find(report.SparseGroup, name)
			pass, also := c.FindBy(report.SparseGroup, name, seriesPass)
			if !ok || !also || pass.Median <= 0 {
				c.missing(k, "")
				continue
			}
			k.Value = ours.Over(pass.Stat)
			k.Note = fmt.Sprintf("%.3g and %.3g ms; %s", ours.Median, pass.Median, ours.Note)
			c.add(k)
		}
	}
}
