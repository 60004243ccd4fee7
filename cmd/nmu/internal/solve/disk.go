package solve

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

	"nmu/cmd/nmu/internal/exit"
	"nmu/cmd/nmu/internal/flags"
	"nmu/cmd/nmu/internal/message"
	"nmu/cmd/nmu/internal/record"
	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/lnmu"
)

// wanted says whether a dense matrix does not fit into the memory that was given, with
// what its factorization needs.
func wanted[T lnmu.Float](j *Job, file *matio.File, p Plan) bool {
	rows, cols := file.Dims()
	whole := float64(rows) * float64(cols) * float64(unsafe.Sizeof(T(0)))
	return j.Disk.Within != 0 && float64(j.Disk.Within) < whole+float64(DenseMemory[T](rows, cols, p, true, j.Improve))
}

// factorStored factors a dense matrix that stays in its file. It says how long that takes
// on out.
func factorStored[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	for _, x := range []struct {
		flag  string
		given bool
	}{{"improve", j.Improve}, {"report", j.Report}, {"missing", p.Gaps}} {
		if x.given {
			return nil, nil, exit.Misuse(fmt.Errorf("--%s needs M in memory, for which --memory %v is not enough; leave one of them out", x.flag, &j.Disk.Within))
		}
	}
	lines, err := matio.OpenLines[T](file)
	if errors.Is(err, matio.ErrUnsupported) {
		return nil, nil, fmt.Errorf("%w; --memory %v is not enough to read it, and nmu convert --order writes a file that can stay where it is", err, &j.Disk.Within)
	}
	if err != nil {
		return nil, nil, err
	}
	m := lnmu.Stored[T]{Reader: lines}
	needs, err := lnmu.EstimateOf(m, p.Rank, p.Method, p.Settings)
	if err != nil {
		return nil, nil, err
	}
	rows, cols := lines.Dims()
	entries := float64(rows) * float64(cols)
	if p.Settings.Observed != nil {
		needs.Memory += byteCount(entries / 8)
	}
	if p.Settings.Weights != nil {
		needs.Memory += byteCount(entries * 8)
	}
	dir := j.Disk.Folder()
	if err := j.enough(file, needs.Memory, fmt.Sprintf("%v, with M in its file and %s in %s,", p, memory.Text(needs.Scratch), dir)); err != nil {
		return nil, nil, err
	}
	p.Settings.Scratch = dir
	if err := message.Note(out, "%s", traffic(j.Path, dir, needs, byteCount(entries*float64(unsafe.Sizeof(T(0)))))); err != nil {
		return nil, nil, err
	}

	defer readAhead(j.Disk.Within)()
	rep := record.NewFactor[T](rows, cols, p.Rank, p.Method, &p.Settings)
	begun := time.Now()
	var res *lnmu.Result[T]
	err = file.Guard(func() (err error) {
		if res, err = from.Factor(ctx, m, p); res != nil {
			record.Fill(rep, res, time.Since(begun))
		}
		return err
	})
	if errors.Is(err, matio.ErrChanged) || res == nil {
		return nil, nil, err
	}
	return rep, res, err
}

// traffic says what goes between memory and disk for a matrix of so many bytes, and how long
// an iteration takes for it.
func traffic(path, dir string, needs lnmu.Estimate, size int64) string {
	reads, writes := float64(needs.Reads), float64(needs.Writes)
	s := fmt.Sprintf("M (%s) stays in its file: an iteration reads %s", memory.Text(size), memory.Text(needs.Reads))
	read, err := direct.ReadSpeed(path)
	var write float64
	if writes > 0 && err == nil {
		s += fmt.Sprintf(" and writes %s, to a file of %s in %s,", memory.Text(needs.Writes), memory.Text(needs.Scratch), dir)
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
func readAhead(within flags.Size) (undo func()) {
	processors := runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	limit := debug.SetMemoryLimit(int64(within))
	return func() {
		debug.SetMemoryLimit(limit)
		runtime.GOMAXPROCS(processors)
	}
}
