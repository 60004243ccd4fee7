package matio

import (
	"fmt"
	"math"
	"os"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// Lines reads the lines of a dense matrix from its file, past the file cache of the system. The
// lines are rows if rows >= cols, else columns. Package lnmu takes a Lines as a matrix that is
// not in memory. The methods may be called concurrently until the File is closed.
type Lines[T Float] struct {
	f          *File
	rows, cols int
	width      int // elements of a line of the file
	wide       bool
	widened    bool
	first      int   // the line of the file, or of kept, that is line 0
	kept, some []int // the lines of the file that are selected, and their elements; nil: all
}

// OpenLines returns the lines of f. They must be contiguous and uncompressed in the file: in C
// order if rows >= cols, else in Fortran order; the other way round if the matrix is
// transposed. For T = float64 the elements may have any type. For T = float32 they must be
// little-endian float32 on a little-endian machine. If f breaks these rules, the error wraps
// ErrUnsupported. Other errors are those of the file system.
func OpenLines[T Float](f *File) (*Lines[T], error) {
	l := &Lines[T]{f: f}
	l.rows, l.cols = f.Dims()
	l.width, l.wide = min(l.rows, l.cols), l.rows < l.cols
	if f.in.Closed {
		return nil, closedError(f)
	}
	if f.in.Plain == nil || f.in.Plain.Reader != nil {
		return nil, f.in.Unsupported("only an uncompressed array, as in a .npy file, can stay on disk")
	}
	size, dt := int(unsafe.Sizeof(T(0))), f.in.Plain.Type
	native := dt == element.Type{Kind: 'f', Size: size} && !element.HostBigEndian && f.in.Plain.Offset%int64(size) == 0
	if l.widened = !native; l.widened && size == 4 {
		return nil, f.in.Unsupported("elements of type %v that stay on disk are read in double precision; choose float64", dt)
	}
	if tall := l.cols <= l.rows; l.width > 1 && tall != (f.in.ByColumns == f.in.Transpose) {
		want := "C"
		if f.in.Transpose == tall {
			want = "Fortran"
		}
		return nil, f.in.Unsupported("a matrix of %d x %d must be stored in %s order to stay on disk", f.in.Rows, f.in.Cols, want)
	}
	if f.direct != nil {
		return l, nil
	}
	file, err := direct.Open(f.in.Path)
	if err != nil {
		return nil, err
	}
	f.direct = file // Close closes it
	was, err := f.in.Handle.Stat()
	if err != nil {
		return nil, err
	}
	is, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(was, is) {
		return nil, fmt.Errorf("%s: %w: another file has taken its place", f.in.Path, ErrChanged)
	}
	return l, nil
}

// Block returns block b of the matrix, which has whole lines.
func (l *Lines[T]) Block(b Block) *Lines[T] {
	s := *l
	s.rows, s.cols, s.first = b.Rows(), b.Cols(), l.first+b.I0+b.J0 // one of them is 0
	return &s
}

// Select returns the matrix of the given rows and columns, which ascend. Its lines are rows if those of l are,
// whatever its shape.
func (l *Lines[T]) Select(rows, cols []int) *Lines[T] {
	s := *l
	s.rows, s.cols, s.first = len(rows), len(cols), 0
	if l.wide {
		rows, cols = cols, rows
	}
	s.kept, s.some = chosen(l.kept, l.first, rows), chosen(l.some, 0, cols)
	return &s
}

// chosen returns the lines of a file for some of those of list, from first on; nil lists all of the file.
func chosen(list []int, first int, some []int) []int {
	at := make([]int, len(some))
	for k, i := range some {
		if at[k] = first + i; list != nil {
			at[k] = list[first+i]
		}
	}
	return at
}

// Dims returns the size of the matrix.
func (l *Lines[T]) Dims() (rows, cols int) { return l.rows, l.cols }

// ByColumns reports whether the lines are columns.
func (l *Lines[T]) ByColumns() bool { return l.wide }

// lengths returns the number of lines and the elements of one.
func (l *Lines[T]) lengths() (lines, width int) {
	if l.wide {
		return l.cols, l.rows
	}
	return l.rows, l.cols
}

// Room returns the buffer length, in elements, that ReadLines needs for this many lines. It
// includes padding for I/O by pages.
func (l *Lines[T]) Room(lines int) int {
	if l.kept == nil {
		return l.room(lines)
	}
	return l.packed(lines) + l.room(l.atOnce(lines))
}

// room is Room for lines of the file.
func (l *Lines[T]) room(lines int) int {
	n := lines*l.width + 2*direct.Page/int(unsafe.Sizeof(T(0)))
	if l.widened {
		n += l.raw(lines) / int(unsafe.Sizeof(T(0)))
	}
	return n
}

// packed returns the length of the room, in whole pages, for this many lines of a selection.
func (l *Lines[T]) packed(lines int) int {
	_, width := l.lengths()
	size := int(unsafe.Sizeof(T(0)))
	return int(direct.RoundUp(int64(lines)*int64(width)*int64(size))) / size
}

// atOnce returns how many consecutive lines of the file are read at once if so many are wanted.
func (l *Lines[T]) atOnce(lines int) int {
	const bytes = 1 << 20
	return max(1, min(lines, bytes/(max(1, l.width)*int(unsafe.Sizeof(T(0))))))
}

// raw returns the number of bytes that the stored elements of this many lines take, with
// padding for I/O by pages.
func (l *Lines[T]) raw(lines int) int {
	return int(direct.RoundUp(int64(lines)*int64(l.width)*int64(l.f.in.Plain.Type.Size) + 2*direct.Page))
}

// ReadLines reads lines first to last-1 into room, which must begin at a page boundary. It
// returns the part of room that holds the elements, line after line.
func (l *Lines[T]) ReadLines(room []T, first, last int) ([]T, error) {
	first, last = first+l.first, last+l.first
	if l.kept == nil {
		return l.read(room, first, last)
	}
	n, most := last-first, l.atOnce(last-first)
	to, raw := room[:0:n*len(l.some)], room[l.packed(n):]
	for at := first; at < last; {
		wanted := l.kept[at:last]
		n := Nearby(wanted, most)
		lines, err := l.read(raw, wanted[0], wanted[n-1]+1)
		if err != nil {
			return nil, err
		}
		for _, i := range wanted[:n] {
			line := lines[(i-wanted[0])*l.width:]
			for _, j := range l.some {
				to = append(to, line[j])
			}
		}
		at += n
	}
	return to, nil
}

// Nearby returns how many of the first wanted lines are read at once: those among so many consecutive
// lines of which at least half are wanted.
func Nearby(wanted []int, most int) (n int) {
	for n = 1; n < len(wanted) && wanted[n]-wanted[0] < min(most, 2*(n+1)); n++ {
	}
	return n
}

// read reads lines of the file.
func (l *Lines[T]) read(room []T, first, last int) ([]T, error) {
	a, n := l.f.in.Plain, (last-first)*l.width
	begin := a.Offset + int64(first)*int64(l.width)*int64(a.Type.Size)
	end := begin + int64(n)*int64(a.Type.Size)
	from := begin / direct.Page * direct.Page
	b := direct.Bytes(room)
	read, err := l.f.direct.ReadAt(b[:direct.RoundUp(end)-from], from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.f.in.Path, err)
	}
	if int64(read) < end-from {
		return nil, fmt.Errorf("%s: %w: it now ends at byte %d", l.f.in.Path, ErrChanged, from+int64(read))
	}
	if !l.widened {
		skip := int(begin-from) / a.Type.Size
		lines := room[skip : skip+n]
		input.Replace(&l.f.in.Meaning, lines)
		return lines, nil
	}
	at := l.raw(last-first) / int(unsafe.Sizeof(T(0)))
	lines := room[at : at+n]
	a.Type.Floats(any(lines).([]float64), b[begin-from:end-from])
	input.Replace(&l.f.in.Meaning, lines)
	return lines, nil
}

// At reads entry (i, j). It is NaN if that cannot be read.
func (l *Lines[T]) At(i, j int) T {
	if l.wide {
		i, j = j, i
	}
	line, err := l.ReadLines(direct.Make[T](l.Room(1)), i, i+1)
	if err != nil {
		return T(math.NaN())
	}
	return line[j]
}

// togetherBytes is how much of the matrix Each reads at once.
const togetherBytes = 4 << 20

// Together returns how many lines Each reads at once, of so many.
func (l *Lines[T]) Together(lines int) int {
	_, width := l.lengths()
	return max(1, min(lines, togetherBytes/max(1, width*int(unsafe.Sizeof(T(0))))))
}

// Each calls do for lines first to last-1 in order, until it returns an error. A line is valid
// during the call only. The end of the File's context ends it.
func (l *Lines[T]) Each(first, last int, do func(i int, line []T) error) error {
	together := l.Together(last - first)
	_, width := l.lengths()
	room := direct.Make[T](l.Room(together))
	for ; first < last; first += together {
		end := min(first+together, last)
		if err := l.f.in.Ended(); err != nil {
			return err
		}
		lines, err := l.ReadLines(room, first, end)
		if err != nil {
			return err
		}
		for i := first; i < end; i++ {
			if err := do(i, lines[(i-first)*width:][:width]); err != nil {
				return err
			}
		}
	}
	return nil
}
