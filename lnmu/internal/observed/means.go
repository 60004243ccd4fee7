package observed

import "nmu/kernel"

// Means estimate missing entries of a matrix: the mean of the line times the mean of the
// column, over the mean of all. The lines may be those of one of several processes.
type Means struct {
	// Sums are the sums of each column, and of all. Each process continues the sums of the
	// process before it.
	Sums []Sum

	lines     []Sum       // of each line
	mask      kernel.Bits // the observed entries
	positions [][]int     // scratch, one per member
}

// Sum is the sum and the number of some observed entries.
type Sum struct{ sum, count float64 }

func (s *Sum) add(x float64) {
	s.sum += x
	s.count++
}

// NewMeans returns the means before any lines are added, for a team of the given size.
func NewMeans(mask kernel.Bits, members int) *Means {
	return &Means{Sums: make([]Sum, mask.Cols+1), lines: make([]Sum, mask.Rows), mask: mask, positions: make([][]int, members)}
}

// Add adds the lines x, which begin with line i0.
func Add[T kernel.Float](m *Means, x kernel.Matrix[T], i0 int) {
	all := &m.Sums[m.mask.Cols]
	for i := range x.Rows {
		for j, a := range x.Row(i) {
			if m.mask.At(i0+i, j) {
				m.lines[i0+i].add(float64(a))
				m.Sums[j].add(float64(a))
				all.add(float64(a))
			}
		}
	}
}

// Zero reports whether all entries are zero, so that the means say nothing.
func (m *Means) Zero() bool { return !(m.Sums[m.mask.Cols].sum > 0) }

// Fill sets the missing entries of the lines x, which begin with line i0.
func Fill[T kernel.Float](m *Means, member int, x kernel.Matrix[T], i0 int) {
	all := m.Sums[m.mask.Cols]
	for i := range x.Rows {
		row, of := x.Row(i), m.lines[i0+i]
		m.positions[member] = Positions(m.positions[member][:0], m.mask, len(row), i0+i, false)
		for _, j := range m.positions[member] {
			row[j] = T(of.sum / of.count * (m.Sums[j].sum / m.Sums[j].count) / (all.sum / all.count))
		}
	}
}
