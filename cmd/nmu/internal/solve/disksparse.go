package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"nmu/cmd/nmu/internal/exit"
	"nmu/cmd/nmu/internal/message"
	"nmu/cmd/nmu/internal/record"
	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/lnmu"
)

// storedRows reads a sparse matrix in a folder by rows.
type storedRows[T lnmu.Float] struct{ *matio.Parts }

// Entries returns how many entries are stored.
func (s storedRows[T]) Entries() int { return int(s.Parts.Entries()) }

// ReadRows reads rows first to last-1.
func (s storedRows[T]) ReadRows(first, last int) (m lnmu.CSR[T], err error) {
	_, cols := s.Dims()
	m.Rows, m.Cols = last-first, cols
	m.Ptr, m.Idx, m.Val, err = matio.SparseBlock[T](s.Parts, matio.Block{I0: first, I1: last, J1: cols})
	return m, err
}

// At reads entry (i, j). It is NaN if that cannot be read.
func (s storedRows[T]) At(i, j int) T {
	row, err := s.ReadRows(i, i+1)
	if err != nil {
		return T(math.NaN())
	}
	return row.At(0, j)
}

// factorSparseStored factors a sparse matrix that stays in its folder.
func factorSparseStored[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, m storedRows[T], j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	rows, cols := m.Dims()
	switch {
	case j.Report:
		return nil, nil, exit.Misuse(fmt.Errorf("--report needs M in memory, for which --memory %v is not enough; leave one of them out", &j.Disk.Within))
	case m.ByColumns() && cols > rows:
		return nil, nil, fmt.Errorf("%s: --memory %v is not enough to turn over a sparse matrix; without --transpose it stays in its folder, and its V and W are the transposes of W and V", j.Path, &j.Disk.Within)
	case m.ByColumns():
		return nil, nil, fmt.Errorf("%s: --memory %v is not enough to turn over a sparse matrix; nmu convert --transpose makes a folder of its transpose, which can stay there and is factored without --transpose", j.Path, &j.Disk.Within)
	}
	needs, err := lnmu.EstimateOf(matrix[T](p, m), p.Rank, p.Method, p.Settings)
	if cols > rows && errors.Is(err, lnmu.ErrShape) {
		return nil, nil, fmt.Errorf("%s: --memory %v is not enough for a sparse matrix of %d x %d, which could stay in its folder if it had at least as many rows as columns; nmu convert --transpose makes a folder of its transpose, which is factored without --transpose (its V and W are the transposes of W and V)", j.Path, &j.Disk.Within, rows, cols)
	}
	if errors.Is(err, lnmu.ErrOption) {
		err = fmt.Errorf("%w (--dense does that, of a matrix that fits)", err)
	}
	if err != nil {
		return nil, nil, err
	}
	dir := j.Disk.Folder()
	if err := j.enough(file, needs.Memory, fmt.Sprintf("%v, with M in %s of files in %s,", p, memory.Text(needs.Scratch), dir)); err != nil {
		return nil, nil, err
	}
	p.Settings.Scratch = dir
	if err := message.Note(out, "%s", sparseTraffic(m.Bytes(), dir, needs)); err != nil {
		return nil, nil, err
	}
	defer readAhead(j.Disk.Within)()
	rep := record.NewFactor[T](rows, cols, p.Rank, p.Method, &p.Settings, p.seen())
	rep.Entries = m.Entries()
	begun := time.Now()
	res, err := from.Factor(ctx, m, p)
	if res == nil {
		return nil, nil, err
	}
	record.Fill(rep, res, time.Since(begun))
	return rep, res, err
}

// sparseTraffic says what goes between memory and disk, and how long an iteration takes
// for it.
func sparseTraffic(size int64, dir string, needs lnmu.Estimate) string {
	s := fmt.Sprintf("M (%s) stays on disk, in files of %s in %s for the iterations, each of which reads %s", memory.Text(size), memory.Text(needs.Scratch), dir, memory.Text(needs.Reads))
	if needs.Writes > 0 {
		s += fmt.Sprintf(" and writes %s,", memory.Text(needs.Writes))
	}
	write, read, err := direct.ScratchSpeeds(dir, needs.Scratch)
	return s + atSpeed(float64(needs.Reads), read, float64(needs.Writes), write, err)
}
