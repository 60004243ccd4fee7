package lnmu

import (
	"unsafe"

	"nmu/lnmu/internal/dense"
)

// Needs is what a factorization of a Stored matrix takes, in bytes: of memory, with the
// results, and of the folder for scratch files.
type Needs struct{ Memory, Scratch int64 }

// NeedsOf returns, about and rather too much, what Factor needs at a rank for the matrix
// that r reads, by a method and settings with all defaults, as WithDefaults returns them.
//
// In numbers, with L lines of w elements, it is a few times r (L + w): the long factor
// twice, its copy that an iteration of GNMU or RNMU falls back on or two that the
// accelerated solver does, the result, the best one of several restarts, and for RNMU the
// start. Beside that there are chunks of M, and of N, for each thread.
func NeedsOf[T Float](r Reader[T], rank int, method Method, settings Settings) (Needs, error) {
	return instance[needing[Reader[T], Needs]](needs32, needs64)(r, rank, method, settings)
}

func needsOf[T Float](r Reader[T], rank int, method Method, settings Settings) (Needs, error) {
	rows, cols := r.Dims()
	p, s, err := prepare(rows, cols, rank, method, &settings, settings.Init == "")
	if err == nil {
		err = p.forStored(s)
	}
	if err != nil {
		return Needs{}, err
	}
	c := dense.Cost(r, rows, cols, p.plan(s, rank, false), s.Threads, s.copies())
	return Needs{c.Memory + int64(unsafe.Sizeof(T(0)))*int64(rows*s.Fixed.V.Cols+cols*s.Fixed.W.Rows), c.Scratch}, nil
}
