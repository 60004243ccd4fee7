package source

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// check returns an error, in all processes, for the first entry that is negative or not finite, or the first row whose
// squares leave the range of T. M is the matrix of that name.
func (s Dense[T]) check(name string) error {
	if s.Part.Columns {
		return s.checkColumns(name)
	}
	return group.Agree(s.Share, s.eachLines(func(first int, x kernel.Matrix[T]) error {
		for k := range x.Rows {
			i, row := s.Part.First+first+k, x.Row(k)
			if err := matrix.CheckRow(name, i, row); err != nil {
				return err
			}
			if math.IsInf(float64(kernel.SumSquares(row)), 0) {
				return overflow(name, i)
			}
			if most := kernel.Max(row); most > 0 && most*most == 0 {
				return underflow(name, i)
			}
		}
		return nil
	}))
}

// normSlabs is an upper bound for the bytes of slabs in memory at the same time, unless the
// slabs of one thread need more. A wide matrix needs whole slabs.
const normSlabs = 64 << 20

// rowTotal is the approximate sum of squares of a row of M, and its largest entry.
type rowTotal struct{ squares, largest float64 }

// checkColumns is check for lines that are columns. A row of M then has entries in the lines of all processes. Its
// squares are first added up in float64. Only a row that may leave the range of T is gathered and checked as a whole.
func (s Dense[T]) checkColumns(name string) error {
	var worst *fault.ValueError // the first one by rows
	own, totals := make([]rowTotal, s.Rows), make([]rowTotal, s.Rows)
	err := s.eachLines(func(first int, x kernel.Matrix[T]) error {
		for j := range x.Rows {
			column := s.Part.First + first + j
			if bad := (*fault.ValueError)(nil); errors.As(matrix.CheckRow(name, column, x.Row(j)), &bad) && (worst == nil || bad.Col < worst.Row) {
				worst = &fault.ValueError{Matrix: name, Row: bad.Col, Col: column, Value: bad.Value}
			}
			for i, a := range x.Row(j) {
				own[i].squares += float64(float64(a) * float64(a))
				own[i].largest = max(own[i].largest, float64(a))
			}
		}
		return nil
	})
	if worst != nil && err == nil {
		err = worst
	}
	if err := group.Agree(s.Share, err); err != nil {
		return err
	}
	group.Ring(s.Share, group.Memory(totals), func() {
		for i, x := range own {
			totals[i].squares += x.squares
			totals[i].largest = max(totals[i].largest, x.largest)
		}
	})
	var large []int
	small := -1 // the first row whose squares underflow
	for i, x := range totals {
		if most := T(x.largest); most > 0 && most*most == 0 {
			small = i
			break
		}
		if !(x.squares < matrix.Largest[T]()/2) {
			large = append(large, i)
		}
	}
	lines, _ := s.Lines()
	strip := max(1, min(len(large), normSlabs/(max(lines, 1)*int(unsafe.Sizeof(T(0))))))
	rows := matrix.New[T](strip, lines, nil)
	for at, i := range large {
		if at%strip == 0 {
			err = s.eachLines(func(first int, x kernel.Matrix[T]) error {
				for k, i := range large[at:min(at+strip, len(large))] {
					for j := range x.Rows {
						rows.Row(k)[first+j] = x.Row(j)[i]
					}
				}
				return nil
			})
		}
		if err := group.Agree(s.Share, err); err != nil {
			return err
		}
		if s.overflows(matrix.AsRow(rows.Row(at % strip))) {
			return overflow(name, i)
		}
	}
	if small >= 0 {
		return underflow(name, small)
	}
	return nil
}

// overflow and underflow are the errors about row i of the matrix of that name.
func overflow(name string, i int) error {
	return fmt.Errorf("%w: the squares of row %d of %s overflow; scale %s down", fault.ErrValue, i+1, name, name)
}

func underflow(name string, i int) error {
	return fmt.Errorf("%w: the squares of row %d of %s underflow; scale %s up", fault.ErrValue, i+1, name, name)
}

// overflows reports in all processes whether the squares of a row of M overflow. Each process
// has a part of the row.
func (s Dense[T]) overflows(part kernel.Matrix[T]) bool {
	d := group.Distributed[T]{X: part, Columns: true, First: s.Part.First, Whole: s.Part.Whole}
	over := false
	if s.Share.Rank() > 0 {
		group.Send[T](s.Share, d)
	} else {
		row := make([]T, 0, s.Part.Whole)
		group.Gather[T](s.Share, d, func(numbers []T) { row = append(row, numbers...) })
		over = math.IsInf(float64(kernel.SumSquares(row)), 0)
	}
	s.Share.Broadcast(group.Bytes(&over))
	return over
}
