package block

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"nmu/internal/must"
	"nmu/internal/team"
	"nmu/internal/together"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// lines is a Reader of numbers in memory.
type lines struct {
	width int
	data  []float64
	fail  error
}

func (l lines) Room(n int) int { return n * l.width }

func (l lines) ReadLines(room []float64, first, last int) ([]float64, error) {
	if l.fail != nil {
		return nil, l.fail
	}
	return room[:copy(room, l.data[first*l.width:last*l.width])], nil
}

// over calls do for all blocks of a pass over x, slab by slab.
func over(t *team.Team, x Lines[float64], rows, block int, do func(member, i0, i1 int)) {
	size, count := group.Slabs(rows)
	t.Run(count, func(member, slab int) {
		last := min((slab+1)*size, rows)
		for i := slab * size; i < last && !x.Aborted(); i += block {
			do(member, i, min(i+block, last))
		}
	})
	x.End()
	x.Agree()
}

// TestFilesAreMemory makes the same passes over lines in memory and in files, of small
// chunks, and compares M, N and the residual after each.
func TestFilesAreMemory(t *testing.T) {
	defer func(old int) { ChunkBytes = old }(ChunkBytes)
	ChunkBytes = 1 << 10
	const width, block = 7, 16
	for _, rows := range []int{1, 15, 200, 1000} {
		data := make([]float64, rows*width)
		for i := range data {
			data[i] = float64(i)
		}
		m := kernel.Matrix[float64]{Rows: rows, Cols: width, Data: slices.Clone(data), Stride: width}
		n := kernel.NewMatrix[float64](rows, width)
		f := NewFiles(lines{width: width, data: data}, rows, rows, width)
		f.Scratch, f.Kept, f.Cancelled = t.TempDir(), [2]bool{true, true}, func() bool { return false }
		team := team.New(2)
		f.Start(team.Size())
		all := []Lines[float64]{&Memory[float64]{M: &m, N: &n}, f}
		for _, x := range all {
			x.Begin(block, Reads, Writes, true)
			over(team, x, rows, block, func(member, i0, i1 int) {
				from, to := x.Rows(member, i0, i1, OfM), x.Rows(member, i0, i1, OfN)
				for i := range to.Rows {
					for j, v := range from.Row(i) {
						to.Row(i)[j] = 2 * v
					}
				}
			})
			x.Begin(block, Updates, Reads, false)
			over(team, x, rows, block, func(member, i0, i1 int) {
				from, to := x.Rows(member, i0, i1, OfN), x.Rows(member, i0, i1, OfM)
				for i := range to.Rows {
					for j, v := range from.Row(i) {
						to.Row(i)[j] -= v / 4
					}
				}
			})
			x.KeepResidual()
		}
		for which, name := range []string{"E", "N"} {
			f.Begin(block, Reads, Reads, true)
			want := []kernel.Matrix[float64]{m, n}[which]
			over(team, f, rows, block, func(member, i0, i1 int) {
				got := f.Rows(member, i0, i1, which)
				for i := range got.Rows {
					must.EqualSlices(t, got.Row(i), want.Row(i0+i), rows, "rows: row", i0+i, "of", name)
				}
			})
		}
		f.Close()
		team.Close()
	}
}

// TestAborted: a cancelled pass is aborted if it may be, and one that must not be ends.
func TestAborted(t *testing.T) {
	const rows, width = 400, 5
	team := team.New(2)
	defer team.Close()
	f := NewFiles(lines{width: width, data: make([]float64, rows*width)}, rows, rows, width)
	f.Cancelled = func() bool { return true }
	f.Start(team.Size())
	defer f.Close()
	for _, cancellable := range []bool{true, false} {
		f.Begin(16, Reads, Untouched, cancellable)
		over(team, f, rows, 16, func(member, i0, i1 int) { f.Rows(member, i0, i1, OfM) })
		must.Equal(t, f.Aborted(), cancellable, "cancellable")
	}
}

// TestAgree: a pass that one process aborts is aborted in all, and an error of one disk is one
// of all, whichever have no lines.
func TestAgree(t *testing.T) {
	const whole, width, size = 700, 5, 5 // in four slabs
	data := make([]float64, whole*width)
	for _, fail := range []error{nil, errors.New("broken")} {
		for who := range size - 1 { // the last one has no lines
			together.Run(size, func(p *together.Process) {
				h := group.ForRows(p, whole)
				first, last := group.Share(whole, p.Rank(), size)
				r := lines{width: width, data: data}
				if p.Rank() == who {
					r.fail = fail
				}
				f := NewFiles(r, last-first, whole, width)
				var told []error
				f.Share, f.Cancelled, f.Broken = h, func() bool { return p.Rank() == who && fail == nil }, func(err error) { told = append(told, err) }
				team := team.New(2)
				defer team.Close()
				f.Start(team.Size())
				defer f.Close()
				for pass := range 3 {
					f.Begin(16, Reads, Untouched, pass != 1)
					team.Run(h.Last-h.First, func(member, slab int) {
						for i, last := f.Slab(slab); i < last && !f.Aborted(); i += 16 {
							f.Rows(member, i, min(i+16, last), OfM)
						}
					})
					f.End()
					f.Agree()
					must.Equal(t, f.Aborted(), pass != 1 || fail != nil, "error", fail, "in process", who, "process", p.Rank(), "pass", pass, "aborted")
				}
				switch err := f.Err(); {
				case fail == nil:
					if err != nil || !slices.Equal(told, []error{nil, nil}) {
						t.Errorf("process %d: error %v, told %v", p.Rank(), err, told)
					}
				case !errors.Is(err, fail) && p.Rank() == who, !errors.Is(err, group.ErrProcess) && p.Rank() != who, len(told) != 1 || told[0] != err:
					t.Errorf("error in process %d: process %d: %v, told %v", who, p.Rank(), err, told)
				}
			})
		}
	}
}

// TestReaderFails: the first error of a reader, or of a scratch file, aborts the pass and
// all that follow, and is told once.
func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	defer func(old func(string, int64) (File, error)) { NewScratch = old }(NewScratch)
	for _, c := range []struct {
		reader  error
		scratch error
	}{{reader: broken}, {scratch: broken}} {
		NewScratch = func(string, int64) (File, error) { return nil, c.scratch }
		var told atomic.Int32
		team := team.New(2)
		f := NewFiles(lines{width: 3, data: make([]float64, 900), fail: c.reader}, 300, 300, 3)
		f.Kept[OfN] = c.scratch != nil
		f.Cancelled, f.Broken = func() bool { return false }, func(error) { told.Add(1) }
		f.Start(team.Size())
		for range 2 {
			f.Begin(16, Reads, Untouched, true)
			over(team, f, 300, 16, func(member, i0, i1 int) { f.Rows(member, i0, i1, OfM) })
			if !f.Aborted() || !errors.Is(f.Err(), broken) || told.Load() != 1 {
				t.Errorf("%s: aborted %v, error %v, told %d times", fmt.Sprint(c), f.Aborted(), f.Err(), told.Load())
			}
		}
		f.Close()
		team.Close()
	}
}
