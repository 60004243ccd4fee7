package prior

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
)

// smoothness makes the sweeps over a picture for a core.Prior.
type smoothness[T kernel.Float] struct {
	core.Team
	height, width int
	weight        T
	absolute      bool // L1: weights that follow the differences
	lines         int  // of a task

	// what the current sweep does
	x, y          []T
	colour        int
	scaled, least T // the weight of a difference of 1, and the least difference, with L1
	task          func(member, task int)
}

const (
	smoothSweeps = 2       // of each step
	smoothPixels = 1 << 12 // least number of a task: fewer are not worth a thread
	leastJump    = 0.01    // difference, as a part of the largest entry, below which the weight grows no more
)

func newSmoothness[T kernel.Float](t core.Team, p core.Prior) *smoothness[T] {
	s := &smoothness[T]{Team: t, height: p.Height, width: p.Width, weight: T(p.Smooth), absolute: p.Absolute}
	s.lines = (smoothPixels + p.Width - 1) / p.Width
	s.task = s.sweepLines
	return s
}

// renew makes sweeps from x towards the minimum. a are the products with a vector, from which
// shift is subtracted, and inv is the reciprocal of the square of this vector. It overwrites a.
func (s *smoothness[T]) renew(x, a []T, inv, shift T) {
	for i := range a {
		a[i] = (a[i] - shift) * inv
	}
	s.x, s.y = x, a
	tasks := (s.height + s.lines - 1) / s.lines
	for range smoothSweeps {
		if s.absolute {
			size := kernel.Max(x)
			if !(size > 0) {
				size = kernel.Max(a) // from zero there are no differences to follow
			}
			if !(size > 0) {
				clear(x)
				return
			}
			s.scaled, s.least = s.weight*size, leastJump*size
		}
		for s.colour = range 2 {
			s.Run(tasks, s.task)
		}
	}
}

// sweepLines renews the pixels of one colour in the lines of a task.
func (s *smoothness[T]) sweepLines(_, task int) {
	height, width := s.height, s.width
	for i := task * s.lines; i < min((task+1)*s.lines, height); i++ {
		x, y := s.x[i*width:(i+1)*width], s.y[i*width:(i+1)*width]
		above, below := x, x // not used in the first and the last line
		if i > 0 {
			above = s.x[(i-1)*width : i*width]
		}
		if i+1 < height {
			below = s.x[(i+1)*width : (i+2)*width]
		}
		for j := (i + s.colour) % 2; j < width; j += 2 {
			here := x[j]
			sum, total := y[j], T(1)
			if i > 0 {
				w := s.weightOf(here - above[j])
				sum += T(w * above[j])
				total += w
			}
			if i+1 < height {
				w := s.weightOf(here - below[j])
				sum += T(w * below[j])
				total += w
			}
			if j > 0 {
				w := s.weightOf(here - x[j-1])
				sum += T(w * x[j-1])
				total += w
			}
			if j+1 < width {
				w := s.weightOf(here - x[j+1])
				sum += T(w * x[j+1])
				total += w
			}
			x[j] = max(0, sum/total)
		}
	}
}

func (s *smoothness[T]) weightOf(d T) T {
	if !s.absolute {
		return s.weight
	}
	return s.scaled / max(d, -d, s.least)
}
