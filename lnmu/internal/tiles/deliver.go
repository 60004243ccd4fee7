package tiles

import (
	"slices"
	"sort"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// delivery reads the rows that a process was given, and brings their entries to the sorters of
// the processes that need them, a few megabytes of each process at a time.
type delivery[T kernel.Float] struct {
	comm group.Comm
	from *reading[T]
	to   []*mail[T]
}

// mail carries the entries of a delivery to the sorters of all processes.
type mail[T kernel.Float] struct {
	sorter  *sorter[T]
	rows    []group.Span // of the sorters of all processes
	columns bool         // these are the columns of M

	out [][]entry[T] // for every process
	in  []entry[T]   // from one of them
}

// newMail returns the mail for sorters of the rows, or columns, that all processes share.
func newMail[T kernel.Float](s *sorter[T], h *Share, columns bool) *mail[T] {
	return &mail[T]{sorter: s, rows: h.all(), columns: columns, out: make([][]entry[T], h.Slabs.Size())}
}

// step delivers the entries of some rows, and reports whether there are more.
func (d *delivery[T]) step() (more bool, err error) {
	var c CSR[T]
	first, rows := d.from.at, 0
	if rows, _ = d.from.Dims(); first < rows {
		c, err = d.from.next(rows)
	}
	for _, m := range d.to {
		if err == nil {
			m.add(c, d.from.row+first, d.from.col)
		}
		if failed := m.exchange(d.comm); err == nil {
			err = failed
		}
	}
	return d.from.at < rows, err
}

// add takes the entries of c, whose first row and column are row and col of M.
func (m *mail[T]) add(c CSR[T], row, col int) {
	for i := range c.Rows {
		for t := c.Ptr[i]; t < c.Ptr[i+1]; t++ {
			e := entry[T]{int32(row + i), int32(col) + c.Idx[t], c.Val[t]}
			if m.columns {
				e.row, e.col = e.col, e.row
			}
			who := 0
			if len(m.rows) > 1 {
				who = sort.Search(len(m.rows), func(k int) bool { return m.rows[k].To > int(e.row) })
			}
			e.row -= int32(m.rows[who].From)
			m.out[who] = append(m.out[who], e)
		}
	}
}

// exchange sends the added entries to their processes, and puts the received ones into the
// sorter. It makes all its exchanges even if the sorter fails.
func (m *mail[T]) exchange(c group.Comm) (err error) {
	group.Pairwise(c, func(partner int) {
		came := m.out[partner]
		if partner != c.Rank() {
			sent, received := int64(len(came)), int64(0)
			c.Exchange(partner, group.Bytes(&sent), group.Bytes(&received))
			m.in = slices.Grow(m.in[:0], int(received))[:received]
			c.Exchange(partner, group.Memory(came), group.Memory(m.in))
			came = m.in
		}
		for _, e := range came {
			if err == nil {
				err = m.sorter.put(e)
			}
		}
		m.out[partner] = m.out[partner][:0]
	})
	return err
}
