package checkasm

import (
	"fmt"
	"strings"

	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// test runs the call of the case at each level and checks the outcome. If the case breaks
// shapes, test does that instead.
func (c *Case[T]) test(levels ...isa.Level) {
	defer func() {
		for _, b := range c.all() {
			b.Release()
		}
	}()
	call := c.k.Setup(kernels.Source[T]{Maker: c}, c.shape)
	for _, b := range c.all() {
		b.Snapshot() // what Setup has changed in it is a part of the input
		if b.how != kernels.Read {
			b.Want = append([]T(nil), b.Data...)
		}
		if b.how == kernels.Write { // what the reference leaves unset must not pass for set
			b.each(b.Want, func(row []T) {
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
func (c *Case[T]) restore() {
	for _, b := range c.buffers {
		if b.how != kernels.Read {
			copy(b.Data, b.before)
		}
	}
}

// refer sets Want of the outputs and returns the expected result, from the call at level
// generic on Want, or from Reference.
func (c *Case[T]) refer(call func() T) (want T) {
	defer isa.Set(isa.Generic)()
	swap := func() {
		for _, b := range c.buffers {
			if b.how != kernels.Read {
				b.Data, b.Want = b.Want, b.Data
			}
		}
	}
	f := c.reference
	if f == nil {
		f = func() T {
			swap()
			defer swap()
			return call()
		}
	}
	if fault := Catch(func() { want = f() }); fault != nil {
		c.failf("reference: %s", c.explain(fault))
	}
	return want
}

// at runs the call at the case's level and checks it.
func (c *Case[T]) at(call func() T, want T) {
	defer isa.Set(c.level)()
	if c.probe {
		c.prove(call)
	}
	clean := true
	var got T
	if fault := Catch(func() { clean = CheckUpperClean(func() { got = call() }) }); fault != nil {
		c.failf("%s", c.explain(fault))
		return
	}
	if !clean {
		c.failf("upper halves of the vector registers are in use after the call: VZEROUPPER is missing")
	}
	if takeSpoilt() {
		c.failf("a body changed a register that is not its own: the frame pointer or that of the goroutine")
	}
	if !Same(got, want, false) {
		c.failf("the result is %s, want %s", show(got), show(want))
	}
	for _, b := range c.all() {
		if c.failed {
			return
		}
		err := b.Canaries()
		switch {
		case err != nil:
		case b.how == kernels.Read:
			err = b.Unmodified()
		default:
			err = b.Matches()
		}
		if err != nil {
			c.failf("%v", err)
		}
	}
}

// prove makes the buffers inaccessible and runs the call. The function that faults must be the
// body of the level.
func (c *Case[T]) prove(call func() T) {
	var closed []*Buffer[T]
	for _, b := range c.all() {
		if len(b.Data) > 0 {
			b.arena.close()
			closed = append(closed, b)
		}
	}
	fault := Catch(func() { call() })
	for _, b := range closed {
		b.arena.open()
	}
	c.restore()
	switch {
	case fault == nil:
		c.failf("which body ran cannot be proved: the call touches none of its buffers")
	case !fault.Memory:
		c.failf("%s", c.explain(fault))
	case !c.isBody(fault.Func):
		c.failf("level %v ran %s", c.level, fault.Func)
	default:
		c.proved = append(c.proved, c.level)
	}
}

// isBody says whether function f is the kernel's body at the case's level. If the kernel has no
// body there, f must not be assembly.
func (c *Case[T]) isBody(f string) bool {
	if body := c.k.BodyOf(c.level); body != "" { // or a part of it, which has no package
		return strings.HasPrefix(f[strings.LastIndexAny(f, "./")+1:], body)
	}
	for _, tag := range []string{"AVX2", "AVX512", "NEON"} {
		if strings.Contains(f, tag) {
			return false
		}
	}
	return true
}

// explain describes a fault and the nearest buffer.
func (c *Case[T]) explain(f *Fault) string {
	s := f.String()
	for _, b := range c.all() {
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
