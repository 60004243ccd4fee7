package source

import (
	"fmt"
	"math"
	"unsafe"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// soleBytes is the size of a matrix up to which one thread is faster than several.
const soleBytes = 1 << 20

// Norm returns ||M||_F, weighted if entries have weights, and the largest entry of M. It
// returns an error if M holds an entry that is negative or not finite, or if its squares leave
// the range of T. As in a pass, the longer side of M is cut into slabs, which the threads
// share. The squares are added up along the tree over the slabs.
func (s Dense[T]) Norm(name string, threads int) (norm, most float64, err error) {
	m, n := s.Whole()
	size, _ := group.Slabs(max(m, n))
	length := s.Rows
	if n > m {
		length = s.Cols
	}
	count := (length + size - 1) / size
	var zero T
	if s.Rows*s.Cols <= soleBytes/int(unsafe.Sizeof(zero)) {
		threads = 1
	}
	t := team.New(min(threads, max(count, 1)))
	defer t.Close()
	found := make([]magnitude, count)
	t.Run(count, func(_, slab int) {
		from, to := slab*size, min((slab+1)*size, length)
		if n > m {
			addRows(&found[slab], s.slice(0, s.Rows, from, to))
		} else {
			addRows(&found[slab], s.slice(from, to, 0, s.Cols))
		}
	})
	norm, most, _, err = normOf(s, name, found, func() bool { return false })
	return norm, most, err
}

// magnitude is what Norm needs of a part of M.
type magnitude struct {
	squares, largest float64
	suspect          bool // check may refuse an entry or a row
}

// plus returns the magnitude of both parts together.
func (m magnitude) plus(other magnitude) magnitude {
	return magnitude{m.squares + other.squares, max(m.largest, other.largest), m.suspect || other.suspect}
}

// normOf returns the norm and the largest entry of the matrix of that name, given those of its slabs. It returns an
// error if its squares leave the range of the numbers, or that of check. done is that of
// weightedNorm.
func normOf[T kernel.Float](s Dense[T], name string, found []magnitude, over func() bool) (norm, most float64, done bool, err error) {
	m := group.Sum(s.Share, found, magnitude.plus)
	if m.suspect || !(m.squares < matrix.Largest[T]()/2) { // a row may leave the range although its parts do not
		err = s.check(name)
	}
	if err == nil && math.IsInf(m.squares, 0) {
		err = fmt.Errorf("%w: the squares of %s overflow; scale %s down", fault.ErrValue, name, name)
	}
	if err != nil {
		return 0, 0, true, err
	}
	rows, cols := s.Whole()
	norm, err = math.Sqrt(m.squares), matrix.CheckSquares[T](name, m.squares, m.largest, float64(rows)*float64(cols))
	if done = true; s.Observed.Weighted() && err == nil {
		norm, done, err = s.weightedNorm(over)
	}
	return norm, m.largest, done, err
}

// addRows adds the lines of s, which are rows.
func addRows[T kernel.Float](m *magnitude, s Dense[T]) {
	_ = s.eachLines(func(_ int, x kernel.Matrix[T]) error {
		for i := range x.Rows {
			row := x.Row(i)
			sum, most := float64(kernel.SumSquares(row)), kernel.Max(row)
			m.suspect = m.suspect || kernel.Min(row) < 0 || math.IsNaN(sum) || math.IsInf(sum, 0) || most > 0 && most*most == 0
			m.squares += sum
			m.largest = max(m.largest, float64(most))
		}
		return nil
	})
}
