package tiles

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nmu/internal/leak"
	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// entriesOf returns the entries of a matrix in any order.
func entriesOf[T kernel.Float](m CSR[T]) (all []entry[T]) {
	for i := range m.Rows {
		for t := m.Ptr[i]; t < m.Ptr[i+1]; t++ {
			all = append(all, entry[T]{int32(i), m.Idx[t], m.Val[t]})
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// sorterOf returns a sorter for a matrix.
func sorterOf[T kernel.Float](t *testing.T, m CSR[T], kept bool) *sorter[T] {
	cut := Extent{m.Rows, len(m.Val)}.cut(group.Self{}, m.rowCounts())
	s := must.Get(newSorter[T](cut, m.Cols, kept, t.TempDir()))(t)
	t.Cleanup(s.close)
	return s
}

// rowsEqual reports whether c is rows of m from first on.
func rowsEqual[T kernel.Float](c, m CSR[T], first int) bool {
	from, to := m.Ptr[first], m.Ptr[first+c.Rows]
	for i, at := range c.Ptr {
		if at != m.Ptr[first+i]-from {
			return false
		}
	}
	return c.Cols == m.Cols && slices.Equal(c.Idx, m.Idx[from:to]) && slices.Equal(c.Val, m.Val[from:to])
}

// TestSorter: entries in any order come out as rows, in order, and then from anywhere.
func TestSorter(t *testing.T) {
	t.Run("float32", testSorter[float32])
	t.Run("float64", testSorter[float64])
}

func testSorter[T kernel.Float](t *testing.T) {
	defer func(old int) { block.ChunkBytes = old }(block.ChunkBytes)
	for _, m := range []CSR[T]{generated[T](t, 6000, 900, 200_000, 1), random[T](40, 9, 1), {Rows: 3, Cols: 4, Ptr: make([]int, 4)}} {
		for _, chunk := range []int{1, 1 << 20} {
			block.ChunkBytes = chunk
			s := sorterOf(t, m, true)
			if m.Rows == 6000 && (len(s.bins) < 20) != (chunk > 1) {
				t.Errorf("%d bins", len(s.bins))
			}
			for _, e := range entriesOf(m) {
				must.Do(t, s.put(e))
			}
			must.Do(t, s.complete())
			for first, k := 0, 0; first < m.Rows; k++ {
				c, err := s.next(min(first+1+k*7%300, m.Rows))
				if err != nil || c.Rows < 1 || !rowsEqual(c, m, first) {
					t.Fatalf("%d rows from %d on: %v", c.Rows, first, err)
				}
				first += c.Rows
			}
			if more, err := s.step(); more || err != nil {
				t.Errorf("more to sort: %v, %v", more, err)
			}
			for first := 0; first < m.Rows; first += 1 + m.Rows/9 {
				for _, last := range []int{first, first + 1, min(first+700, m.Rows)} {
					if c, err := s.read(first, last); err != nil || c.Rows != last-first || !rowsEqual(c, m, first) {
						t.Fatalf("rows %d to %d: %v", first, last, err)
					}
				}
			}
		}
	}
}

// TestSorterRefuses: other entries than were counted, and a file that others have changed.
func TestSorterRefuses(t *testing.T) {
	leak.Check(t)
	m := random[float64](300, 80, 3)
	all := entriesOf(m)
	for name, entries := range map[string][]entry[float64]{"one more": append(slices.Clone(all), all[0]), "one less": all[1:]} {
		s, err := sorterOf(t, m, false), error(nil)
		for _, e := range entries {
			err = errors.Join(err, s.put(e))
		}
		if err = errors.Join(err, s.complete()); !errors.Is(err, fault.ErrShape) || !strings.Contains(err.Error(), "changed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(e *entry[float64]){
		"a row":      func(e *entry[float64]) { e.row = 300 },
		"no row":     func(e *entry[float64]) { e.row = -1 },
		"a column":   func(e *entry[float64]) { e.col = 80 },
		"no column":  func(e *entry[float64]) { e.col = -1 },
		"other rows": func(e *entry[float64]) { e.row = (e.row + 1) % 300 },
	} {
		for _, later := range []bool{false, true} {
			s := sorterOf(t, m, true)
			for _, e := range all {
				must.Do(t, s.put(e))
			}
			must.Do(t, s.complete())
			var err error
			damage := func() {
				page := makeEntries[float64](256)
				must.Do(t, s.file.Read(pages(page), 0))
				change(&page[7])
				must.Do(t, s.file.Write(pages(page), 0))
			}
			if !later {
				damage()
			}
			for more := true; more && err == nil; {
				more, err = s.step()
			}
			if later {
				damage()
				_, err = s.read(0, 300)
			}
			must.Fail(t, err, nil, "damaged", name, "later", later)
		}
	}
}
