package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/lnmu"
)

// wanted says whether a dense matrix does not fit into the memory that was given, with
// what its factorization needs.
func wanted[T lnmu.Float](j *job, file *matio.File, p plan) bool {
	rows, cols := file.Dims()
	whole := float64(rows) * float64(cols) * float64(unsafe.Sizeof(T(0)))
	return j.disk.within != 0 && float64(j.disk.within) < whole+float64(factorMemory[T](rows, cols, p, true, j.improve))
}

// factorStored factors a dense matrix that stays in its file. It says how long that takes
// on out.
func factorStored[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, j *job, p plan, from start[T]) (*report, *lnmu.Result[T], error) {
	for _, x := range []struct {
		flag  string
		given bool
	}{{"improve", j.improve}, {"report", j.report}, {"missing", p.gaps}} {
		if x.given {
			return nil, nil, misuse(fmt.Errorf("--%s needs M in memory, for which --memory %v is not enough; leave one of them out", x.flag, &j.disk.within))
		}
	}
	lines, err := matio.OpenLines[T](file)
	if errors.Is(err, matio.ErrUnsupported) {
		return nil, nil, fmt.Errorf("%w; --memory %v is not enough to read it, and nmu convert --order writes a file that can stay where it is", err, &j.disk.within)
	}
	if err != nil {
		return nil, nil, err
	}
	needs, err := lnmu.NeedsOf(lines, p.rank, p.method, p.settings)
	if err != nil {
		return nil, nil, err
	}
	dir := j.disk.folder()
	if err := j.enough(file, needs.Memory, fmt.Sprintf("%v, with M in its file and %s in %s,", p, memory.Text(needs.Scratch), dir)); err != nil {
		return nil, nil, err
	}
	p.settings.Scratch = dir
	if err := note(out, "%s", traffic(j.path, dir, needs, lines, p)); err != nil {
		return nil, nil, err
	}

	defer readAhead(j.disk.within)()
	rows, cols := lines.Dims()
	rep := newReport[T](rows, cols, p.rank, p.method, &p.settings)
	begun := time.Now()
	var res *lnmu.Result[T]
	err = file.Guard(func() (err error) {
		if res, err = from.factor(ctx, lnmu.Stored[T]{Reader: lines}, p); res != nil {
			fill(rep, res, time.Since(begun))
		}
		return err
	})
	if errors.Is(err, matio.ErrChanged) || res == nil {
		return nil, nil, err
	}
	return rep, res, err
}

// traffic says what goes between memory and disk, and how long an iteration takes for it.
func traffic[T lnmu.Float](path, dir string, needs lnmu.Needs, m lnmu.Reader[T], p plan) string {
	rows, cols := m.Dims()
	size := float64(rows) * float64(cols) * float64(unsafe.Sizeof(T(0)))
	t := lnmu.TrafficOf(p.method)
	reads, writes := float64(t.Reads)*size, float64(t.Writes)*size
	s := fmt.Sprintf("M (%s) stays in its file: an iteration reads %s", memory.Text(byteCount(size)), memory.Text(byteCount(reads)))
	read, err := direct.ReadSpeed(path)
	var write float64
	if writes > 0 && err == nil {
		s += fmt.Sprintf(" and writes %s, to a file of %s in %s,", memory.Text(byteCount(writes)), memory.Text(needs.Scratch), dir)
		write, err = direct.WriteSpeed(dir, needs.Scratch)
	}
	return s + atSpeed(reads, read, writes, write, err)
}

// atSpeed says how long it takes to read and write so many bytes, at so many a second of
// either, unless err says that these are not known.
func atSpeed(reads, read, writes, write float64, err error) string {
	if err != nil {
		return " as fast as the disk, which does not show how fast that is"
	}
	seconds, speeds := reads/read, memory.Text(byteCount(read))+"/s read"
	if writes > 0 {
		seconds += writes / write
		speeds += ", " + memory.Text(byteCount(write)) + "/s written"
	}
	took := time.Duration(math.Min(seconds, math.MaxInt64/1e10) * float64(time.Second))
	return fmt.Sprintf(" in %v at the speed of the disk (%s)", took.Round(10*time.Millisecond), speeds)
}

// readAhead prepares the runtime for a run within so much memory and with M on disk; undo
// restores it. Prefetching
// needs a processor at times while the computation keeps all of them busy. Garbage must
// not take the memory of the factors.
func readAhead(within memoryLimit) (undo func()) {
	processors := runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	limit := debug.SetMemoryLimit(int64(within))
	return func() {
		debug.SetMemoryLimit(limit)
		runtime.GOMAXPROCS(processors)
	}
}
