package scaling

import (
	"errors"
	"fmt"
	"math/bits"

	"nmu/lnmu"
)

// Method holds the properties of a method that determine the cost of an iteration.
type Method struct {
	Name       string `json:"name"`
	Rank       int    `json:"rank"`       // of a pass: 1 if factors are found one at a time
	Blocks     int    `json:"blocks"`     // that are found one after the other
	Iterations int    `json:"iterations"` // of each of them
	Steps      int    `json:"steps"`      // HALS steps of an iteration
	Sweeps     int    `json:"sweeps"`     // of each factor in a step, at most
	State      bool   `json:"state"`      // whether there is N or G, as large as M
	Augmented  bool   `json:"augmented"`  // whether a target is formed of M and G in each step
}

// ErrMethod reports a method that the model does not know.
var ErrMethod = errors.New("scaling: unknown method")

// mostSweeps is the largest number of sweeps of the accelerated solver if one side of M is much
// longer than the rank.
const mostSweeps = 10

// Of describes a method with its default number of iterations, for a factorization of a rows x
// cols matrix. It knows NMF, GNMU and RNMU, with either solver. Errors wrap ErrMethod, or are
// those of lnmu.
func Of(method lnmu.Method, rows, cols, rank int) (Method, error) {
	method, settings, err := lnmu.WithDefaults(lnmu.Unread[float64]{Rows: rows, Cols: cols}, rank, method, nil)
	if err != nil {
		return Method{}, err
	}
	m := Method{Name: method.Describe().Name, Rank: rank, Blocks: 1, Iterations: settings.Iterations, Steps: 1, Sweeps: 1}
	relaxed := func(l lnmu.Lagrangian) {
		m.Steps, m.Sweeps, m.State, m.Augmented = l.StepsPerUpdate, l.Sweeps, true, l.Solver == lnmu.SolverADMM
	}
	switch x := method.(type) {
	case lnmu.NMF:
		if x.Solver == lnmu.SolverAccelerated {
			m.Sweeps = x.Sweeps
			if m.Sweeps == 0 {
				m.Sweeps = mostSweeps
			}
		}
	case lnmu.GNMU:
		relaxed(x.Lagrangian)
	case lnmu.RNMU:
		relaxed(x.Lagrangian)
		m.Rank, m.Blocks = x.Block, (rank+x.Block-1)/x.Block
	default:
		return m, fmt.Errorf("%w: %s", ErrMethod, m.Name)
	}
	if m.Rank == 1 {
		m.Sweeps = 1
	}
	return m, nil
}

// Cost is the work of one iteration: floating-point operations, and bytes moved between the
// processor and the storage of M. A multiply-add counts as two operations.
type Cost struct {
	Products float64 // operations of the products with M, N or the target, and of V W
	Elements float64 // of the update of the multipliers and of the target, entry by entry
	Long     float64 // of the sweeps and Gram matrices of the long factor
	Short    float64 // and of the short one

	Read, Written float64 // bytes of M and of the state
	Factors       float64 // bytes of the long factor, read and written
}

// Operations returns the sum of all operations.
func (c Cost) Operations() float64 { return c.Products + c.Elements + c.Long + c.Short }

// Bytes returns the sum of all bytes.
func (c Cost) Bytes() float64 { return c.Read + c.Written + c.Factors }

// of returns the cost of a part of the longer side. Every machine does the work of the short
// factor.
func (c Cost) of(part float64) Cost {
	c.Products *= part
	c.Elements *= part
	c.Long *= part
	c.Read *= part
	c.Written *= part
	c.Factors *= part
	return c
}

// Problem is a dense matrix with numbers of Size bytes.
type Problem struct {
	Rows int `json:"rows"`
	Cols int `json:"cols"`
	Size int `json:"size"`
}

// Bytes returns the size of M.
func (p Problem) Bytes() float64 { return float64(p.Rows) * float64(p.Cols) * float64(p.Size) }

// long and short return the lengths of the sides.
func (p Problem) long() float64  { return float64(max(p.Rows, p.Cols)) }
func (p Problem) short() float64 { return float64(min(p.Rows, p.Cols)) }

// Cost returns the work of one iteration on the whole of M.
func (m Method) Cost(p Problem) Cost {
	entries, r, steps := float64(p.Rows)*float64(p.Cols), float64(m.Rank), float64(m.Steps)
	line := steps * (2*float64(m.Sweeps)*r*r + r*(r+1)) // of sweeps and a Gram matrix
	c := Cost{
		Products: entries * 4 * r * steps,
		Long:     line * p.long(), Short: line * p.short(),
		Read:    p.Bytes() * steps,
		Factors: 2 * steps * r * p.long() * float64(p.Size),
	}
	if !m.State {
		return c
	}
	c.Products += entries * 2 * r
	c.Written = p.Bytes()
	c.Factors += 2 * r * p.long() * float64(p.Size) // a copy to fall back on
	if !m.Augmented {
		c.Elements = entries * 2
		c.Read += p.Bytes() // M, and N in every step
		return c
	}
	c.Read += p.Bytes() * steps
	first, others := 6.0, 4.0 // in an iteration, entry by entry
	if m.Rank == 1 {
		first, others = 11, 6
	}
	c.Elements = entries * (first + others*(steps-1))
	return c
}

// Held returns the bytes that an iteration works on: M, the state and the long factor, with the
// copy of it that underapproximations keep.
func (m Method) Held(p Problem) float64 {
	b := p.Bytes() + float64(m.Rank)*p.long()*float64(p.Size)
	if m.State {
		b += p.Bytes() + float64(m.Rank)*p.long()*float64(p.Size)
	}
	return b
}

// Messages describes what the slowest of several processes sends and receives in one iteration:
// Count messages in sequence, with H N and H Hᵀ or a part of them.
type Messages struct {
	Count int
	Bytes float64 // of each
}

// Messages returns the messages of an iteration with this many processes, including those by
// which the first process decides whether to go on. If the processes are a power of two and
// have equal shares, every HALS step swaps the parts of the sum up the levels of a tree, and
// all processes get the sum. Otherwise the parts go up the levels and the sum comes down. Slabs
// of a part may then belong to two processes, which costs some more messages.
func (m Method) Messages(p Problem, processes int) Messages {
	count := m.Steps * bits.Len(uint(processes-1))
	if !swap(p, processes) {
		count *= 2
	}
	r := float64(m.Rank)
	return Messages{Count: count, Bytes: (r*p.short() + r*r) * float64(p.Size)}
}

// swap says whether the number of processes is a power of two and their shares are equal. The
// last share may be smaller.
func swap(p Problem, processes int) bool {
	if processes&(processes-1) != 0 {
		return false
	}
	share := func(process int) int {
		first, last := lnmu.Share(p.Rows, p.Cols, process, processes)
		return last - first
	}
	return share(processes-1) > 0 && share(0) == share(max(0, processes-2))
}
