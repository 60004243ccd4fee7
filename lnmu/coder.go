package lnmu

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"math/rand/v2"

	"nmu/kernel"
)

// piece is a named part of a state. What at points to is written to a checkpoint and
// read from one by the same list, so that there is no second one that could differ:
//
//	*int, *uint64, *float64, *float32, *bool, *string, *Stop, *[]float64, *[]byte, *rand.PCG
//	[]T, kernel.Matrix[T]   of the length or shape that they have
//	parted[T]               a matrix of which several processes have parts
//
// In a file a part is its name, a letter for its kind, the number of its elements and
// these, little-endian. Numbers that stand alone must be finite.
type piece struct {
	name string
	at   any
}

// coder is what goes over the parts of a state: an encoder or a decoder.
type coder interface {
	do(parts ...piece)
	err() error
	fail(format string, args ...any)
}

// each goes over a list of any length. A decoder appends to it what it finds, so that
// no number of elements is believed.
func each[E any](c coder, name string, list *[]E, parts func(*E) []piece, more func(*E)) {
	n := len(*list)
	c.do(piece{name, &n})
	for i := 0; i < n && c.err() == nil; i++ {
		if i == len(*list) {
			*list = append(*list, *new(E))
		}
		c.do(parts(&(*list)[i])...)
		if more != nil {
			more(&(*list)[i])
		}
	}
}

// coding is what encoders and decoders share.
type coding struct {
	failed error
	buf    []byte
}

func (c *coding) err() error { return c.failed }

func (c *coding) fail(format string, args ...any) {
	if c.failed == nil {
		c.failed = fmt.Errorf(format, args...)
	}
}

// chunk is the number of elements that are written or read at once.
const chunk = 8 << 10

// encoder writes parts.
type encoder struct {
	coding
	w    io.Writer
	sum  hash.Hash   // of what was written, or nil
	over func() bool // writing ends with an error when the work is over; may be nil

	// of several processes
	with  *company
	parts []func() // what the first one gets from this one, part by part; of the first one, as many as there were
}

func newEncoder(w io.Writer, over func() bool) *encoder {
	sum := sha256.New()
	return &encoder{w: io.MultiWriter(w, sum), sum: sum, over: over}
}

// seal writes the checksum of all that was written.
func (e *encoder) seal() { e.write(e.sum.Sum(nil)) }

func (e *encoder) write(b []byte) {
	if e.w == nil {
		return // of a process that does not write
	}
	if e.failed == nil && e.over != nil && e.over() {
		e.fail("the work is over")
	}
	if e.failed == nil {
		_, e.failed = e.w.Write(b)
	}
}

// head writes what comes before the elements of a part.
func (e *encoder) head(name string, kind byte, n int) { e.write(headOf(name, kind, n)) }

// headOf returns name, kind and number of elements of a part.
func headOf(name string, kind byte, n int) []byte {
	head := append([]byte{byte(len(name))}, name...)
	return binary.LittleEndian.AppendUint64(append(head, kind), uint64(n))
}

func (e *encoder) do(parts ...piece) {
	for _, p := range parts {
		if x, ok := p.at.(interface{ encode(e *encoder, name string) }); ok {
			x.encode(e, p.name)
		} else if e.failed == nil && e.with.isFirst() {
			e.one(p)
		}
	}
}

func (e *encoder) one(p piece) {
	whole := func(kind byte, x uint64) {
		e.head(p.name, kind, 1)
		e.write(binary.LittleEndian.AppendUint64(e.buf[:0], x))
	}
	switch x := p.at.(type) {
	case *int:
		whole('i', uint64(*x))
	case *uint64:
		whole('i', *x)
	case *bool:
		var one uint64
		if *x {
			one = 1
		}
		whole('i', one)
	case *float64:
		if math.IsNaN(*x) || math.IsInf(*x, 0) {
			e.fail("%s is %v", p.name, *x)
			return
		}
		whole('d', math.Float64bits(*x))
	case *float32:
		wide := float64(*x)
		e.one(piece{p.name, &wide})
	case *string:
		e.head(p.name, 't', len(*x))
		e.write([]byte(*x))
	case *Stop:
		e.one(piece{p.name, (*string)(x)})
	case *[]byte:
		e.head(p.name, 't', len(*x))
		e.write(*x)
	case *rand.PCG:
		state, err := x.MarshalBinary()
		if err != nil {
			e.fail("%w", err)
		}
		e.one(piece{p.name, &state})
	case *[]float64:
		e.head(p.name, 'd', len(*x))
		putRow(e, *x)
	case []float64:
		e.head(p.name, 'd', len(x))
		putRow(e, x)
	case []float32:
		e.head(p.name, 's', len(x))
		putRow(e, x)
	case kernel.Matrix[float64]:
		e.head(p.name, 'd', x.Rows*x.Cols)
		putRows(e, x)
	case kernel.Matrix[float32]:
		e.head(p.name, 's', x.Rows*x.Cols)
		putRows(e, x)
	case streamed[float64]:
		e.head(p.name, 'd', x.count())
		x.each(reads, func(row []float64) { putRow(e, row) })
	case streamed[float32]:
		e.head(p.name, 's', x.count())
		x.each(reads, func(row []float32) { putRow(e, row) })
	default:
		panic(fmt.Sprintf("lnmu: no part of a state is a %T", p.at))
	}
}

func putRows[T Float](e *encoder, x kernel.Matrix[T]) {
	for i := range x.Rows {
		putRow(e, x.Row(i))
	}
}

// putRow writes numbers.
func putRow[T Float](e *encoder, row []T) {
	for len(row) > 0 {
		n := min(len(row), chunk)
		e.buf = appendFloats(e.buf[:0], row[:n])
		e.write(e.buf)
		row = row[n:]
	}
}

// decoder reads parts.
type decoder struct {
	coding
	r     io.Reader
	under io.Reader // what r reads from
	sum   hash.Hash // of what was read, or nil
}

func newDecoder(r io.Reader) *decoder {
	sum := sha256.New()
	return &decoder{r: io.TeeReader(r, sum), under: r, sum: sum}
}

// damaged is what is said of a state that cannot be one.
func (d *decoder) damaged(format string, args ...any) {
	d.fail("%w: "+format, append([]any{ErrCheckpoint}, args...)...)
}

// read fills b.
func (d *decoder) read(b []byte) bool {
	if d.failed != nil {
		return false
	}
	if _, err := io.ReadFull(d.r, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		d.damaged("it is cut short")
	} else if err != nil {
		d.fail("reading a checkpoint: %w", err)
	}
	return d.failed == nil
}

// sealed compares the checksum of all that was read with the one that comes next.
func (d *decoder) sealed() {
	got, want := d.sum.Sum(nil), make([]byte, sha256.Size)
	if d.read(want) && !bytes.Equal(got, want) {
		d.damaged("its checksum is wrong")
	}
}

// head reads what comes before the elements of a part, and returns their number. If n
// is not negative, it must be that.
func (d *decoder) head(name string, kind byte, n int) int {
	want := headOf(name, kind, 0)
	got := make([]byte, len(want))
	if !d.read(got) {
		return 0
	}
	count, fixed := binary.LittleEndian.Uint64(got[len(got)-8:]), len(got)-8
	switch {
	case !bytes.Equal(got[:fixed], want[:fixed]):
		d.damaged("it has %q in the place of %s", got[:fixed], name)
	case n >= 0 && count != uint64(n) || count > math.MaxInt:
		d.damaged("%s has %d elements", name, count)
	default:
		return int(count)
	}
	return 0
}

func (d *decoder) do(parts ...piece) {
	for _, p := range parts {
		if d.failed != nil {
			return
		}
		if x, ok := p.at.(interface{ decode(d *decoder, name string) }); ok {
			x.decode(d, p.name)
		} else {
			d.one(p)
		}
	}
}

func (d *decoder) one(p piece) {
	whole := func(kind byte) uint64 {
		var b [8]byte
		d.head(p.name, kind, 1)
		d.read(b[:])
		return binary.LittleEndian.Uint64(b[:])
	}
	switch x := p.at.(type) {
	case *int:
		n := int64(whole('i'))
		if *x = int(n); int64(*x) != n {
			d.damaged("%s is %d", p.name, n)
		}
	case *uint64:
		*x = whole('i')
	case *bool:
		*x = whole('i') != 0
	case *float64:
		*x = math.Float64frombits(whole('d'))
		if math.IsNaN(*x) || math.IsInf(*x, 0) {
			d.damaged("%s is %v", p.name, *x)
		}
	case *float32:
		var wide float64
		d.one(piece{p.name, &wide})
		*x = float32(wide)
	case *string:
		*x = string(d.text(p.name))
	case *Stop:
		d.one(piece{p.name, (*string)(x)})
	case *[]byte:
		*x = d.text(p.name)
	case *rand.PCG:
		if state := d.text(p.name); d.failed == nil && x.UnmarshalBinary(state) != nil {
			d.damaged("%s is no state of a generator", p.name)
		}
	case *[]float64:
		n := d.head(p.name, 'd', -1)
		for *x = nil; n > 0 && d.failed == nil; n -= min(n, chunk) {
			more := make([]float64, min(n, chunk))
			getRow(d, more)
			*x = append(*x, more...)
		}
	case []float64:
		d.head(p.name, 'd', len(x))
		getRow(d, x)
	case []float32:
		d.head(p.name, 's', len(x))
		getRow(d, x)
	case kernel.Matrix[float64]:
		d.head(p.name, 'd', x.Rows*x.Cols)
		getRows(d, x)
	case kernel.Matrix[float32]:
		d.head(p.name, 's', x.Rows*x.Cols)
		getRows(d, x)
	case streamed[float64]:
		d.head(p.name, 'd', x.count())
		x.each(writes, func(row []float64) { getRow(d, row) })
	case streamed[float32]:
		d.head(p.name, 's', x.count())
		x.each(writes, func(row []float32) { getRow(d, row) })
	default:
		panic(fmt.Sprintf("lnmu: no part of a state is a %T", p.at))
	}
}

// text reads a part of any length, believing no number.
func (d *decoder) text(name string) []byte {
	n := d.head(name, 't', -1)
	var b bytes.Buffer
	if d.failed == nil {
		if _, err := io.CopyN(&b, d.r, int64(n)); errors.Is(err, io.EOF) {
			d.damaged("it is cut short")
		} else if err != nil {
			d.fail("reading a checkpoint: %w", err)
		}
	}
	return b.Bytes()
}

func getRows[T Float](d *decoder, x kernel.Matrix[T]) {
	for i := range x.Rows {
		getRow(d, x.Row(i))
	}
}

// getRow reads numbers.
func getRow[T Float](d *decoder, row []T) {
	size := len(appendFloats(nil, make([]T, 1)))
	for len(row) > 0 && d.failed == nil {
		n := min(len(row), chunk)
		if d.buf == nil {
			d.buf = make([]byte, 8*chunk)
		}
		if b := d.buf[:n*size]; d.read(b) {
			takeFloats(row[:n], b)
		}
		row = row[n:]
	}
}

// takeFloats sets x to the numbers that appendFloats has made bytes of.
func takeFloats[T Float](x []T, b []byte) {
	switch x := any(x).(type) {
	case []float32:
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case []float64:
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
}
