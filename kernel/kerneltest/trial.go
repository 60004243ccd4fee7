package kerneltest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
)

// trial is one call of a kernel, with a shape, a place and a class of values. It makes
// the operands, which are in guarded memory.
type trial[T kernel.Float] struct {
	h        *harness[T]
	shape    []int
	level    isa.Level
	place    place
	anyPlace bool // a place of its own for each buffer
	values   checkasm.Values
	choices  Choices

	buffers []*buffer[T]
	masks   []*buffer[T] // which hold the bytes of bits
	scalars []string
	calls   Functions[T] // what the call calls: the function to test, or the reference
	probe   bool
	junk    bool        // in vector registers before the call
	proved  []isa.Level // levels whose body was proved to run
	other   string      // the function of package kernel that ran in place of one to test
	breaks  *breaks     // nil but where shapes are broken
	failed  bool
}

// newTrial returns a trial of the test. All levels draw the same values.
func (h *harness[T]) newTrial(shape []int, place place, values checkasm.Values) *trial[T] {
	sum := fnv.New64a()
	fmt.Fprint(sum, h.k.Name, checkasm.Precision[T](), shape, place, values)
	return &trial[T]{h: h, shape: shape, place: place, values: values, choices: rand.New(rand.NewPCG(h.seed, sum.Sum64()))}
}

// matrix returns an operand. It holds NaNs if the kernel only writes it. Some matrices have gaps of canaries between
// their rows. The misalignment differs from that of the trial's other buffers, unless they lie flush against a
// guard page.
func (c *trial[T]) matrix(name string, rows, cols int, how access) *operand[T] {
	stride := cols
	if c.IntN(2) == 1 {
		stride += c.IntN(20)
	}
	at := c.place
	switch {
	case c.anyPlace:
		at = end
		if c.IntN(3) > 0 {
			at = place(c.IntN(offsets))
		}
	case at > start:
		at = (at*place(2*len(c.buffers)+1) + place(len(c.buffers))) % offsets
	}
	b := newBuffer[T](name, rows, cols, stride, at)
	b.how = how
	c.buffers = append(c.buffers, b)
	if how != written {
		b.each(b.Data, func(row []T) { checkasm.Fill(row, c.values, c.random()) })
	}
	return &b.operand
}

// Scalar returns a value of the trial's class of values.
func (c *trial[T]) Scalar(name string) T {
	x := checkasm.Draw[T](c.values, c.random())
	c.scalars = append(c.scalars, name+"="+checkasm.Show(x))
	return x
}

// IntN returns a number in [0, n).
func (c *trial[T]) IntN(n int) int { return c.choices.IntN(n) }

// random returns the choices as a generator.
func (c *trial[T]) random() *rand.Rand {
	if r, ok := c.choices.(*rand.Rand); ok {
		return r
	}
	return rand.New(c.choices)
}

// Once returns true once in n times on average, and never if shapes are broken.
func (c *trial[T]) Once(n int) bool { return c.IntN(n) == n-1 && c.breaks == nil }

// Fixed declares extents that the kernel learns from something other than a buffer. A call
// whose buffers claim other extents is broken even if the buffers agree.
func (c *trial[T]) Fixed(extents ...int) {
	if c.breaks != nil {
		c.breaks.fixed = extents
	}
}

// Bits returns a mask whose bytes end or begin at a guard page. Bits beyond its columns and
// bytes between its rows are random.
func (c *trial[T]) Bits(name string, rows, cols int) *kernel.Bits {
	bits := &kernel.Bits{Rows: rows, Cols: cols, Stride: (cols + 7) / 8}
	if rows == 0 || cols == 0 {
		return bits
	}
	row := bits.Stride
	if c.IntN(2) == 0 {
		bits.Stride += c.IntN(5)
	}
	n := (rows-1)*bits.Stride + row
	b := newBuffer[T](name, 1, (n+sizeOf[T]()-1)/sizeOf[T](), 0, min(c.place, start))
	b.bits = bits
	c.masks = append(c.masks, b)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&b.Data[0])), len(b.Data)*sizeOf[T]())
	r := c.random()
	density := r.IntN(4)
	for i := range all {
		x, y := byte(r.Uint32()), byte(r.Uint32())
		all[i] = [...]byte{0xFF, x | y, x & y, x}[density]
	}
	bits.Data = all[:n:n]
	if c.place == end {
		bits.Data = all[len(all)-n:]
	}
	return bits
}

// all returns the buffers of operands and of masks.
func (c *trial[T]) all() []*buffer[T] { return slices.Concat(c.buffers, c.masks) }

// String describes the trial, with everything needed to repeat it.
func (c *trial[T]) String() string {
	s := fmt.Sprintf("%s[%s] level=%v shape=%v values=%v", c.h.k.Name, checkasm.Precision[T](), c.level, c.shape, c.values)
	if !c.anyPlace {
		s += fmt.Sprintf(" %s=%d", SeedEnv, c.h.seed)
	}
	for _, x := range c.scalars {
		s += " " + x
	}
	for _, b := range c.all() {
		s += " " + b.String()
	}
	return s
}

// test runs the call of the trial at each level and checks the outcome. If the trial breaks
// shapes, test does that instead.
func (c *trial[T]) test(levels ...isa.Level) {
	defer func() {
		for _, b := range c.all() {
			b.release()
		}
	}()
	c.calls = *c.h.k.functions()
	call := c.h.k.setup(source[T]{c, &c.calls}, c.shape)
	for _, b := range c.all() {
		b.before = append(b.before[:0], b.Data...) // what setup has changed in it is a part of the input
		if b.how != read {
			b.want = append([]T(nil), b.Data...)
		}
		if b.how == written { // what the reference leaves unset must not pass for set
			b.each(b.want, func(row []T) {
				for i := range row {
					row[i] = -12345
				}
			})
		}
	}
	if c.breaks != nil {
		c.breakShapes(call)
		return
	}
	want := c.refer(call)
	for _, c.level = range levels {
		if c.failed {
			return
		}
		c.at(call, want)
		c.restore()
	}
}

// restore resets the outputs to their contents before the call.
func (c *trial[T]) restore() {
	for _, b := range c.buffers {
		if b.how != read {
			copy(b.Data, b.before)
		}
	}
}

// refer sets want of the outputs and returns the expected result: from the call of package kernel at level
// generic, on want.
func (c *trial[T]) refer(call func() T) (want T) {
	defer isa.Set(isa.Generic)()
	own := c.calls
	c.calls = *c.h.ours
	swap := func() {
		for _, b := range c.buffers {
			if b.how != read {
				b.Data, b.want = b.want, b.Data
			}
		}
	}
	swap()
	fault := checkasm.Catch(func() { want = call() })
	swap()
	if c.calls = own; fault != nil {
		c.failf("reference: %s", c.explain(fault))
	}
	return want
}

// at runs the call at the trial's level and checks it.
func (c *trial[T]) at(call func() T, want T) {
	defer isa.Set(c.level)()
	c.trace()
	if c.probe {
		c.prove(call)
	}
	under := checkasm.CheckUpperClean
	if c.junk { // which stays in registers that the function does not use
		under = checkasm.WithJunk
	}
	clean, control := true, checkasm.Control()
	var got T
	if fault := checkasm.Catch(func() { clean = under(func() { got = call() }) }); fault != nil {
		c.failf("%s", c.explain(fault))
		return
	}
	if !clean {
		c.failf("upper halves of the vector registers are in use after the call: VZEROUPPER is missing")
	}
	if checkasm.TakeSpoilt() {
		c.failf("a body changed a register that is not its own: the frame pointer or that of the goroutine")
	}
	if now := checkasm.Control(); now != control {
		checkasm.SetControl(control)
		c.failf("rounding or the flushing of denormals is another after the call: the control register is %#x, before %#x", now, control)
	}
	if !checkasm.Same(got, want, false) {
		c.failf("the result is %s, want %s", checkasm.Show(got), checkasm.Show(want))
	}
	for _, b := range c.all() {
		if c.failed {
			return
		}
		err := b.canaries()
		switch {
		case err != nil:
		case b.how == read:
			err = b.unmodified()
		default:
			err = b.matches()
		}
		if err != nil {
			c.failf("%v", err)
		}
	}
}

// prove makes the buffers inaccessible and runs the call. The function that faults must be the
// body of the level. In place of a function to test, it may be one of package kernel, but not in all trials.
func (c *trial[T]) prove(call func() T) {
	var closed []*buffer[T]
	for _, b := range c.all() {
		if len(b.Data) > 0 {
			b.arena.close()
			closed = append(closed, b)
		}
	}
	fault := checkasm.Catch(func() { call() })
	for _, b := range closed {
		b.arena.open()
	}
	c.restore()
	switch {
	case fault == nil && c.h.k.own != nil:
	case fault == nil:
		c.failf("which body ran cannot be proved: the call touches none of its buffers")
	case !fault.Memory:
		c.failf("%s", c.explain(fault))
	case c.isBody(fault.Func):
		c.proved = append(c.proved, c.level)
	case c.h.k.own != nil:
		c.other = fault.Func
	default:
		c.failf("level %v ran %s", c.level, fault.Func)
	}
}

// isBody says whether function f is the kernel's body at the trial's level. If the kernel has no
// body there, f must not be assembly. A function to test must not be one of package kernel.
func (c *trial[T]) isBody(f string) bool {
	body := c.h.k.BodyOf(c.level.String(), c.shape...)
	switch {
	case c.h.k.own != nil: // a part of a body has no package
		return !strings.HasPrefix(f, reflect.TypeFor[kernel.Bits]().PkgPath()+".") && (body == "" || !strings.HasPrefix(f, body))
	case body != "":
		return strings.HasPrefix(f[strings.LastIndexAny(f, "./")+1:], body)
	}
	return !slices.ContainsFunc([]string{"AVX2", "AVX512", "NEON"}, func(tag string) bool { return strings.Contains(f, tag) })
}

// explain describes a fault and the nearest buffer.
func (c *trial[T]) explain(f *checkasm.Fault) string {
	s := f.String()
	for _, b := range c.all() {
		if at := b.locate(f.Addr); f.Memory && at != "" {
			return s + ": " + at
		}
	}
	return s
}

// trace writes a line for the one who needs to know which call ended the process.
func (c *trial[T]) trace() {
	if own := c.h.k.own; own != nil && own.Trace != nil {
		fmt.Fprintln(own.Trace, c)
	}
}

// failf reports a failure of this trial.
func (c *trial[T]) failf(format string, args ...any) {
	c.failed = true
	c.h.failf("%v: %s", c, fmt.Sprintf(format, args...))
}
