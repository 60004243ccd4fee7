package checkasm

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/isa"
)

// Kernel describes how one kernel is tested and measured for one precision.
// Setup, Name and Block are needed, the rest has defaults.
type Kernel[T Float] struct {
	Name string

	// Setup makes the buffers of a call with the dimensions c.Shape, calls
	// c.Reference with the generic body and c.Call with the public function.
	Setup func(c *Case[T])

	// Block is the number of elements that one step of the widest loop takes.
	Block int

	// Shapes are the dimensions to test; nil: one dimension, Lengths(Block).
	Shapes [][]int

	// Distinct are shapes whose extents are at least 2 and differ from each other,
	// of which broken ones are made; nil, where Shapes is: one of 2*Block + 1.
	Distinct [][]int

	// Values are the classes of input values; nil: Finite.
	Values []Values

	// Places are the placements of buffers; nil: both ends and all misalignments,
	// or four of these for shapes of more than 2048 elements.
	Places []Place

	// Assembled says for which shapes the body of the level must run; nil: from
	// Shape[0] = Block on.
	Assembled func(shape []int) bool

	// Probe names the buffer whose first access shows which body ran; "": any.
	Probe string

	// Body is the name, or part of it, of the bodies that run at a level, where
	// it is not AVX2, AVX512 or NEON as the level is.
	Body map[isa.Level]string

	// BenchShape returns dimensions for which the buffers hold about the given
	// number of elements together; nil: no benchmark.
	BenchShape func(elements int) []int

	// Bytes and Flops count the memory traffic and the floating-point
	// operations (an FMA counts as two) of one call; nil: not reported.
	Bytes, Flops func(shape []int) float64
}

// Runner is a Kernel of either precision.
type Runner interface {
	Test(t *testing.T)
	Bench(b *testing.B)
}

// Test tests every kernel of the table.
func Test(t *testing.T, table ...Runner) {
	for _, k := range table {
		k.Test(t)
	}
}

// Bench measures every kernel of the table.
func Bench(b *testing.B, table ...Runner) {
	for _, k := range table {
		k.Bench(b)
	}
}

// SeedEnv is the environment variable that sets the seed of the values; 1 if it
// is not set. Each failure prints the seed.
const SeedEnv = "CHECKASM_SEED"

// Lengths returns 0 to 3*block+3, and a few lengths that are large: more than
// a page, and more than the work of one bounded call of assembly.
func Lengths(block int) [][]int {
	var s [][]int
	for n := range 3*block + 4 {
		s = append(s, []int{n})
	}
	return append(s, []int{1021 + 3*block}, []int{4096 + block + 1}, []int{70001})
}

// Grid returns all combinations of the given extents of each dimension.
func Grid(dims ...[]int) [][]int {
	s := [][]int{nil}
	for _, d := range dims {
		var next [][]int
		for _, head := range s {
			for _, n := range d {
				next = append(next, append(head[:len(head):len(head)], n))
			}
		}
		s = next
	}
	return s
}

// maxReports is the number of failing cases reported per kernel and level.
const maxReports = 5

// Test runs the kernel at every available level over its shapes, placements
// and classes of values, and then with broken shapes.
func (k Kernel[T]) Test(t *testing.T) {
	for _, level := range isa.Available() {
		t.Run(fmt.Sprintf("%s/%s/%v", k.Name, Precision[T](), level), func(t *testing.T) {
			k.run(t, level)
			k.broken(t, level)
		})
	}
}

// run tests one level.
func (k Kernel[T]) run(t testing.TB, level isa.Level) {
	t.Helper()
	defer isa.Set(level)()
	seed, err := seed()
	if err != nil {
		t.Fatal(err)
	}
	if k.Shapes == nil {
		k.Shapes = Lengths(k.Block)
	}
	if k.Values == nil {
		k.Values = Finite
	}
	if k.Assembled == nil {
		k.Assembled = func(shape []int) bool { return shape[0] >= k.Block }
	}
	if level == isa.AVX2 || level == isa.AVX512 {
		if !UpperChecked() {
			t.Logf("XINUSE cannot be used on this machine: a missing VZEROUPPER would go unnoticed")
		}
	}
	proofs, reports := 0, 0
	for _, shape := range k.Shapes {
		first := true
		for _, place := range k.places(shape) {
			for _, v := range k.Values {
				c := &Case[T]{Shape: shape, t: t, k: &k, level: level, place: place, values: v, seed: seed}
				c.probe = GuardPages && first && k.Assembled(shape)
				first = false
				c.test()
				proofs += c.proofs
				if c.failed {
					if reports++; reports == maxReports {
						t.Fatalf("%s: stopped after %d failing cases", k.Name, reports)
					}
				}
			}
		}
	}
	switch {
	case !GuardPages:
		t.Logf("no guard pages on this system: canaries only, and no proof of which body ran")
	case proofs == 0 && reports == 0:
		t.Errorf("%s: no case proved which body runs at level %v", k.Name, level)
	}
}

// places returns the placements to test a shape with.
func (k *Kernel[T]) places(shape []int) []Place {
	if k.Places != nil {
		return k.Places
	}
	size := 1
	for _, n := range shape {
		size *= max(n, 1)
	}
	if size > 2048 {
		return []Place{End, Start, Offset(1), Offset(7)}
	}
	p := []Place{End, Start}
	for i := 1; i < Offsets; i++ {
		p = append(p, Offset(i))
	}
	return p
}

func seed() (uint64, error) {
	s := os.Getenv(SeedEnv)
	if s == "" {
		return 1, nil
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s=%q is not a seed: %w", SeedEnv, s, err)
	}
	return n, nil
}

// Precision returns float32 or float64.
func Precision[T Float]() string {
	var t T
	return fmt.Sprintf("%T", t)
}

// Case is one call of a kernel: a shape, a placement, a class of values.
type Case[T Float] struct {
	Shape []int      // dimensions, as in Kernel.Shapes
	Rand  *rand.Rand // for choices of Setup; seeded by the case

	t       testing.TB
	b       *testing.B // nil in a test
	k       *Kernel[T]
	level   isa.Level
	place   Place
	values  Values
	seed    uint64
	buffers []*Buffer[T]
	scalars []string
	begun   bool
	called  bool
	probe   bool
	proofs  int
	breaks  *breaks // nil but where shapes are broken
	failed  bool
}

// N returns Shape[0].
func (c *Case[T]) N() int { return c.Shape[0] }

// Values returns the class of the case's values.
func (c *Case[T]) Values() Values { return c.values }

// In returns a vector that the kernel reads.
func (c *Case[T]) In(name string, n int) *Buffer[T] { return c.buffer(name, 1, n, n, input) }

// InOut returns a vector that the kernel reads and writes. The reference gets
// Want.
func (c *Case[T]) InOut(name string, n int) *Buffer[T] { return c.buffer(name, 1, n, n, inout) }

// Out returns a vector that the kernel sets without reading it: it holds NaNs.
// The reference gets Want.
func (c *Case[T]) Out(name string, n int) *Buffer[T] { return c.buffer(name, 1, n, n, output) }

// InMatrix is In for a matrix stored by rows that begin stride elements apart;
// the gaps between rows are canaries.
func (c *Case[T]) InMatrix(name string, rows, cols, stride int) *Buffer[T] {
	return c.buffer(name, rows, cols, stride, input)
}

// InOutMatrix is InOut for a matrix.
func (c *Case[T]) InOutMatrix(name string, rows, cols, stride int) *Buffer[T] {
	return c.buffer(name, rows, cols, stride, inout)
}

// OutMatrix is Out for a matrix.
func (c *Case[T]) OutMatrix(name string, rows, cols, stride int) *Buffer[T] {
	return c.buffer(name, rows, cols, stride, output)
}

// Scalar returns a value of the case's class.
func (c *Case[T]) Scalar(name string) T {
	x := Draw[T](c.values, c.Rand)
	c.scalars = append(c.scalars, name+"="+show(x))
	return x
}

// IntN returns a number in [0, n) and notes it under name for the report.
func (c *Case[T]) IntN(name string, n int) int {
	x := c.Rand.IntN(n)
	c.scalars = append(c.scalars, fmt.Sprintf("%s=%d", name, x))
	return x
}

// buffer makes a buffer. Its misalignment differs from that of the case's other
// buffers, unless they lie flush against a guard page.
func (c *Case[T]) buffer(name string, rows, cols, stride int, r role) *Buffer[T] {
	place := c.place
	switch {
	case c.b != nil:
		place = Offset(80 * len(c.buffers)) // not all in the same cache set
	case place > Start:
		place = Offset((int(place)*(2*len(c.buffers)+1) + len(c.buffers)) % Offsets)
	}
	b := NewBuffer[T](name, rows, cols, stride, place)
	b.role = r
	c.buffers = append(c.buffers, b)
	if r != output {
		b.each(b.Data, func(row []T) { Fill(row, c.values, c.Rand) })
	}
	if r != input {
		b.Want = append([]T(nil), b.Data...)
	}
	if r == output { // what the reference leaves unset must not pass for set
		b.each(b.Want, func(row []T) {
			for i := range row {
				row[i] = -12345
			}
		})
	}
	return b
}

// setRand makes the generator of the case. All levels draw the same values.
func (c *Case[T]) setRand() {
	h := fnv.New64a()
	fmt.Fprint(h, c.k.Name, Precision[T](), c.Shape, c.place, c.values)
	c.Rand = rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// begin fixes the inputs: Setup may have changed them after they were made.
func (c *Case[T]) begin() {
	if c.begun {
		return
	}
	c.begun = true
	for _, b := range c.buffers {
		b.Snapshot()
		if b.role == inout {
			copy(b.Want, b.Data)
		}
	}
}

// Reference calls f, which must set Want of the outputs from Data of the inputs.
func (c *Case[T]) Reference(f func()) {
	if c.b != nil || c.breaks != nil {
		return
	}
	c.begin()
	if fault := Catch(f); fault != nil {
		c.failf("reference: %s", c.explain(fault))
	}
}

// Call calls f, which must call the kernel with Data, Rows, Cols and Stride of the
// buffers, and little else. In a benchmark f is what is measured.
func (c *Case[T]) Call(f func()) {
	if c.b != nil {
		c.measure(f)
		return
	}
	if c.breaks != nil {
		c.breakShapes(f)
		return
	}
	c.begin()
	c.called = true
	if c.probe {
		c.prove(f)
	}
	clean := true
	if fault := Catch(func() { clean = CheckUpperClean(f) }); fault != nil {
		c.failf("%s", c.explain(fault))
		return
	}
	if !clean {
		c.failf("upper halves of the vector registers are in use after the call: VZEROUPPER is missing")
	}
}

// Equal requires that two results have the same bits, or are both NaN.
func (c *Case[T]) Equal(name string, got, want T) {
	if c.b == nil && c.breaks == nil && !Same(got, want, false) {
		c.failf("%s is %s, want %s", name, show(got), show(want))
	}
}

// EqualInt requires that two results are equal.
func (c *Case[T]) EqualInt(name string, got, want int) {
	if c.b == nil && c.breaks == nil && got != want {
		c.failf("%s is %d, want %d", name, got, want)
	}
}

// prove makes the buffers inaccessible, calls f and requires that the function
// that runs into it is a body of the level.
func (c *Case[T]) prove(f func()) {
	var closed []*Buffer[T]
	for _, b := range c.buffers {
		if len(b.Data) > 0 && (c.k.Probe == "" || c.k.Probe == b.name) {
			b.arena.close()
			closed = append(closed, b)
		}
	}
	fault := Catch(f)
	for _, b := range closed {
		b.arena.open()
	}
	for _, b := range c.buffers {
		if b.role != input {
			copy(b.Data, b.before)
		}
	}
	switch {
	case fault == nil:
		c.failf("which body ran cannot be proved: the call touches none of its buffers (Probe %q)", c.k.Probe)
	case !fault.Memory:
		c.failf("%s", c.explain(fault))
	case !c.isBody(fault.Func):
		c.failf("level %v ran %s", c.level, fault.Func)
	default:
		c.proofs++
	}
}

// isBody says whether the function named f is a body of the case's level.
func (c *Case[T]) isBody(f string) bool {
	f = f[strings.LastIndexByte(f, '/')+1:]
	tags := map[isa.Level]string{isa.AVX2: "AVX2", isa.AVX512: "AVX512", isa.NEON: "NEON"}
	if want, ok := c.k.Body[c.level]; ok {
		return strings.Contains(f, want)
	}
	if want, ok := tags[c.level]; ok {
		return strings.Contains(f, want)
	}
	for _, tag := range tags {
		if strings.Contains(f, tag) {
			return false
		}
	}
	return true
}

// test runs Setup and checks the buffers.
func (c *Case[T]) test() {
	c.setRand()
	defer func() {
		for _, b := range c.buffers {
			b.Release()
		}
	}()
	c.k.Setup(c)
	if !c.called {
		c.failf("Setup did not call the kernel")
	}
	for _, b := range c.buffers {
		if c.failed || c.breaks != nil {
			return
		}
		err := b.Canaries()
		switch {
		case err != nil:
		case b.role == input:
			err = b.Unmodified()
		default:
			err = b.Matches()
		}
		if err != nil {
			c.failf("%v", err)
		}
	}
}

// explain describes a fault and says which buffer it is near.
func (c *Case[T]) explain(f *Fault) string {
	s := f.String()
	for _, b := range c.buffers {
		if at := b.locate(f.Addr); f.Memory && at != "" {
			return s + ": " + at
		}
	}
	return s
}

// failf reports a failure of this case.
func (c *Case[T]) failf(format string, args ...any) {
	c.failed = true
	c.t.Helper()
	c.t.Errorf("%v: %s", c, fmt.Sprintf(format, args...))
}

// String describes the case so that it can be repeated.
func (c *Case[T]) String() string {
	s := fmt.Sprintf("%s[%s] level=%v shape=%v values=%v %s=%d",
		c.k.Name, Precision[T](), c.level, c.Shape, c.values, SeedEnv, c.seed)
	for _, x := range c.scalars {
		s += " " + x
	}
	for _, b := range c.buffers {
		s += " " + b.String()
	}
	return s
}

// sizeOf returns the bytes of an element.
func sizeOf[T Float]() int {
	var t T
	return int(unsafe.Sizeof(t))
}
