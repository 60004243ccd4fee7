package kerneltest

import (
	"math/rand/v2"
	"slices"

	"nmu/kernel"
)

// cut is a kernel with a working set that is cut into blocks.
type cut[T kernel.Float] struct {
	name   string
	blocks []func() T // the calls

	// The cost of one call. Only the blocks' own operands count as moved, with each number
	// read and each number written once.
	bytes, ops float64
}

// Call returns a call of a shape on its own operands, with numbers between 0.5 and 1.
func (k Kernel[T]) Call(shape []int) func() T {
	return k.setup(source[T]{&memory[T]{rand: rand.New(rand.NewPCG(1, 0))}, k.functions()}, shape)
}

// cuts cuts the numbers of pool into blocks for each measure of the kernel. It omits a measure
// if no block fits. The calls compute on the numbers in pool, which should be set by fill.
func (k Kernel[T]) cuts(pool []T, rank int) []cut[T] {
	var cuts []cut[T]
	for _, m := range k.measures {
		shape := m.shape(len(pool), rank)
		if shape == nil {
			continue
		}
		// A setup without memory says how much a block takes.
		mem := &memory[T]{k: &k, rand: rand.New(rand.NewPCG(1, 0)), shared: map[string]*operand[T]{}}
		s := source[T]{mem, k.functions()}
		k.setup(s, shape)
		blocks := (len(pool) - mem.resident) / max(mem.own, 1)
		if blocks <= 0 || mem.own == 0 {
			continue
		}
		mem.blocks, mem.pool = blocks, pool[mem.resident:]
		c := cut[T]{name: k.Name, bytes: float64(mem.moved * sizeOf[T]()), ops: float64(m.ops * k.Work(shape))}
		if m.variant != "" {
			c.name += ", " + m.variant
		}
		for b := range blocks {
			mem.block, mem.at = b, 0
			c.blocks = append(c.blocks, k.setup(s, shape))
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// fill sets x to numbers between 0.5 and 1.
func fill[T kernel.Float](x []T) {
	for i := range min(len(x), 97) {
		x[i] = 0.5 + T(i)/194
	}
	for n := min(len(x), 97); n < len(x); n *= 2 {
		copy(x[n:], x[:n])
	}
}

// memory makes the operands of calls whose results are not used. Without a pool each operand has its
// own memory. With a pool of several blocks, the blocks' own operands are cut from it, and that many numbers less as they
// share resident ones. The first operands of all blocks are adjacent, then the second ones.
//
//	| X of block 0 | X of block 1 | ... | A of block 0 | A of block 1 | ...
//
// setup makes the largest operand of a block first, because an operand behind an odd number of
// elements is not aligned.
type memory[T kernel.Float] struct {
	k      *Kernel[T] // nil for a single call
	rand   *rand.Rand
	pool   []T
	blocks int
	block  int
	at     int                    // elements of the operands that all blocks have had before
	shared map[string]*operand[T] // by name

	own, resident, moved int // elements: of a block, of all, and how many a block moves
}

// matrix makes an operand. A block moves each of its elements once, or twice if it reads and writes it.
func (m *memory[T]) matrix(name string, rows, cols int, how access) *operand[T] {
	if o, ok := m.shared[name]; ok {
		return o
	}
	n := rows * cols
	if m.blocks > 0 {
		from := m.at + m.block*n
		m.at += m.blocks * n
		return &operand[T]{Data: m.pool[from : from+n : from+n], Rows: rows, Cols: cols, Stride: cols}
	}
	o := &operand[T]{Rows: rows, Cols: cols}
	switch {
	case m.k == nil:
		o.allocate()
	case slices.Contains(m.k.resident, name):
		m.resident += n
		fallthrough
	case slices.Contains(m.k.apart, name):
		o.allocate()
		m.shared[name] = o
	default:
		m.own += n
		m.moved += n
		if how == readWritten {
			m.moved += n
		}
	}
	return o
}

// allocate gives an operand its own memory.
func (o *operand[T]) allocate() {
	all := kernel.NewMatrix[T](o.Rows, o.Cols)
	fill(all.Data)
	o.Data, o.Stride = all.Data, all.Stride
	if o.Rows == 1 {
		o.Data = all.Row(0)
	}
}

// Bits returns a mask with seven of eight entries observed, in no order. It does not count as
// moved.
func (m *memory[T]) Bits(_ string, rows, cols int) *kernel.Bits {
	b := kernel.NewBits(rows, cols)
	for i := range b.Data {
		b.Data[i] = ^byte(1 << m.IntN(8))
	}
	return &b
}

// Scalar returns a step so small that numbers hardly change over many calls.
func (m *memory[T]) Scalar(string) T { return 0.001 }

func (m *memory[T]) IntN(n int) int { return m.rand.IntN(n) }
func (m *memory[T]) Once(int) bool  { return false }
func (m *memory[T]) Fixed(...int)   {}
