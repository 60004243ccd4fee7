package tiles

import "nmu/lnmu/internal/group"

// Extent is the number of rows of the layout and of stored entries, of all processes.
type Extent struct{ Rows, Entries int }

const (
	slabEntries   = 1 << 13 // least work of a slab
	entriesPerRow = 4       // the work of a row, in entries
)

// MostRows is the largest number of rows of a slab with the least work.
const MostRows = slabEntries / entriesPerRow

// Slabs returns the largest number of slabs.
func (x Extent) Slabs() int { return max(1, min(x.work()/slabEntries, x.Rows)) }

// work returns the work of the rows and their entries, in entries.
func (x Extent) work() int { return x.Entries + entriesPerRow*x.Rows }

// cuts are slabs of rows: slab s has rows bounds[s] to bounds[s+1]-1, and before[s] entries
// come before them.
type cuts struct{ bounds, before []int }

// cut cuts rows into slabs of about the same work. entries has the number of entries of each
// row of this process, whose rows follow those of the process before. The slabs depend on M
// alone, because the Gram matrices are summed slab by slab.
func (x Extent) cut(c group.Comm, entries counts) cuts {
	most := x.Slabs() + 1
	state := make([]int, 3+2*most) // rows, entries and bounds so far, and the cuts
	bounds, before := state[3:][:most], state[3:][most:]
	state[2] = 1
	group.Ring(c, group.Memory(state), func() {
		done, count := Extent{state[0], state[1]}, state[2]
		for _, n := range entries {
			done.Rows++
			done.Entries += int(n)
			if done.Rows == x.Rows || float64(done.work()) >= float64(x.work())*float64(count)/float64(most-1) {
				bounds[count], before[count] = done.Rows, done.Entries
				count++
			}
		}
		state[0], state[1], state[2] = done.Rows, done.Entries, count
	})
	return cuts{bounds[:state[2]], before[:state[2]]}
}

// counts are the numbers of entries of rows, or of columns.
type counts []int32

// sum returns the sums of the counts of all processes, whose lengths are equal.
func (c counts) sum(p group.Comm) counts {
	if p.Size() == 1 {
		return c
	}
	all := make(counts, len(c))
	group.Ring(p, group.Memory(all), func() {
		for i, n := range c {
			all[i] += n
		}
	})
	return all
}
