package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unsafe"

	"nmu/cmd/nmu/internal/exit"
	"nmu/cmd/nmu/internal/flags"
	"nmu/cmd/nmu/internal/record"
	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/lnmu"
)

// storedRows reads a sparse matrix in a folder by rows, or the rows of it that belong to the
// part of a process.
type storedRows[T lnmu.Float] struct {
	*matio.Parts
	block   matio.Block
	before  int // entries of earlier rows
	entries int
}

// newStoredRows returns the part of a matrix that this process holds. If M lies by columns, or
// the part has some of its columns, how many entries it has is a guess: its rows cannot be read.
func newStoredRows[T lnmu.Float](parts *matio.Parts, j *Job) (m storedRows[T], err error) {
	rows, cols := parts.Dims()
	n := parts.Entries()
	if int64(int(n)) != n {
		return m, fmt.Errorf("%s: %w: %d entries are more than can be counted here", j.Path, lnmu.ErrShape, n)
	}
	m = storedRows[T]{Parts: parts, block: matio.Block{I1: rows, J1: cols}, entries: int(n)}
	if j.All == nil {
		return m, nil
	}
	m.block = blockOf(j.All, rows, cols)
	if parts.ByColumns() || cols > rows {
		m.entries /= j.All.Count()
		return m, nil
	}
	begin, err := parts.Pointers(m.block.I0, m.block.I0)
	if err != nil {
		return m, err
	}
	end, err := parts.Pointers(m.block.I1, m.block.I1)
	if err != nil {
		return m, err
	}
	m.before, m.entries = begin[0], end[0]-begin[0]
	return m, nil
}

// larger reports whether the part does not fit into so much memory, with what its
// factorization needs.
func (s storedRows[T]) larger(p Plan, within flags.Size) bool {
	rows, cols := s.Parts.Dims()
	entry := 4 + 8 + unsafe.Sizeof(T(0)) // as it is read
	whole := float64(s.entries)*float64(entry) + 8*float64(s.block.Rows())
	return float64(within) < whole+float64(SparseMemory[T](rows, cols, s.entries, p))
}

// Dims returns the size of the part.
func (s storedRows[T]) Dims() (rows, cols int) { return s.block.Rows(), s.block.Cols() }

// Entries returns how many entries are stored.
func (s storedRows[T]) Entries() int { return s.entries }

// Pointers returns where the entries of rows first to last-1 begin and end.
func (s storedRows[T]) Pointers(first, last int) ([]int, error) {
	ptr, err := s.Parts.Pointers(s.block.I0+first, s.block.I0+last)
	for i := range ptr {
		ptr[i] -= s.before
	}
	return ptr, err
}

// ReadRows reads rows first to last-1.
func (s storedRows[T]) ReadRows(first, last int) (m lnmu.CSR[T], err error) {
	m.Rows, m.Cols = last-first, s.block.Cols()
	m.Ptr, m.Idx, m.Val, err = matio.SparseBlock[T](s.Parts, matio.Block{I0: s.block.I0 + first, I1: s.block.I0 + last, J1: m.Cols})
	return m, err
}

// check returns an error for a matrix that cannot stay in its folder, and else what its
// factorization takes.
func (s storedRows[T]) check(file *matio.File, j *Job, p Plan) (needs lnmu.Estimate, err error) {
	rows, cols := s.Parts.Dims()
	switch {
	case j.Report:
		return needs, exit.Misuse(fmt.Errorf("--report needs M in memory, for which --memory %v is not enough; leave one of them out", &j.Disk.Within))
	case s.ByColumns() && cols > rows:
		return needs, fmt.Errorf("%s: --memory %v is not enough to turn over a sparse matrix; without --transpose it stays in its folder, and its V and W are the transposes of W and V", j.Path, &j.Disk.Within)
	case s.ByColumns():
		return needs, fmt.Errorf("%s: --memory %v is not enough to turn over a sparse matrix; nmu convert --transpose makes a folder of its transpose, which can stay there and is factored without --transpose", j.Path, &j.Disk.Within)
	}
	wide := fmt.Errorf("%s: --memory %v is not enough for a sparse matrix of %d x %d, which could stay in its folder if it had at least as many rows as columns; nmu convert --transpose makes a folder of its transpose, which is factored without --transpose (its V and W are the transposes of W and V)", j.Path, &j.Disk.Within, rows, cols)
	if cols > rows && j.All != nil {
		return needs, wide
	}
	needs, err = lnmu.EstimateOf(lnmu.StoredCSR[T]{RowReader: s}, p.Rank, p.Method, p.Settings)
	switch {
	case cols > rows && errors.Is(err, lnmu.ErrShape):
		return needs, wide
	case errors.Is(err, lnmu.ErrOption):
		return needs, fmt.Errorf("%w (--dense does that, of a matrix that fits)", err)
	case err != nil:
		return needs, err
	}
	needs.Memory = Plus(needs.Memory, byteCount(joined(rows, cols, p)*float64(unsafe.Sizeof(T(0)))))
	return needs, j.enough(file, needs.Memory, fmt.Sprintf("%v, with M in %s of files in %s,", p, memory.Text(needs.Scratch), j.Disk.Folder()))
}

// factorSparseStored factors a sparse matrix that stays in its folder.
func factorSparseStored[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, m storedRows[T], j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	needs, err := m.check(file, j, p)
	if err := j.All.Agree(err, ""); err != nil {
		return nil, nil, err
	}
	p.Settings.Scratch = j.Disk.Folder()
	if err := j.announce(out, func() string { return j.sparseTraffic(m.Bytes(), needs) }); err != nil {
		return nil, nil, err
	}
	defer j.readAhead(p.Settings.Threads)()
	rows, cols := m.Parts.Dims()
	rep := record.NewFactor[T](rows, cols, p.Rank, p.Method, &p.Settings)
	rep.Entries = int(m.Parts.Entries())
	begun := time.Now()
	res, err := from.Factor(ctx, lnmu.StoredCSR[T]{RowReader: m}, p)
	if res == nil {
		return nil, nil, err
	}
	record.Fill(rep, res, time.Since(begun))
	return rep, res, err
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
