package group

import "nmu/lnmu/internal/tree"

const (
	fewSlabs          = 8       // number of slabs that may be small
	fewRows, manyRows = 96, 256 // least rows of a slab, up to fewSlabs slabs and beyond
)

// Slabs cuts rows into slabs of one size, except for the last one. The size follows from the
// number of rows alone, since the sums over slabs are rounded slab by slab. Slabs are large,
// because adding up the sums of a slab (rank x cols) costs as much as a few of its rows in the
// pass. Small problems are cut finer, so that no threads are idle.
func Slabs(rows int) (size, count int) {
	for count = 1; ; count *= 2 {
		least := fewRows
		if count >= fewSlabs {
			least = manyRows
		}
		if rows/2/count < least {
			break
		}
	}
	size = (rows-1)/count + 1 // no sum overflows
	size = (size + 7) / 8 * 8
	return size, (rows-1)/size + 1
}

// Share returns the rows first to last-1 of a process, which are whole slabs. Process 0 has at
// least one row. If there are many processes, some have none. A process that is not from 0 to
// size-1 has none either.
func Share(rows, rank, size int) (first, last int) {
	if rows < 1 || rank < 0 || rank >= size {
		return 0, 0
	}
	each, count := Slabs(rows)
	cuts := tree.Cuts(count, size)
	return min(cuts[rank]*each, rows), min(cuts[rank+1]*each, rows)
}

// Span is a range of indices: those from From to To-1.
type Span struct{ From, To int }

// Len returns the number of indices.
func (s Span) Len() int { return s.To - s.From }

// Has reports whether index k is in the span.
func (s Span) Has(k int) bool { return s.From <= k && k < s.To }

// Intersect returns the indices that both spans have.
func (s Span) Intersect(other Span) Span {
	from := max(s.From, other.From)
	return Span{from, max(from, min(s.To, other.To))}
}
