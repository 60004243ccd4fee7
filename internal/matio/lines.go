package matio

import (
	"fmt"
	"os"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/matio/internal/element"
)

// Lines reads the lines of a dense matrix from its file, past the file cache of the system. The
// lines are rows if rows >= cols, else columns. Package lnmu takes a Lines as a matrix that is
// not in memory. The methods may be called concurrently until the File is closed.
type Lines[T Float] struct {
	f          *File
	rows, cols int
	width      int // elements of a line
	widened    bool
}

// OpenLines returns the lines of f. They must be contiguous and uncompressed in the file: in C
// order if rows >= cols, else in Fortran order; the other way round if the matrix is
// transposed. For T = float64 the elements may have any type. For T = float32 they must be
// little-endian float32 on a little-endian machine. If f breaks these rules, the error wraps
// ErrUnsupported. Other errors are those of the file system.
func OpenLines[T Float](f *File) (*Lines[T], error) {
	l := &Lines[T]{f: f}
	l.rows, l.cols = f.Dims()
	l.width = min(l.rows, l.cols)
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

// Dims returns the size of the matrix.
func (l *Lines[T]) Dims() (rows, cols int) { return l.rows, l.cols }

// Room returns the buffer length, in elements, that ReadLines needs for this many lines. It
// includes padding for I/O by pages.
func (l *Lines[T]) Room(lines int) int {
	n := lines*l.width + 2*direct.Page/int(unsafe.Sizeof(T(0)))
	if l.widened {
		n += l.raw(lines) / int(unsafe.Sizeof(T(0)))
	}
	return n
}

// raw returns the number of bytes that the stored elements of this many lines take, with
// padding for I/O by pages.
func (l *Lines[T]) raw(lines int) int {
	return int(direct.RoundUp(int64(lines)*int64(l.width)*int64(l.f.in.Plain.Type.Size) + 2*direct.Page))
}

// ReadLines reads lines first to last-1 into room, which must begin at a page boundary. It
// returns the part of room that holds the elements, line after line.
func (l *Lines[T]) ReadLines(room []T, first, last int) ([]T, error) {
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
		return room[skip : skip+n], nil
	}
	at := l.raw(last-first) / int(unsafe.Sizeof(T(0)))
	lines := room[at : at+n]
	a.Type.Floats(any(lines).([]float64), b[begin-from:end-from])
	return lines, nil
}

// togetherBytes is how much of the file Each reads at once.
const togetherBytes = 4 << 20

// Each calls do for lines first to last-1 in order, until it returns an error. A line is valid
// during the call only. The end of the File's context ends it.
func (l *Lines[T]) Each(first, last int, do func(i int, line []T) error) error {
	together := max(1, min(last-first, togetherBytes/max(1, l.width*int(unsafe.Sizeof(T(0))))))
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
			if err := do(i, lines[(i-first)*l.width:][:l.width]); err != nil {
				return err
			}
		}
	}
	return nil
}
