package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

// body is the address of an assembly function whose only argument is an *A. It is 0 if a level
// has no such function.
type body[A any] uintptr

// run calls b for so much work on so many rows. Its check of the stack is the place between two calls of assembly where a goroutine
// can be stopped. So it must not be inlined.
//
//go:noinline
func (b body[A]) run(a *A, work, rows int) {
	if watcher != nil {
		watcher(work, rows)
	}
	if through != 0 {
		p := passage{unsafe.Pointer(a), uintptr(b)}
		call(unsafe.Pointer(&p), through)
		return
	}
	call(unsafe.Pointer(a), uintptr(b))
}

// through, if a test sets it, is an assembly function that calls the body of a passage.
var through uintptr

type passage struct {
	args unsafe.Pointer
	body uintptr
}

// bodies are the bodies of one level and precision. Assembly fills in the tables: BODY begins a body and
// puts it into the table of the level and the precision. So the fields have the order of the bodies in assembly.
type bodies struct {
	dot, max, min  body[reduction]
	countLess      body[counting]
	contract       [6]body[contraction] // for one to six rows of G: a level has the first
	outer          [8]body[outer]       // and so for rows of the output
	sweep          [13]body[sweep]      // for so many whole vectors of columns, or on amd64 for one to eight vectors
	update, add    body[update]
	augment        body[update]
	target         body[update]
	keep, impute   body[update]
	weigh          body[update]
	maskedUpdate   body[update]
	maskedAugment  body[update]
	maskedTarget   body[update]
	extrapolate    body[extrapolation]
	rankOne        body[rankOne]
	augRankOne     body[rankOne]
	maskedRankOne  body[rankOne]
	maskedAugRank  body[rankOne]
	ratio, dotLog  body[ratios]
	logDerivatives body[derivatives]
	addSparse      body[gather]
	addTransposed  body[gather]
	sampled        [7]body[gather] // of any rows; of whole groups by what is done; and so with half of the last group
	sparseRankOne  body[rankOneRows]
	panel          body[panel]
	addScaled      body[scaled]
	scale          body[scaled]
}

// level is the assembly of one instruction level.
type level struct {
	tiles
	f64, f32 *bodies
	shorter  *level // with vectors of half the length, for some sparse products; or nil
}

// generic is a level without assembly.
var generic = level{f64: &bodies{}, f32: &bodies{}}

// active returns the assembly of the active level.
func active() *level { return levelOf(isa.Active()) }

// bodiesOf returns the bodies of l for T.
func bodiesOf[T Float](l *level) *bodies {
	if sizeOf[T]() == 8 {
		return l.f64
	}
	return l.f32
}
