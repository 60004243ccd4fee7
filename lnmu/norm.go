package lnmu

import (
	"fmt"
	"math"
	"unsafe"

	"nmu/internal/team"
	"nmu/kernel"
)

// soleBytes is the size of a matrix that one thread reads sooner than others are at
// work.
const soleBytes = 1 << 20

// norm returns ||M||_F and the largest entry of M, or an error if M holds an entry
// that is negative or not finite, or if its squares leave the range of T. As in a
// pass, the longer side of M is cut into slabs, which the threads share and along
// whose tree the squares are added up.
func (s source[T]) norm(name string, threads int) (norm, most float64, err error) {
	m, n := s.whole()
	size, _ := slabs(max(m, n))
	length := s.rows
	if n > m {
		length = s.cols
	}
	count := (length + size - 1) / size
	var zero T
	if s.rows*s.cols <= soleBytes/int(unsafe.Sizeof(zero)) {
		threads = 1
	}
	t := team.New(min(threads, max(count, 1)))
	defer t.Close()
	found := make([]magnitude, count)
	t.Run(count, func(_, slab int) {
		from, to := slab*size, min((slab+1)*size, length)
		if n > m {
			found[slab] = s.slice(0, s.rows, from, to).magnitude()
		} else {
			found[slab] = s.slice(from, to, 0, s.cols).magnitude()
		}
	})
	all := sumOver(s.share, found, func(a, b magnitude) magnitude {
		return magnitude{a.squares + b.squares, max(a.largest, b.largest), a.suspect || b.suspect}
	})
	// A row can leave the range that stays within it slab by slab, and the other way
	// round.
	if all.suspect || !(all.squares < largest[T]()/2) {
		if err := s.agree(s.checkRows(name)); err != nil {
			return 0, 0, err
		}
	}
	return math.Sqrt(all.squares), all.largest, nil
}

// magnitude is what norm finds out about a part of M.
type magnitude struct {
	squares, largest float64
	suspect          bool // there is something that checkRows may refuse
}

func (s source[T]) magnitude() (m magnitude) {
	_ = s.eachRow(func(_ int, row []T) error {
		sum, most := float64(kernel.SumSquares(row)), kernel.Max(row)
		m.suspect = m.suspect || kernel.Min(row) < 0 || math.IsNaN(sum) || math.IsInf(sum, 0) || most > 0 && most*most == 0
		m.squares += sum
		m.largest = max(m.largest, float64(most))
		return nil
	})
	return m
}

// checkRows returns an error for the first row of M that holds an entry that is
// negative or not finite, or whose squares leave the range of T.
func (s source[T]) checkRows(name string) error {
	first := s.window().rows.from
	return s.eachRow(func(i int, row []T) error {
		if err := checkRow(name, i, row); err != nil {
			return s.placed(err)
		}
		if math.IsInf(float64(kernel.SumSquares(row)), 0) {
			return fmt.Errorf("%w: the squares of row %d of %s overflow; scale %s down", ErrValue, first+i+1, name, name)
		}
		if most := kernel.Max(row); most > 0 && most*most == 0 {
			return fmt.Errorf("%w: the squares of row %d of %s underflow; scale %s up", ErrValue, first+i+1, name, name)
		}
		return nil
	})
}

// checkRow returns a ValueError for the first entry of row i that is negative or not
// finite.
func checkRow[T Float](name string, i int, row []T) error {
	for j, x := range row {
		if !(x >= 0) || math.IsInf(float64(x), 0) {
			return &ValueError{Matrix: name, Row: i, Col: j, Value: float64(x)}
		}
	}
	return nil
}
