package checkasm

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"unsafe"

	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/kernel"
)

// Choices makes the random choices of a case. A rand.Rand implements it.
type Choices interface {
	IntN(n int) int // in [0, n)
	Uint64() uint64
}

// Case is one call of a kernel, with a shape, a place and a class of values. It makes
// the operands, which are in guarded memory.
type Case[T Float] struct {
	t        Reporter
	k        *kernels.Kernel[T]
	shape    []int
	level    isa.Level
	place    Place
	anyPlace bool // a place of its own for each buffer
	values   Values
	choices  Choices
	seed     string // for the report

	buffers   []*Buffer[T]
	masks     []*Buffer[T] // which hold the bytes of bits
	scalars   []string
	reference func() T // nil: the call at level generic
	probe     bool
	proved    []isa.Level // levels whose body was proved to run
	breaks    *breaks     // nil but where shapes are broken
	failed    bool
}

// newCase returns a case of the test. All levels draw the same values.
func (h *harness[T]) newCase(shape []int, place Place, values Values) *Case[T] {
	seed, err := seed()
	if err != nil {
		h.t.Fatalf("%v", err)
	}
	sum := fnv.New64a()
	fmt.Fprint(sum, h.k.Name, Precision[T](), shape, place, values)
	return &Case[T]{
		t: h.t, k: &h.k, shape: shape, place: place, values: values,
		choices: rand.New(rand.NewPCG(seed, sum.Sum64())), seed: fmt.Sprintf(" %s=%d", SeedEnv, seed),
	}
}

// Vector returns a vector. It holds NaNs if the kernel only writes it.
func (c *Case[T]) Vector(name string, n int, how kernels.Access) *kernels.Operand[T] {
	return c.buffer(name, 1, n, n, how)
}

// Matrix is Vector for a matrix. Some matrices have gaps of canaries between their rows.
func (c *Case[T]) Matrix(name string, rows, cols int, how kernels.Access) *kernels.Operand[T] {
	return c.buffer(name, rows, cols, c.stride(cols), how)
}

// stride returns cols, or a somewhat larger number.
func (c *Case[T]) stride(cols int) int {
	if c.IntN(2) == 0 {
		return cols
	}
	return cols + c.IntN(20)
}

// Scalar returns a value of the case's class of values.
func (c *Case[T]) Scalar(name string) T {
	x := Draw[T](c.values, c.random())
	c.scalars = append(c.scalars, name+"="+show(x))
	return x
}

// IntN returns a number in [0, n).
func (c *Case[T]) IntN(n int) int { return c.choices.IntN(n) }

// random returns the choices as a generator.
func (c *Case[T]) random() *rand.Rand {
	if r, ok := c.choices.(*rand.Rand); ok {
		return r
	}
	return rand.New(c.choices)
}

// Once returns true once in n times on average, and never if shapes are broken.
func (c *Case[T]) Once(n int) bool { return c.IntN(n) == n-1 && c.breaks == nil }

// Fixed declares extents that the kernel learns from something other than a buffer. A call
// whose buffers claim other extents is broken even if the buffers agree.
func (c *Case[T]) Fixed(extents ...int) {
	if c.breaks != nil {
		c.breaks.fixed = extents
	}
}

// Reference replaces the call at level generic as the reference. f sets Want of the outputs and
// returns the expected result.
func (c *Case[T]) Reference(f func() T) { c.reference = f }

// Bits returns a mask whose bytes end or begin at a guard page. Bits beyond its columns and
// bytes between its rows are random.
func (c *Case[T]) Bits(name string, rows, cols int) kernel.Bits {
	bits := kernel.Bits{Rows: rows, Cols: cols, Stride: (cols + 7) / 8}
	if rows == 0 || cols == 0 {
		return bits
	}
	row := bits.Stride
	if c.IntN(2) == 0 {
		bits.Stride += c.IntN(5)
	}
	n := (rows-1)*bits.Stride + row
	place := c.place
	if place != End {
		place = Start
	}
	b := NewBuffer[T](name, 1, (n+sizeOf[T]()-1)/sizeOf[T](), 0, place)
	c.masks = append(c.masks, b)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&b.Data[0])), len(b.Data)*sizeOf[T]())
	r := c.random()
	density := r.IntN(4)
	for i := range all {
		switch all[i] = byte(r.Uint32()); density {
		case 0:
			all[i] = 0xFF
		case 1:
			all[i] |= byte(r.Uint32())
		case 2:
			all[i] &= byte(r.Uint32())
		}
	}
	if place == End {
		bits.Data = all[len(all)-n:]
	} else {
		bits.Data = all[:n:n]
	}
	c.Fixed(rows, cols)
	return bits
}

// all returns the buffers of operands and of masks.
func (c *Case[T]) all() []*Buffer[T] { return slices.Concat(c.buffers, c.masks) }

// buffer makes a buffer. Its misalignment differs from that of the case's other
// buffers, unless they lie flush against a guard page.
func (c *Case[T]) buffer(name string, rows, cols, stride int, how kernels.Access) *kernels.Operand[T] {
	place := c.place
	switch {
	case c.anyPlace:
		place = End
		if c.IntN(3) > 0 {
			place = Offset(c.IntN(Offsets))
		}
	case place > Start:
		place = Offset((int(place)*(2*len(c.buffers)+1) + len(c.buffers)) % Offsets)
	}
	b := NewBuffer[T](name, rows, cols, stride, place)
	b.how = how
	c.buffers = append(c.buffers, b)
	if how != kernels.Write {
		b.each(b.Data, func(row []T) { Fill(row, c.values, c.random()) })
	}
	return &b.Operand
}

// String describes the case, with everything needed to repeat it.
func (c *Case[T]) String() string {
	s := fmt.Sprintf("%s[%s] level=%v shape=%v values=%v%s", c.k.Name, Precision[T](), c.level, c.shape, c.values, c.seed)
	for _, x := range c.scalars {
		s += " " + x
	}
	for _, b := range c.all() {
		s += " " + b.String()
	}
	return s
}

// sizeOf returns the bytes of an element.
func sizeOf[T Float]() int {
	var t T
	return int(unsafe.Sizeof(t))
}
