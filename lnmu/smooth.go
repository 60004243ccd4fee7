package lnmu

import (
	"nmu/internal/team"
	"nmu/kernel"
)

// smoothness makes the sweeps over a picture that Priors describe.
type smoothness[T Float] struct {
	*team.Team
	shape    Shape
	weight   T
	absolute bool // L1: weights that follow the differences
	lines    int  // of a task

	// what the current sweep does
	x, y   []T
	colour int
	size   T // the largest entry of x, by which weights are divided
	task   func(member, task int)
}

const (
	smoothSweeps = 4       // of each step
	smoothPixels = 1 << 12 // of a task at least: less is not worth a thread
	leastJump    = 0.01    // difference, as a part of the largest entry, below which the weight grows no more
)

func newSmoothness[T Float](t *team.Team, p prior) *smoothness[T] {
	s := &smoothness[T]{Team: t, shape: p.shape, weight: T(p.smooth), absolute: p.norm == L1}
	s.lines = (smoothPixels + p.shape.Width - 1) / p.shape.Width
	s.task = s.sweepLines
	return s
}

// renew makes sweeps from x towards the minimum for products a with a vector whose
// square has the reciprocal inv, from which shift is taken off. It overwrites a.
func (s *smoothness[T]) renew(x, a []T, inv, shift T) {
	for i := range a {
		a[i] = (a[i] - shift) * inv
	}
	s.x, s.y = x, a
	tasks := (s.shape.Height + s.lines - 1) / s.lines
	for range smoothSweeps {
		if s.absolute {
			if s.size = kernel.Max(x); !(s.size > 0) {
				s.size = kernel.Max(a) // from zero there are no differences to follow
			}
			if !(s.size > 0) {
				clear(x)
				return
			}
		}
		for s.colour = range 2 {
			s.Run(tasks, s.task)
		}
	}
}

// sweepLines renews the pixels of one colour in the lines of a task.
func (s *smoothness[T]) sweepLines(_, task int) {
	w := s.shape.Width
	for i := task * s.lines; i < min((task+1)*s.lines, s.shape.Height); i++ {
		for j := (i + s.colour) % 2; j < w; j += 2 {
			at := i*w + j
			sum, total := s.y[at], T(1)
			if i > 0 {
				s.pull(&sum, &total, at, at-w)
			}
			if i+1 < s.shape.Height {
				s.pull(&sum, &total, at, at+w)
			}
			if j > 0 {
				s.pull(&sum, &total, at, at-1)
			}
			if j+1 < w {
				s.pull(&sum, &total, at, at+1)
			}
			if sum > 0 {
				s.x[at] = sum / total
			} else {
				s.x[at] = 0
			}
		}
	}
}

// pull adds the weight of a neighbour.
func (s *smoothness[T]) pull(sum, total *T, at, next int) {
	weight := s.weight
	if s.absolute {
		apart := s.x[at] - s.x[next]
		if apart < 0 {
			apart = -apart
		}
		weight *= s.size / max(apart, leastJump*s.size)
	}
	*sum += T(weight * s.x[next])
	*total += weight
}
