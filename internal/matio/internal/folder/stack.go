package folder

import (
	"os"
	"sync"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/regular"
)

// blockChunk is how many elements of a block are held while they are converted.
const blockChunk = 1 << 15

// worthReading is how many bytes are read and converted sooner, wanted or not, than others
// are asked for by a call of their own: that takes as long as some 180 float64.
const worthReading = 1 << 10

// blockBuffer is what a block is read through.
type blockBuffer struct {
	raw  []byte
	nums []float64
}

var blockBuffers = sync.Pool{New: func() any {
	return &blockBuffer{raw: make([]byte, 8*blockChunk), nums: make([]float64, blockChunk)}
}}

// ReadBlock reads block b of a stack, or of their transpose: turned says that
// entry i, j of the block is dst[j*stride+i]. to may be nil where nothing can be lost.
func ReadBlock[T element.Float](s *Stack, dst []T, stride int, b input.Block, turned bool, to *input.Narrowing[T]) error {
	for _, p := range s.parts {
		first := int(p.first) // fits, as the rows in all do
		in := input.Block{I0: max(b.I0, first) - first, I1: min(b.I1, first+p.Rows) - first, J0: b.J0, J1: b.J1}
		if in.Rows() <= 0 {
			continue
		}
		r := partReader[T]{p: p.File, dst: dst, at: first + in.I0 - b.I0, stride: stride, to: to}
		if !turned {
			r.at *= stride
		}
		if err := r.read(in, turned); err != nil {
			return err
		}
	}
	return nil
}

// partReader reads a block of a .npy file.
type partReader[T element.Float] struct {
	p      *input.File
	file   *os.File
	dst    []T
	at     int // where the block begins in dst
	stride int // of dst
	to     *input.Narrowing[T]
	buf    *blockBuffer
}

func (r *partReader[T]) read(b input.Block, turned bool) error {
	r.file = r.p.Handle
	if r.file == nil {
		var err error
		if r.file, err = regular.Open(r.p.Path); err != nil {
			return err
		}
		defer r.file.Close()
	}
	// The lines l of the file hold the elements e.
	l0, l1, e0, e1, length := b.I0, b.I1, b.J0, b.J1, r.p.Cols
	if r.p.ByColumns {
		l0, l1, e0, e1, length = e0, e1, l0, l1, r.p.Rows
		turned = !turned
	}
	first, n, lines := int64(l0)*int64(length)+int64(e0), e1-e0, l1-l0
	if !turned && n == length && r.stride == n {
		n, lines = n*lines, 1
	}
	if turned || lines > 1 && n <= worthReading/r.p.Plain.Type.Size {
		return r.gather(first, lines, n, length, turned)
	}
	for l := range lines {
		if err := r.line(first+int64(l)*int64(length), r.dst[r.at+l*r.stride:][:n], r.at+l*r.stride); err != nil {
			return err
		}
	}
	return nil
}

// line reads the elements of dst, whose place in r.dst is at, from the given one on.
func (r *partReader[T]) line(first int64, dst []T, at int) error {
	a := r.p.Plain
	if a.Type == (element.Type{Kind: 'f', Size: int(unsafe.Sizeof(dst[0])), Big: element.HostBigEndian}) {
		return r.bytes(first, unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*a.Type.Size))
	}
	r.buf = blockBuffers.Get().(*blockBuffer)
	defer blockBuffers.Put(r.buf)
	for k := 0; k < len(dst); k += blockChunk {
		n := min(blockChunk, len(dst)-k)
		raw := r.buf.raw[:n*a.Type.Size]
		if err := r.bytes(first+int64(k), raw); err != nil {
			return err
		}
		a.Type.Floats(r.buf.nums[:n], raw)
		for i, v := range r.buf.nums[:n] {
			r.put(v, at+k+i)
		}
	}
	return nil
}

// gather reads n elements of each of some lines, which are columns of dst if turned, else
// its rows.
func (r *partReader[T]) gather(first int64, lines, n, length int, turned bool) error {
	r.buf = blockBuffers.Get().(*blockBuffer)
	defer blockBuffers.Put(r.buf)
	dt := r.p.Plain.Type
	height := min(n, 1<<12)
	step := height // from one line to the next in buf
	whole := length-height <= worthReading/dt.Size
	if whole {
		step = length
	}
	width := min(lines, blockChunk/step)
	for e := 0; e < n; e += height {
		h := min(height, n-e)
		for l := 0; l < lines; l += width {
			w := min(width, lines-l)
			together := 1
			if whole {
				together = w
			}
			for k := 0; k < w; k += together {
				raw := r.buf.raw[k*step*dt.Size:][:((together-1)*step+h)*dt.Size]
				if err := r.bytes(first+int64(l+k)*int64(length)+int64(e), raw); err != nil {
					return err
				}
			}
			filled := (w-1)*step + h
			dt.Floats(r.buf.nums[:filled], r.buf.raw[:filled*dt.Size])
			rows, cols, down, across, at := w, h, step, 1, r.at+l*r.stride+e
			if turned {
				rows, cols, down, across, at = h, w, 1, step, r.at+e*r.stride+l
			}
			for i := range rows {
				for j := range cols {
					r.put(r.buf.nums[i*down+j*across], at+i*r.stride+j)
				}
			}
		}
	}
	return nil
}

// put sets an element of dst.
func (r *partReader[T]) put(v float64, at int) {
	if r.to == nil {
		r.dst[at] = T(v)
	} else {
		r.dst[at] = r.to.Number(v, at)
	}
}

// bytes reads b from the given element on.
func (r *partReader[T]) bytes(first int64, b []byte) error {
	off := r.p.Plain.Offset + first*int64(r.p.Plain.Type.Size)
	n, err := r.file.ReadAt(b, off)
	if n < len(b) && err != nil {
		return r.p.ReadError(off+int64(n), err)
	}
	return nil
}

// Stack is a dense matrix in parts that lie one below the other.
type Stack struct {
	f     *input.File
	parts []stackPart
	cols  int
}

// stackPart is a .npy file of a matrix.
type stackPart struct {
	*input.File
	first int64 // row of the matrix
}

// Verify does nothing: the files were compared with their headers.
func (s *Stack) Verify() error { return nil }

// Open starts reading the elements row by row.
func (s *Stack) Open() (input.Source, error) {
	r := &stackSource{s: s, width: min(s.cols, stackChunk)}
	r.height = min(stackChunk/max(1, r.width), s.f.Rows)
	var err error
	r.buf, err = input.Alloc[float64](s.f, int64(r.width)*int64(r.height))
	return r, err
}

// stackChunk is how many elements of a stack are read at once.
const stackChunk = 1 << 18

// stackSource delivers the elements of a stack: some rows after the other, or of long
// rows a piece.
type stackSource struct {
	s             *Stack
	row, col      int // where to go on
	height, width int // of what is read at once
	buf           []float64
	rest          []float64 // of buf, not yet delivered
}

func (s *stackSource) Next(dst []float64) error {
	for len(dst) > 0 {
		if len(s.rest) == 0 {
			b := input.Block{I0: s.row, I1: min(s.row+s.height, s.s.f.Rows), J0: s.col, J1: min(s.col+s.width, s.s.cols)}
			s.rest = s.buf[:b.Rows()*b.Cols()]
			if err := ReadBlock(s.s, s.rest, b.Cols(), b, false, nil); err != nil {
				return err
			}
			if s.col = b.J1; s.col == s.s.cols {
				s.row, s.col = b.I1, 0
			}
		}
		n := copy(dst, s.rest)
		dst, s.rest = dst[n:], s.rest[n:]
	}
	return nil
}

func (s *stackSource) Close() error { return nil }

// Single says whether float32 holds every number of the parts.
func (s *Stack) Single() bool {
	for _, part := range s.parts {
		if !part.Plain.Type.Single() {
			return false
		}
	}
	return true
}

// Of returns a .npy file as the only part of a matrix.
func Of(f *input.File) *Stack {
	return &Stack{f: f, parts: []stackPart{{File: f}}, cols: f.Cols}
}

// ByColumns says whether columns lie together in the files, not rows.
func (s *Stack) ByColumns() bool { return len(s.parts) == 1 && s.parts[0].ByColumns }
