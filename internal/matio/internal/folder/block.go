package folder

import (
	"io"
	"sync"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/regular"
)

// BlockChunk is how many elements of a block are read at once for conversion.
const BlockChunk = 1 << 15

// worthReading is the longest gap in bytes that is read along with the wanted bytes. Reading
// and converting some 180 float64 takes as long as another read call.
const worthReading = 1 << 10

// blockBuffer is the buffer for reading a block.
type blockBuffer struct {
	raw  []byte
	nums []float64
}

var blockBuffers = sync.Pool{New: func() any {
	return &blockBuffer{raw: make([]byte, 8*BlockChunk), nums: make([]float64, BlockChunk)}
}}

// ReadBlock reads block b of a stack into dst: entry i, j of the block becomes dst[i*stride+j],
// or dst[j*stride+i] if turned. to may be nil if no number can become zero.
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
	file   io.ReaderAt
	dst    []T
	at     int // where the block begins in dst
	stride int // of dst
	to     *input.Narrowing[T]
	buf    *blockBuffer
}

func (r *partReader[T]) read(b input.Block, turned bool) error {
	if r.p.Handle == nil {
		file, err := regular.Open(r.p.Path)
		if err != nil {
			return err
		}
		defer file.Close()
		r.file = r.p.Endable(file)
	} else {
		r.file = r.p.Plain.Bytes()
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

// line reads elements of the file, from element first on, into dst, which begins at r.dst[at].
func (r *partReader[T]) line(first int64, dst []T, at int) error {
	a := r.p.Plain
	if a.Type == (element.Type{Kind: 'f', Size: int(unsafe.Sizeof(dst[0])), Big: element.HostBigEndian}) {
		return r.bytes(first, unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*a.Type.Size))
	}
	r.buf = blockBuffers.Get().(*blockBuffer)
	defer blockBuffers.Put(r.buf)
	for k := 0; k < len(dst); k += BlockChunk {
		n := min(BlockChunk, len(dst)-k)
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

// gather reads n elements of each of several lines. The lines become columns of dst if turned,
// else rows.
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
	width := min(lines, BlockChunk/step)
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

// put sets r.dst[at] to v.
func (r *partReader[T]) put(v float64, at int) {
	if r.to == nil {
		r.dst[at] = T(v)
	} else {
		r.dst[at] = r.to.Number(v, at)
	}
}

// bytes fills b from element first of the file on.
func (r *partReader[T]) bytes(first int64, b []byte) error {
	off := r.p.Plain.Offset + first*int64(r.p.Plain.Type.Size)
	n, err := r.file.ReadAt(b, off)
	if n < len(b) && err != nil {
		return r.p.ReadError(off+int64(n), err)
	}
	return nil
}
