package group

import "nmu/lnmu/internal/tree"

const (
	fewSlabs          = 8       // up to so many slabs,
	fewRows, manyRows = 96, 256 // a slab has at least 96 rows, beyond, 256
)

// Slabs cuts rows into slabs of one size, but for the last. The size follows from the
// number of rows alone, since the sums over slabs are rounded slab by slab. Adding up
// the sums of a slab (rank x cols) costs as much as a few of its rows in the pass, so
// slabs are large; small problems are cut finer, lest threads go idle.
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

// Share returns the rows of a process among so many: those from first to last-1, which
// are whole slabs. Process 0 has at least one row, and of many processes some have
// none. A process that is not from 0 to size-1 has none either.
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
