package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/record"
	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/page"
	"nmu/lnmu"
)

// storedRows reads a sparse matrix in a folder by rows. Each of several processes can read all
// of it.
type storedRows[T lnmu.Float] struct {
	*matio.Parts
	kept *keptRows // nil: all rows and columns
}

// keptRows are the rows and columns of a sparse matrix that are not left out.
type keptRows struct {
	lines   *input.Lines
	columns []int // the column for each one of the file, or -1
	ptr     []int // where their rows begin, counted from the first entry that is not left out
}

// without returns the matrix of the lines l. It reads the whole matrix to count their entries.
func (s storedRows[T]) without(l *input.Lines) (storedRows[T], error) {
	if l == nil {
		return s, nil
	}
	k := &keptRows{lines: l, columns: places(l.LeftCols()), ptr: make([]int, 1, len(l.Rows())+1)}
	s.kept = k
	for at, n := 0, 0; at < len(l.Rows()); at += n {
		var err error
		if n, err = s.together(at, len(l.Rows())); err != nil {
			return s, err
		}
		m, err := s.ReadRows(at, at+n)
		if err != nil {
			return s, err
		}
		before := k.ptr[len(k.ptr)-1]
		for _, end := range m.Ptr[1:] {
			k.ptr = append(k.ptr, before+end)
		}
	}
	return s, nil
}

// together returns how many of the rows first to last-1 of those that are kept are read at once.
func (s storedRows[T]) together(first, last int) (int, error) {
	rows := s.kept.lines.Rows()[first:last]
	rows = rows[:nearby(rows, pointersRead)]
	ptr, err := s.Parts.Pointers(rows[0], rows[len(rows)-1]+1)
	if err != nil {
		return 0, err
	}
	n := 1
	for n < len(rows) && ptr[rows[n]+1-rows[0]]-ptr[0] <= lookBytes/entryBytes {
		n++
	}
	return n, nil
}

// Dims returns the size of the matrix without what is left out.
func (s storedRows[T]) Dims() (rows, cols int) {
	rows, cols = s.Parts.Dims()
	if s.kept == nil {
		return rows, cols
	}
	return s.kept.lines.Dims(rows, cols)
}

// Entries returns how many entries are stored.
func (s storedRows[T]) Entries() int {
	if s.kept == nil {
		return int(s.Parts.Entries())
	}
	return s.kept.ptr[len(s.kept.ptr)-1]
}

// Pointers returns where the entries of rows first to last begin.
func (s storedRows[T]) Pointers(first, last int) ([]int, error) {
	if s.kept == nil {
		return s.Parts.Pointers(first, last)
	}
	return slices.Clone(s.kept.ptr[first : last+1]), nil
}

// ReadRows reads rows first to last-1.
func (s storedRows[T]) ReadRows(first, last int) (m lnmu.CSR[T], err error) {
	if s.kept == nil {
		return s.block(first, last)
	}
	_, m.Cols = s.Dims()
	m.Rows, m.Ptr = last-first, make([]int, 1, last-first+1)
	for at, n := first, 0; at < last; at += n {
		if n, err = s.together(at, last); err != nil {
			return m, err
		}
		rows := s.kept.lines.Rows()[at : at+n]
		span, err := s.block(rows[0], rows[n-1]+1)
		if err != nil {
			return m, err
		}
		for _, i := range rows {
			for p := span.Ptr[i-rows[0]]; p < span.Ptr[i-rows[0]+1]; p++ {
				if j := s.kept.columns[span.Idx[p]]; j >= 0 {
					m.Idx, m.Val = append(m.Idx, int32(j)), append(m.Val, span.Val[p])
				}
			}
			m.Ptr = append(m.Ptr, len(m.Idx))
		}
	}
	return m, nil
}

// block reads rows first to last-1 of the file.
func (s storedRows[T]) block(first, last int) (m lnmu.CSR[T], err error) {
	_, m.Cols = s.Parts.Dims()
	m.Rows = last - first
	m.Ptr, m.Idx, m.Val, err = matio.SparseBlock[T](s.Parts, matio.Block{I0: first, I1: last, J1: m.Cols})
	return m, err
}

// entryBytes is the most memory that reading takes for an entry.
const entryBytes = 32

// source returns the matrix for the page. Entries that are not stored are missing if missing.
func (s storedRows[T]) source(missing bool) page.Source[T] {
	rows, cols := s.Dims()
	return page.Source[T]{Rows: rows, Cols: cols, Read: func(is, js []int, to lnmu.Dense[T]) error {
		for at, n := 0, 0; at < len(is); at += n {
			first := is[at]
			ptr, err := s.Pointers(first, min(first+pointersRead, is[len(is)-1]+1))
			if err != nil {
				return err
			}
			most, _ := slices.BinarySearch(ptr, ptr[0]+lookBytes/entryBytes+1) // past the last row that fits
			n = nearby(is[at:], max(1, most-1))
			m, err := s.ReadRows(first, is[at+n-1]+1)
			if err != nil {
				return err
			}
			for k := at; k < at+n; k++ {
				page.Expand(m, is[k]-first, missing, js, to.Row(k))
			}
		}
		return nil
	}}
}

// pointersRead is how many row pointers are read at once for the page.
const pointersRead = 4096

// At reads entry (i, j). It is NaN if that cannot be read.
func (s storedRows[T]) At(i, j int) T {
	row, err := s.ReadRows(i, i+1)
	if err != nil {
		return T(math.NaN())
	}
	return row.At(0, j)
}

// inMemory returns what the factorization takes with the part of the matrix that this process holds in
// memory.
func (s storedRows[T]) inMemory(file *matio.File, j *Job, p Plan) (int64, error) {
	rows, cols := s.Dims()
	n := s.Parts.Entries()
	if int64(int(n)) != n {
		return math.MaxInt64, nil
	}
	if j.All == nil {
		whole := sparseRun[T](file, p, j)
		if p.Lines != nil {
			whole = Plus(whole, 16*n) // of a copy of what is left
		}
		return whole, nil
	}
	own := BlockOf(j.All, rows, cols)
	entries := int(n) / j.All.Count() // of some columns, which are not counted
	if rows >= cols && !s.ByColumns() {
		begin, err := s.Pointers(own.I0, own.I0)
		if err != nil {
			return 0, err
		}
		end, err := s.Pointers(own.I1, own.I1)
		if err != nil {
			return 0, err
		}
		entries = end[0] - begin[0]
	}
	entry := 4 + 8 + unsafe.Sizeof(T(0)) // as it is read
	if p.Lines != nil {
		entry *= 2 // with a copy of what is left
	}
	whole := float64(entries)*float64(entry) + 8*float64(own.Rows())
	return Plus(Plus(byteCount(whole), Process()), sparseNeed[T](j, rows, cols, entries, p)), nil
}

// readable returns an error for a matrix that cannot stay in its folder.
func (s storedRows[T]) readable(j *Job) error {
	switch {
	case s.ByColumns():
		return fmt.Errorf("%s: --memory %v is not enough to turn over a sparse matrix; nmu convert --transpose makes a folder of its transpose, which can stay there and is factored without --transpose", j.Path, &j.Disk.Within)
	case int64(int(s.Parts.Entries())) != s.Parts.Entries():
		return fmt.Errorf("%s: %w: %d entries are more than can be counted here", j.Path, lnmu.ErrShape, s.Parts.Entries())
	}
	return nil
}

// check returns what the factorization of a matrix that stays in its folder takes, or an error if that is too
// much. In memory it would take whole.
func (s storedRows[T]) check(file *matio.File, j *Job, p Plan, whole int64) (needs lnmu.Estimate, err error) {
	needs, err = lnmu.EstimateOf(matrix[T](p, s), p.Rank, p.Method, p.Settings)
	if errors.Is(err, lnmu.ErrOption) {
		err = fmt.Errorf("%w (--dense does that, of a matrix that fits)", err)
	}
	if err != nil {
		return needs, err
	}
	rows, cols := s.Dims()
	if j.Improve {
		needs.Memory = Plus(needs.Memory, byteCount(p.kept(unsafe.Sizeof(T(0)))))
	}
	if j.Report {
		needs.Memory = Plus(needs.Memory, max(lookBytes, entryBytes*int64(min(cols, s.Entries()))))
		needs.Memory = Plus(needs.Memory, j.pageBytes(rows, cols, p, unsafe.Sizeof(T(0))))
	}
	if unsafe.Sizeof(T(0)) < 8 && !file.Float32() {
		const narrowed = 4 << 20 // float64 of a chunk, and of the one before until the collector comes
		needs.Memory = Plus(needs.Memory, narrowed)
	}
	ofRows, ofCols := s.Parts.Dims()
	needs.Memory = Plus(needs.Memory, byteCount((joined(rows, cols, p)+placed(ofRows, ofCols, p))*float64(unsafe.Sizeof(T(0)))))
	if s.kept != nil {
		needs.Memory = Plus(needs.Memory, byteCount(8*float64(ofRows+ofCols)+lookBytes*float64(p.Settings.Threads)))
	}
	needs.Memory = Plus(needs.Memory, Process())
	if whole < needs.Memory && j.All == nil { // a small matrix, whose chunks take more than it does
		return needs, j.enough(file, whole, p.String(), p)
	}
	return needs, j.enough(file, needs.Memory, fmt.Sprintf("%v, with M in %s of files in %s,", p, memory.Text(needs.Scratch), j.Disk.Folder()), p)
}

// factorSparseStored factors a sparse matrix that stays in its folder.
func factorSparseStored[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, m storedRows[T], j *Job, p Plan, from Start[T], whole int64) (*record.Factor, *lnmu.Result[T], error) {
	var needs lnmu.Estimate
	err := m.readable(j)
	if err == nil {
		m, err = m.without(p.Lines)
	}
	if err == nil {
		needs, err = m.check(file, j, p, whole)
	}
	if err := j.All.Agree(err, ""); err != nil {
		return nil, nil, err
	}
	p.Settings.Scratch = j.Disk.Folder()
	if err := j.announce(out, func() string { return j.sparseTraffic(m.Bytes(), needs) }); err != nil {
		return nil, nil, err
	}
	defer j.readAhead(p.Settings.Threads, needs.Memory)()
	return ready[T]{m: m, sparse: true, entries: m.Entries(), page: m.source(p.StoredOnly), shared: true}.factor(ctx, file, j, p, from)
}

// sparseTraffic says what goes between memory and disk, and how long an iteration takes
// for it.
func (j *Job) sparseTraffic(size int64, needs lnmu.Estimate) string {
	dir := j.Disk.Folder()
	s := fmt.Sprintf("M (%s) stays on disk, in files of %s in %s for the iterations, each of which reads %s%s", memory.Text(size), memory.Text(needs.Scratch), dir, memory.Text(needs.Reads), j.each())
	if needs.Writes > 0 {
		s += fmt.Sprintf(" and writes %s,", memory.Text(needs.Writes))
	}
	write, read, err := direct.ScratchSpeeds(dir, needs.Scratch)
	return s + j.atSpeed(needs, read, write, err)
}
