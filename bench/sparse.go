package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu"
)

// groupSparse is the group of the measurements on a sparse matrix.
const groupSparse = "iterations, sparse"

// seriesPass is the series of a plain pass over the nonzeros of a sparse matrix: one
// multiply-add for each of them and each factor, by kernel.AddSparseProduct on the
// matrix as it is given. It is what an iteration is measured in.
const seriesPass = "plain pass"

// barPasses are the most plain passes that an iteration may cost.
var barPasses = []struct {
	method lnmu.Method
	rank   int
	passes float64
}{
	{withSteps(lnmu.RNMU{}, inner), 1, 3},
	{withSteps(lnmu.GNMU{}, inner), 10, 8},
}

// sparseCase names a row of the group.
func sparseCase(method lnmu.Method, rank int, t Type) string {
	return fmt.Sprintf("%s rank=%d %s", nameOf(method), rank, t)
}

// textMatrix returns a matrix as texts give it, a row for each text and a column for
// each word: the lengths of the texts are lognormal, word j is drawn with the
// probability 1/j (Zipf's law), and the numbers of the words have nothing to do with
// how frequent they are. It has close to nnz entries, uniform in (0, 1].
func textMatrix[T lnmu.Float](rows, cols, nnz int, seed uint64) lnmu.CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 0))
	word := rng.Perm(cols)
	length, total := make([]float64, rows), 0.0
	for i := range length {
		length[i] = math.Exp(0.8 * rng.NormFloat64())
		total += length[i]
	}
	c := lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int, rows+1)}
	last := make([]int, cols) // number, from 1 on, of the last row with a word
	for i := range rows {
		first := len(c.Idx)
		want := min(int(math.Round(length[i]/total*float64(nnz))), cols/4) // all could take for ever
		for len(c.Idx)-first < want {
			// Uniform in the logarithm: the probability of j is log(1 + 1/j) / log(cols+1).
			j := word[min(int(math.Exp(rng.Float64()*math.Log(float64(cols+1))))-1, cols-1)]
			if last[j] != i+1 {
				last[j] = i + 1
				c.Idx = append(c.Idx, int32(j))
				c.Val = append(c.Val, T(1-rng.Float64()))
			}
		}
		slices.Sort(c.Idx[first:])
		c.Ptr[i+1] = len(c.Idx)
	}
	return c
}

// sparse measures iterations of rank one and of rank 10 on a text-like sparse matrix,
// one thread, beside a plain pass, in turn.
func (s *session) sparse() error {
	rows, cols, nnz := 9394, 36771, 1_200_000
	if s.plan.small {
		rows, cols, nnz = 60, 200, 900
	}
	if err := sparseIterations(s, textMatrix[float64](rows, cols, nnz, 1), Float64); err != nil {
		return err
	}
	return sparseIterations(s, textMatrix[float32](rows, cols, nnz, 1), Float32)
}

func sparseIterations[T lnmu.Float](s *session, m lnmu.CSR[T], t Type) error {
	for _, b := range barPasses {
		var iteration, pass []float64
		plain, err := newPlainPass(m, b.rank)
		if err != nil {
			return err
		}
		iterations := s.iterations(20)
		for rep := range s.machine.Repetitions {
			s.say("%s on a sparse matrix, rank %d, %s, repetition %d of %d", nameOf(b.method), b.rank, t, rep+1, s.machine.Repetitions)
			took, err := factorOnce(s.ctx, &clock{iterations: iterations}, lnmu.Settings{Threads: 1}, func(settings *lnmu.Settings) (*lnmu.Result[T], error) {
				return lnmu.FactorSparse(s.ctx, m, b.rank, b.method, settings)
			})
			if err != nil {
				return fmt.Errorf("bench: %s on a sparse matrix: %w", nameOf(b.method), err)
			}
			seconds, err := plain.seconds(s.ctx, s.least)
			if err != nil {
				return err
			}
			iteration, pass = append(iteration, 1e3*took.iteration), append(pass, 1e3*seconds)
		}
		bytes := int64(len(m.Val)) * int64(t.Size()+4)
		note := fmt.Sprintf("%d x %d, %d nonzeros, r = %d, one thread", m.Rows, m.Cols, len(m.Val), b.rank)
		name := sparseCase(b.method, b.rank, t)
		s.report.Add(Measurement{Group: groupSparse, Case: name, Series: "nmu", Unit: "ms", Stat: NewStat(iteration), Bytes: bytes, Note: note})
		s.report.Add(Measurement{Group: groupSparse, Case: name, Series: seriesPass, Unit: "ms", Stat: NewStat(pass), Bytes: bytes, Note: note})
	}
	return nil
}

// plainPass is the operands of a plain pass.
type plainPass[T lnmu.Float] struct {
	a, x    kernel.Matrix[T]
	val     []T
	pattern kernel.Pattern
}

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

// gatherable returns a matrix of rows of r numbers that are close to each other in
// memory, none of which lies across two cache lines if it fits into one.
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

// seconds makes passes until they have taken at least the given time, and returns
// the mean of one.
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

// sparse is the plain passes over the nonzeros of a sparse matrix that an iteration
// costs.
func (c *checker) sparse() {
	for _, b := range barPasses {
		for _, t := range types {
			name := sparseCase(b.method, b.rank, t)
			k := Check{
				Name: fmt.Sprintf("sparse/%s/%d/%s", nameOf(b.method), b.rank, t),
				What: fmt.Sprintf("%s, sparse, rank %d, %s: iteration over a plain pass", nameOf(b.method), b.rank, t), Unit: "x", Bar: b.passes, AtMost: true,
			}
			ours, ok := c.find(groupSparse, name)
			pass, also := c.index[caseKey{groupSparse, name, seriesPass}]
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
