package work

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/page"
	"nmu/lnmu"
)

// wanted says whether a dense matrix, or the part of it that this process holds, does not fit
// into the memory that was given, with what its factorization needs and what is in memory already.
func wanted[T lnmu.Float](j *Job, file *matio.File, p Plan) bool {
	if j.Library {
		return j.most() > 0
	}
	rows, cols := file.Dims()
	held := spanBytes[T](file, p, j)
	if p.MayLeave() && p.Gaps || p.Lines != nil && j.All == nil && matio.Mappable[T](file) {
		held = Plus(held, held) // of a part that is read twice, or of a copy of what is left
	}
	return j.Memory != 0 && file.Left() < Plus(Plus(Process(), held), Memory(j, lnmu.Unread[T]{Rows: rows, Cols: cols}, p, true))
}

// denseFile is a dense matrix that stays in its file, or the part of it that this process holds.
type denseFile[T lnmu.Float] struct {
	*Call[T]
	m *matio.Lines[T]
}

func (s *denseFile[T]) open(p Plan) error {
	m, err := matio.OpenLines[T](s.File)
	if errors.Is(err, matio.ErrUnsupported) {
		return fmt.Errorf("%w; %s, and nmu convert --order writes a file that can stay where it is", err, s.limit("read it"))
	}
	if err != nil {
		return err
	}
	rows, cols := p.Lines.Dims(m.Dims())
	if p.Lines != nil {
		if m.ByColumns() != (rows < cols) {
			return fmt.Errorf("%s: without %s it is %d x %d, and its file holds its lines the other way round; give more %s, or a file of %d x %d", s.limit("read the matrix"), p.Lines, rows, cols, s.File.Setting("memory", ""), rows, cols)
		}
		m = m.Select(p.Lines.Kept())
	}
	if s.All != nil {
		m = m.Block(blockOf(s.All, rows, cols))
	}
	s.m = m
	_, err = s.need(&p)
	return err
}

func (s *denseFile[T]) need(p *Plan) (lnmu.Estimate, error) {
	j := &s.Job
	needs, err := lnmu.EstimateOf(matrix[T](*p, s.m), p.Rank, p.Method, &p.Settings)
	if err != nil {
		return needs, err
	}
	rows, cols := s.m.Dims()
	if p.Gaps { // that of a file is reserved since it was read
		needs.Memory = Plus(needs.Memory, data.MaskBytes(rows, cols))
	}
	needs.Memory = Plus(needs.Memory, s.aside(p, byteCount(float64(s.m.Room(s.m.Together(max(rows, cols))))*float64(unsafe.Sizeof(T(0))))))
	what := ""
	if j.Improve && !p.Gaps {
		more, err := improvingNeed[T](*p, s.m)
		if err != nil {
			return needs, err
		}
		if more = Plus(more, j.program()); more > needs.Memory {
			needs.Memory, what = more, " and --improve"
		}
	}
	return needs, j.enough(s.File, needs.Memory, fmt.Sprintf("%v, with M in its file and %s in %s%s,", *p, memory.Text(needs.Scratch), j.folder(), what), *p)
}

func (s *denseFile[T]) matrix() lnmu.Matrix[T] { return s.m }
func (s *denseFile[T]) entries() int           { return 0 }

// gaps reads M once.
func (s *denseFile[T]) gaps(p Plan) (*lnmu.Mask, error) {
	mask := p.Mask
	if mask == nil {
		mask = lnmu.NewMask(s.m.Dims())
	}
	rows, cols := s.m.Dims()
	lines := rows
	if s.m.ByColumns() {
		lines = cols
	}
	return mask, s.File.Guard(func() error {
		return s.m.Each(0, lines, func(i int, line []T) error {
			for k, x := range line {
				switch {
				case x == x:
				case s.m.ByColumns():
					mask.Set(k, i, false)
				default:
					mask.Set(i, k, false)
				}
			}
			return nil
		})
	})
}

// page returns the matrix for the page, without the entries that a mask does not observe.
func (s *denseFile[T]) page(p Plan) page.Source[T] {
	m := page.Source[T]{ByColumns: s.m.ByColumns()}
	m.Rows, m.Cols = s.m.Dims()
	var room []T
	m.Read = func(is, js []int, to lnmu.Dense[T]) error {
		part, lines := s.m.Select(is, js), len(is)
		if m.ByColumns {
			lines = len(js)
		}
		most := part.Together(lines)
		if n := part.Room(most); len(room) < n {
			room = nil
			room = direct.Make[T](n)
		}
		for at := 0; at < lines; at += most {
			end := min(at+most, lines)
			x, err := part.ReadLines(room, at, end)
			if err != nil {
				return err
			}
			width := len(x) / (end - at)
			for k := at; k < end; k++ {
				line := x[(k-at)*width:][:width]
				if !m.ByColumns {
					copy(to.Row(k), line)
					continue
				}
				for t, y := range line {
					to.Row(t)[k] = y
				}
			}
		}
		page.Hide(p.Mask, is, js, to)
		return nil
	}
	return m
}

// traffic says what goes between memory and disk, and how long an iteration takes for it.
func (s *denseFile[T]) traffic(needs lnmu.Estimate) string {
	j := &s.Job
	text := fmt.Sprintf("M (%s) stays in its file: an iteration reads %s%s", memory.Text(whole[T](s.File)), memory.Text(needs.Reads), j.each())
	read, err := direct.ReadSpeed(j.Path)
	var write float64
	if needs.Writes > 0 && err == nil {
		dir := j.folder()
		text += fmt.Sprintf(" and writes %s, to a file of %s in %s,", memory.Text(needs.Writes), memory.Text(needs.Scratch), dir)
		write, _, err = direct.ScratchSpeeds(dir, needs.Scratch, false)
	}
	return text + j.atSpeed(needs, read, write, err)
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
	within := j.Memory - Program - libraries // which the runtime does not count
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
