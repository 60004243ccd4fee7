package work

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/page"
	"nmu/lnmu"
)

// storedRows reads a sparse matrix in a folder by rows. Each of several processes can read all
// of it.
type storedRows[T lnmu.Float] struct{ *matio.Parts }

// Entries returns how many entries are stored.
func (s storedRows[T]) Entries() int { return int(s.Parts.Entries()) }

// ReadRows reads rows first to last-1.
func (s storedRows[T]) ReadRows(first, last int) (m lnmu.CSR[T], err error) {
	_, m.Cols = s.Dims()
	m.Rows = last - first
	m.Ptr, m.Idx, m.Val, err = matio.SparseBlock[T](s.Parts, matio.Block{I0: first, I1: last, J1: m.Cols})
	return m, err
}

// entryBytes is the most memory that reading takes for an entry.
const entryBytes = 32

// lookBytes is how much of M is read at once for the page, if a row of it has no more.
const lookBytes = 4 << 20

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
			n = matio.Nearby(is[at:], max(1, most-1))
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

// sparseFile is a sparse matrix that stays in its folder.
type sparseFile[T lnmu.Float] struct {
	*Call[T]
	whole int64 // what a run takes with the matrix in memory
	m     storedRows[T]
}

// inMemory returns what the factorization takes with the part of the matrix that this process holds in
// memory.
func (s *sparseFile[T]) inMemory(p Plan) (int64, error) {
	rows, cols := s.m.Dims()
	n := s.m.Parts.Entries()
	if int64(int(n)) != n {
		return math.MaxInt64, nil
	}
	if s.All == nil {
		return s.run(p), nil
	}
	own, _ := p.span(s.File, &s.Job)
	entries := int(n) / s.All.Count() // of some columns, which are not counted
	if rows >= cols && !s.m.ByColumns() {
		begin, err := s.m.Pointers(own.I0, own.I0)
		if err != nil {
			return 0, err
		}
		end, err := s.m.Pointers(own.I1, own.I1)
		if err != nil {
			return 0, err
		}
		entries = end[0] - begin[0]
	}
	entry := 4 + 8 + unsafe.Sizeof(T(0)) // as it is read
	held := float64(entries)*float64(entry) + 8*float64(own.Rows())
	return Plus(Plus(byteCount(held), s.program()), s.memory(p, entries, true)), nil
}

func (s *sparseFile[T]) open(p Plan) (err error) {
	rows, cols := p.Lines.Kept()
	switch n := s.m.Parts.Entries(); {
	case s.m.ByColumns():
		return fmt.Errorf("%s: %s; nmu convert --transpose makes a folder of its transpose, which can stay there and is factored without --transpose", s.Path, s.limit("turn over a sparse matrix"))
	case int64(int(n)) != n:
		return fmt.Errorf("%s: %w: %d entries are more than can be counted here", s.Path, lnmu.ErrShape, n)
	case p.Lines != nil:
		s.m.Parts, err = matio.SelectRows[T](s.m.Parts, rows, cols)
	}
	return err
}

func (s *sparseFile[T]) need(p *Plan) (needs lnmu.Estimate, err error) {
	j, size := &s.Job, unsafe.Sizeof(T(0))
	needs, err = lnmu.EstimateOf(matrix[T](*p, s.m), p.Rank, p.Method, &p.Settings)
	if errors.Is(err, lnmu.ErrOption) {
		err = fmt.Errorf("%w (%s does that, of a matrix that fits)", err, s.File.Setting("dense", ""))
	}
	if err != nil {
		return needs, err
	}
	_, cols := s.m.Dims()
	needs.Memory = Plus(needs.Memory, s.aside(p, max(lookBytes, entryBytes*int64(min(cols, s.m.Entries())))))
	if j.Improve {
		needs.Memory = Plus(needs.Memory, byteCount(p.kept(size)))
	}
	if size < 8 && !s.File.Float32() {
		const narrowed = 4 << 20 // float64 of a chunk, and of the one before until the collector comes
		needs.Memory = Plus(needs.Memory, narrowed)
	}
	if p.Lines != nil {
		ofRows, ofCols := s.File.Dims()
		needs.Memory = Plus(needs.Memory, byteCount(8*float64(ofRows+ofCols)+lookBytes*float64(p.Settings.Threads)))
	}
	if s.whole < needs.Memory && j.All == nil { // a small matrix, whose chunks take more than it does
		return needs, j.enough(s.File, s.whole, p.String(), *p)
	}
	return needs, j.enough(s.File, needs.Memory, fmt.Sprintf("%v, with M in %s of files in %s,", *p, memory.Text(needs.Scratch), j.folder()), *p)
}

func (s *sparseFile[T]) matrix() lnmu.Matrix[T]     { return s.m }
func (s *sparseFile[T]) page(p Plan) page.Source[T] { return s.m.source(p.StoredOnly) }
func (s *sparseFile[T]) entries() int               { return s.m.Entries() }

// traffic says what goes between memory and disk, and how long an iteration takes for it.
func (s *sparseFile[T]) traffic(needs lnmu.Estimate) string {
	j, dir := &s.Job, s.folder()
	text := fmt.Sprintf("M (%s) stays on disk, in files of %s in %s for the iterations, each of which reads %s%s", memory.Text(s.m.Bytes()), memory.Text(needs.Scratch), dir, memory.Text(needs.Reads), j.each())
	if needs.Writes > 0 {
		text += fmt.Sprintf(" and writes %s,", memory.Text(needs.Writes))
	}
	write, read, err := direct.ScratchSpeeds(dir, needs.Scratch, true)
	return text + j.atSpeed(needs, read, write, err)
}
