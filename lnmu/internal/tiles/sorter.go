package tiles

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/fault"
)

// entry is a stored entry of a matrix.
type entry[T kernel.Float] struct {
	row, col int32
	val      T
}

// sorter sorts the entries of a matrix by rows, and the entries of a row by columns. It cuts
// the rows into bins of whole slabs. Each bin has a range of a scratch file, and a buffer until
// its entries have come. A bin is sorted in memory:
//
//	entry --> buffer of its bin ==> bin in the file ==> bin in memory --> rows
//	                                               <==  if it is kept
type sorter[T kernel.Float] struct {
	cuts      // of the rows into slabs
	cols int  // of the matrix
	kept bool // sorted bins are written back, for read
	file block.Scratch
	bins []bin[T]

	rows   []rowOfBin
	at     int        // the row that next returns
	held   int        // the bin that is in memory, or -1
	ptr    []int      // of its rows, into sorted
	sorted []entry[T] // its entries
	stored []entry[T] // its entries in the order of the file
	given  CSR[T]     // the rows that next has returned
}

// rowOfBin is a row: the number of its entries so far, and its bin.
type rowOfBin struct{ count, bin int32 }

// bin is some slabs of rows.
type bin[T kernel.Float] struct {
	first   int        // its first row
	last    int        // the first row of the next bin
	entries int        // that it must get
	got     int        // that it has got
	offset  int64      // in the file
	buffer  []entry[T] // the last entries, until they are written
}

// bufferBytes is the size of the buffer of a bin: whole pages, and whole entries of either
// precision.
const bufferBytes = 12 * direct.Page

// fewBins is the number of bins up to which a bin is a chunk.
const fewBins = 256

// binsFor returns the number of bins for entries of this size. If there are more than fewBins,
// their buffers and one bin take about the same memory, which makes the sum least.
func binsFor(bytes float64) float64 {
	return max(1, min(bytes/float64(block.ChunkBytes), fewBins), math.Sqrt(bytes/bufferBytes))
}

func bytesOfEntries[T kernel.Float](n int) int64 {
	return int64(n) * int64(unsafe.Sizeof(entry[T]{}))
}

// newSorter returns a sorter of rows that are cut into slabs. Its file is in the directory dir.
func newSorter[T kernel.Float](rows cuts, cols int, kept bool, dir string) (*sorter[T], error) {
	s := &sorter[T]{cuts: rows, cols: cols, kept: kept, held: -1}
	slabs := len(rows.bounds) - 1
	s.rows = make([]rowOfBin, rows.bounds[slabs])
	most := int(float64(rows.before[slabs]) / binsFor(float64(bytesOfEntries[T](rows.before[slabs])))) // of a bin, unless a slab has more
	var end int64
	for slab := 0; slab < slabs; {
		first := slab
		for slab++; slab < slabs && rows.before[slab+1]-rows.before[first] <= most; slab++ {
		}
		b := bin[T]{first: rows.bounds[first], last: rows.bounds[slab], entries: rows.before[slab] - rows.before[first], offset: end}
		for i := b.first; i < b.last; i++ {
			s.rows[i].bin = int32(len(s.bins))
		}
		end += direct.RoundUp(bytesOfEntries[T](b.entries))
		s.bins = append(s.bins, b)
	}
	var err error
	s.file, err = block.MakeScratch(dir, end)
	return s, err
}

// makeEntries returns memory for n entries, in whole pages.
func makeEntries[T kernel.Float](n int) []entry[T] {
	memory := direct.Make[float32](int(direct.RoundUp(bytesOfEntries[T](max(n, 1)))) / 4)
	return unsafe.Slice((*entry[T])(unsafe.Pointer(unsafe.SliceData(memory))), n)
}

// pages returns the whole pages of memory of entries.
func pages[T kernel.Float](x []entry[T]) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), direct.RoundUp(bytesOfEntries[T](len(x))))
}

func (s *sorter[T]) put(e entry[T]) error {
	row := &s.rows[e.row]
	b := &s.bins[row.bin]
	if b.got == b.entries {
		return errChanged
	}
	if b.buffer == nil {
		b.buffer = makeEntries[T](min(b.entries, bufferBytes/int(bytesOfEntries[T](1))))[:0]
	}
	b.buffer = append(b.buffer, e)
	b.got++
	row.count++
	if len(b.buffer) == cap(b.buffer) {
		return s.flush(b)
	}
	return nil
}

// errChanged is the error if the second reading of M finds other entries.
var errChanged = fmt.Errorf("%w: M has changed while it was read", fault.ErrShape)

func (s *sorter[T]) flush(b *bin[T]) error {
	at := b.offset + bytesOfEntries[T](b.got-len(b.buffer))
	err := s.file.Write(pages(b.buffer), at)
	b.buffer = b.buffer[:0]
	return err
}

// complete ends put: it writes the buffers, and checks that all entries have come.
func (s *sorter[T]) complete() error {
	for k := range s.bins {
		b := &s.bins[k]
		if len(b.buffer) > 0 {
			if err := s.flush(b); err != nil {
				return err
			}
		}
		b.buffer = nil
		if b.got != b.entries {
			return errChanged
		}
	}
	return nil
}

// next implements source. The next call overwrites the rows.
func (s *sorter[T]) next(last int) (CSR[T], error) {
	if s.held < 0 || s.bins[s.held].last <= s.at {
		s.held++
		if err := s.sort(&s.bins[s.held]); err != nil {
			return CSR[T]{}, err
		}
	}
	b := s.bins[s.held]
	first := s.at
	s.at = min(last, b.last)
	ptr := s.ptr[first-b.first : s.at-b.first+1]
	c := &s.given
	c.Cols, c.Ptr, c.Idx, c.Val = s.cols, append(c.Ptr[:0], 0), c.Idx[:0], c.Val[:0]
	c.add(s.sorted[ptr[0]:ptr[len(ptr)-1]], ptr)
	return *c, nil
}

// step sorts the next bin for read, if one is left, and reports whether there are more.
func (s *sorter[T]) step() (more bool, err error) {
	if s.held == len(s.bins)-1 {
		return false, nil
	}
	_, err = s.next(s.bins[s.held+1].last)
	return s.held < len(s.bins)-1, err
}

// sort reads a bin and sorts it: by rows with a counting sort, then each row by columns, unless
// its columns are in order already.
func (s *sorter[T]) sort(b *bin[T]) error {
	if cap(s.sorted) < b.entries {
		s.sorted, s.stored = makeEntries[T](b.entries), makeEntries[T](b.entries)
	}
	s.sorted, s.stored = s.sorted[:b.entries], s.stored[:b.entries]
	if err := s.file.Read(pages(s.stored), b.offset); err != nil {
		return err
	}
	s.ptr = s.pointers(s.ptr[:0], b.first, b.last)
	at := slices.Clone(s.ptr)
	for _, e := range s.stored {
		k := int(e.row) - b.first
		if k < 0 || k >= b.last-b.first || at[k] == s.ptr[k+1] || e.col < 0 || int(e.col) >= s.cols {
			return s.file.Damaged(errOtherEntries)
		}
		s.sorted[at[k]] = e
		at[k]++
	}
	byColumn := func(x, y entry[T]) int { return cmp.Compare(x.col, y.col) }
	for k := range b.last - b.first {
		if row := s.sorted[s.ptr[k]:s.ptr[k+1]]; !slices.IsSortedFunc(row, byColumn) {
			slices.SortFunc(row, byColumn)
		}
	}
	if s.kept {
		return s.file.Write(pages(s.sorted), b.offset)
	}
	return nil
}

var errOtherEntries = errors.New("it has other entries")

// add appends rows: row i has the entries ptr[i]-ptr[0] to ptr[i+1]-ptr[0]-1.
func (c *CSR[T]) add(entries []entry[T], ptr []int) {
	before := len(c.Val) - ptr[0]
	for _, at := range ptr[1:] {
		c.Ptr = append(c.Ptr, before+at)
	}
	for _, e := range entries {
		c.Idx, c.Val = append(c.Idx, e.col), append(c.Val, e.val)
	}
	c.Rows = len(c.Ptr) - 1
}

// pointers appends the row pointers of rows first to last-1, counted from 0, to ptr.
func (s *sorter[T]) pointers(ptr []int, first, last int) []int {
	at := 0
	ptr = append(ptr, at)
	for _, row := range s.rows[first:last] {
		at += int(row.count)
		ptr = append(ptr, at)
	}
	return ptr
}

// read returns rows, after all have been sorted. It may be called concurrently.
func (s *sorter[T]) read(first, last int) (CSR[T], error) {
	c := CSR[T]{Cols: s.cols, Ptr: []int{0}}
	for first < last {
		b := &s.bins[s.rows[first].bin]
		end := min(last, b.last)
		entries, ptr, err := s.readBin(b, first, end)
		if err != nil {
			return c, err
		}
		c.add(entries, ptr)
		first = end
	}
	return c, nil
}

// readBin returns the entries of rows of one bin, and the pointers to them.
func (s *sorter[T]) readBin(b *bin[T], first, last int) (entries []entry[T], ptr []int, err error) {
	before := 0
	for _, row := range s.rows[b.first:first] {
		before += int(row.count)
	}
	ptr = s.pointers(nil, first, last)
	from := bytesOfEntries[T](before) / bufferBytes * bufferBytes // where a page and an entry begin
	skip := before - int(from/bytesOfEntries[T](1))
	all := makeEntries[T](skip + ptr[last-first])
	if err := s.file.Read(pages(all), b.offset+from); err != nil {
		return nil, nil, err
	}
	row := 0
	entries = all[skip:]
	for t, e := range entries {
		for t >= ptr[row+1] {
			row++
		}
		if int(e.row) != first+row || e.col < 0 || int(e.col) >= s.cols {
			return nil, nil, s.file.Damaged(errOtherEntries)
		}
	}
	return entries, ptr, nil
}

func (s *sorter[T]) close() {
	if s != nil {
		s.file.Close()
	}
}
