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

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/record"
	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/lnmu"
)

// wanted says whether a dense matrix, or the part of it that this process holds, does not fit
// into the memory that was given, with what its factorization needs and what is in memory already.
func wanted[T lnmu.Float](j *Job, file *matio.File, p Plan) bool {
	rows, cols := file.Dims()
	most, least := p.sides(rows, cols)
	whole := most * least * float64(unsafe.Sizeof(T(0)))
	if p.Lines != nil || p.Scene && p.Gaps {
		whole *= 2 // with a copy of the lines that are left
	}
	return j.Disk.Within != 0 && float64(file.Left()) < float64(Process())+whole+float64(denseNeed[T](j, rows, cols, p, true))
}

// storedLines is a dense matrix that stays in its file, or the part of it that a process holds.
type storedLines[T lnmu.Float] struct {
	file       *matio.Lines[T]
	rows, cols int         // of the matrix without the lines that are left out
	block      matio.Block // of it

	kept, within []int // the lines of the file that it has, and their entries; nil: all
}

// Dims returns the size of the part.
func (l storedLines[T]) Dims() (rows, cols int) { return l.block.Rows(), l.block.Cols() }

// width returns the length of a line.
func (l storedLines[T]) width() int { return min(l.rows, l.cols) }

// first returns the first line of the part.
func (l storedLines[T]) first() int { return l.block.I0 + l.block.J0 } // one of them is 0

// lines returns the number of lines of the part.
func (l storedLines[T]) lines() int {
	if l.rows < l.cols {
		return l.block.Cols()
	}
	return l.block.Rows()
}

// Room returns the buffer length for so many lines.
func (l storedLines[T]) Room(lines int) int {
	if l.kept == nil {
		return l.file.Room(lines)
	}
	return l.packed(lines) + l.file.Room(l.atOnce(lines))
}

// packed returns the length of the room, in whole pages, for so many lines without what is left out.
func (l storedLines[T]) packed(lines int) int {
	size := int(unsafe.Sizeof(T(0)))
	return int(direct.RoundUp(int64(lines)*int64(l.width())*int64(size))) / size
}

// atOnce returns how many consecutive lines of the file are read at once if so many are wanted.
func (l storedLines[T]) atOnce(lines int) int {
	const bytes = 1 << 20
	rows, cols := l.file.Dims()
	return max(1, min(lines, bytes/(min(rows, cols)*int(unsafe.Sizeof(T(0))))))
}

// ReadLines reads lines first to last-1 of the part.
func (l storedLines[T]) ReadLines(room []T, first, last int) ([]T, error) {
	first, last = first+l.first(), last+l.first()
	if l.kept == nil {
		return l.file.ReadLines(room, first, last)
	}
	n, width, most := last-first, l.width(), l.atOnce(last-first)
	to, raw := room[:n*width], room[l.packed(n):]
	whole := min(l.file.Dims())
	for at := first; at < last; {
		wanted := l.kept[at:last]
		n := nearby(wanted, most)
		lines, err := l.file.ReadLines(raw, wanted[0], wanted[n-1]+1)
		if err != nil {
			return nil, err
		}
		for k, i := range wanted[:n] {
			l.pack(to[(at-first+k)*width:][:width], lines[(i-wanted[0])*whole:][:whole])
		}
		at += n
	}
	return to, nil
}

// pack copies the entries of a line that are not left out.
func (l storedLines[T]) pack(to, line []T) {
	for k, j := range l.within {
		to[k] = line[j]
	}
}

// each calls do for the lines of the part in order, until it returns an error.
func (l storedLines[T]) each(do func(i int, line []T) error) error {
	first, last := l.first(), l.first()+l.lines()
	if l.kept == nil {
		return l.file.Each(first, last, func(at int, line []T) error { return do(at-first, line) })
	}
	if first == last {
		return nil
	}
	packed, i := make([]T, l.width()), 0
	return l.file.Each(l.kept[first], l.kept[last-1]+1, func(at int, line []T) error {
		if at != l.kept[first+i] {
			return nil
		}
		l.pack(packed, line)
		i++
		return do(i-1, packed)
	})
}

// At reads entry (i, j). It is NaN if that cannot be read.
func (l storedLines[T]) At(i, j int) T {
	if l.rows < l.cols {
		i, j = j, i
	}
	line, err := l.ReadLines(direct.Make[T](l.Room(1)), i, i+1)
	if err != nil {
		return T(math.NaN())
	}
	return line[j]
}

// openStored opens a dense matrix that stays in its file, or the part of it that this process
// holds, and returns what its factorization takes. The error says what needs less.
func openStored[T lnmu.Float](file *matio.File, j *Job, p Plan) (m storedLines[T], needs lnmu.Estimate, err error) {
	lines, err := matio.OpenLines[T](file)
	if errors.Is(err, matio.ErrUnsupported) {
		return m, needs, fmt.Errorf("%w; --memory %v is not enough to read it, and nmu convert --order writes a file that can stay where it is", err, &j.Disk.Within)
	}
	if err != nil {
		return m, needs, err
	}
	ofRows, ofCols := lines.Dims()
	rows, cols := p.Lines.Dims(ofRows, ofCols)
	m = storedLines[T]{file: lines, rows: rows, cols: cols, block: matio.Block{I1: rows, J1: cols}}
	if p.Lines != nil {
		if m.kept, m.within = p.Lines.Rows(), p.Lines.Cols(); ofRows < ofCols {
			m.kept, m.within = m.within, m.kept
		}
		if turned := (rows < cols) != (ofRows < ofCols); turned {
			return m, needs, fmt.Errorf("--memory %v is not enough to read the matrix: without %s it is %d x %d, and its file holds its lines the other way round; give more --memory, or a file of %d x %d", &j.Disk.Within, p.Lines, rows, cols, rows, cols)
		}
	}
	if j.All != nil {
		m.block = BlockOf(j.All, rows, cols)
	}
	if needs, err = lnmu.EstimateOf(matrix[T](p, m), p.Rank, p.Method, p.Settings); err != nil {
		return m, needs, err
	}
	if p.Gaps { // that of a file is reserved since it was read
		needs.Memory = Plus(needs.Memory, input.MaskBytes(m.block.Rows(), m.block.Cols()))
	}
	if j.Report {
		needs.Memory = Plus(needs.Memory, byteCount(float64(m.Room(m.together()))*float64(unsafe.Sizeof(T(0)))))
		needs.Memory = Plus(needs.Memory, j.pageBytes(rows, cols, p, unsafe.Sizeof(T(0))))
	}
	needs.Memory = Plus(needs.Memory, byteCount((joined(rows, cols, p)+placed(ofRows, ofCols, p))*float64(unsafe.Sizeof(T(0)))))
	needs.Memory = Plus(needs.Memory, Process())
	return m, needs, j.enough(file, needs.Memory, fmt.Sprintf("%v, with M in its file and %s in %s,", p, memory.Text(needs.Scratch), j.Disk.Folder()), p)
}

// factorStored factors a dense matrix that stays in its file. It says how long that takes
// on out.
func factorStored[T lnmu.Float](ctx context.Context, out io.Writer, file *matio.File, j *Job, p Plan, from Start[T]) (*record.Factor, *lnmu.Result[T], error) {
	m, needs, err := openStored[T](file, j, p)
	if err := j.All.Agree(err, ""); err != nil {
		return nil, nil, err
	}
	for p.Gaps {
		mask, err := gapsOf(file, m, p.Mask)
		if err := j.All.Agree(err, ""); err != nil {
			return nil, nil, err
		}
		if p, err = from.observing(p, mask, j.All); err == nil {
			m, needs, err = openStored[T](file, j, p)
		}
		if err := j.All.Agree(err, ""); err != nil {
			return nil, nil, err
		}
	}
	rows, cols := file.Dims()
	p.Settings.Scratch = j.Disk.Folder()
	if j.Improve {
		needs, err = improvedStored(file, j, p, m, needs)
		if err := j.All.Agree(err, ""); err != nil {
			return nil, nil, err
		}
	}
	if err := j.announce(out, func() string {
		return j.traffic(needs, byteCount(float64(rows)*float64(cols)*float64(unsafe.Sizeof(T(0)))))
	}); err != nil {
		return nil, nil, err
	}

	defer j.readAhead(p.Settings.Threads, needs.Memory)()
	return ready[T]{m: m, page: m.source(p.Mask)}.factor(ctx, file, j, p, from)
}

// gapsOf returns the mask of the entries of m that are numbers and that a mask, which may be nil,
// observes. It reads m once. The mask of the caller changes.
func gapsOf[T lnmu.Float](file *matio.File, m storedLines[T], mask *lnmu.Mask) (*lnmu.Mask, error) {
	if mask == nil {
		mask = lnmu.NewMask(m.Dims())
	}
	tall := m.rows >= m.cols
	return mask, file.Guard(func() error {
		return m.each(func(i int, line []T) error {
			for k, x := range line {
				switch {
				case x == x:
				case tall:
					mask.Set(i, k, false)
				default:
					mask.Set(k, i, false)
				}
			}
			return nil
		})
	})
}

// announce writes a note. Process 0 does that, while the others wait: words takes the time to
// look how fast the disk is.
func (j *Job) announce(out io.Writer, words func() string) error {
	var err error
	if !j.All.Helper() {
		err = message.Note(out, "%s", words())
	}
	return j.All.Agree(err, "")
}

// traffic says what goes between memory and disk for a matrix of so many bytes, and how long
// an iteration takes for it.
func (j *Job) traffic(needs lnmu.Estimate, size int64) string {
	s := fmt.Sprintf("M (%s) stays in its file: an iteration reads %s%s", memory.Text(size), memory.Text(needs.Reads), j.each())
	read, err := direct.ReadSpeed(j.Path)
	var write float64
	if needs.Writes > 0 && err == nil {
		dir := j.Disk.Folder()
		s += fmt.Sprintf(" and writes %s, to a file of %s in %s,", memory.Text(needs.Writes), memory.Text(needs.Scratch), dir)
		write, err = direct.WriteSpeed(dir, needs.Scratch)
	}
	return s + j.atSpeed(needs, read, write, err)
}

// each says that a number is that of each process, if there are several.
func (j *Job) each() string {
	if n := j.All.Count(); n > 1 {
		return fmt.Sprintf(" in each of %d processes", n)
	}
	return ""
}

// atSpeed says how long an iteration takes to read and write, at so many bytes a second of
// either, unless err says that these are not known. The processes of a machine are taken to
// share its disk.
func (j *Job) atSpeed(needs lnmu.Estimate, read, write float64, err error) string {
	if err != nil {
		return " as fast as the disk, which does not show how fast that is"
	}
	seconds, speeds := float64(needs.Reads)/read, memory.Text(byteCount(read))+"/s read"
	if needs.Writes > 0 {
		seconds += float64(needs.Writes) / write
		speeds += ", " + memory.Text(byteCount(write)) + "/s written"
	}
	disk := "the disk"
	if n := j.All.Neighbours(); n > 1 {
		seconds *= float64(n)
		disk = fmt.Sprintf("a disk that %d of them share", n)
	}
	took := time.Duration(math.Min(seconds, math.MaxInt64/1e10) * float64(time.Second))
	return fmt.Sprintf(" in %v at the speed of %s (%s)", took.Round(10*time.Millisecond), disk, speeds)
}

// readAhead prepares the runtime for a run with so many threads and with M on disk; undo
// restores it. Prefetching needs a processor at times while the computation keeps all of
// them busy. Garbage must not take the memory of the factors; a limit below what the
// program holds anyway and the run needs would have it collect garbage all the time.
func (j *Job) readAhead(threads int, memory int64) (undo func()) {
	setProcessors, setLimit, busy := runtime.GOMAXPROCS, debug.SetMemoryLimit, runtime.GOMAXPROCS(0)
	within := int64(j.Disk.Within) - Program - libraries // which the runtime does not count
	if j.All != nil {
		setProcessors, setLimit, busy = j.All.Threads, j.All.Limit, threads
	} else {
		within = max(within, Plus(held(), memory-Process()))
	}
	processors, limit := setProcessors(2*busy), setLimit(within)
	return func() {
		setLimit(limit)
		setProcessors(processors)
	}
}
