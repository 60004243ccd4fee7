package main

// #include "call.h"
import "C"

import (
	"nmu/lnmu"
	"nmu/lnmu/topics"
)

// scale scales factors to topics in their places, and writes the mixtures, unless they are NULL.
func scale[T lnmu.Float](c *call) error {
	v, w := resultOf[T]("V", c.v), resultOf[T]("W", c.w)
	to := w
	if c.mixtures != nil {
		to = resultOf[T]("the matrix of mixtures", c.mixtures)
	}
	if to.rows != w.rows || to.cols != w.cols {
		refuse(lnmu.ErrShape, "W is %d x %d and the matrix of mixtures %d x %d; they must be the same", w.rows, w.cols, to.rows, to.cols)
	}
	basis, weights := denseOf(v), denseOf(w)
	fail(topics.Scale(basis, weights))
	if c.mixtures != nil {
		set(to, topics.Mixtures(weights))
	}
	set(v, basis)
	set(w, weights)
	return nil
}
