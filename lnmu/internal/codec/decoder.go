package codec

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"math"
	"strconv"
	"strings"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// Decoder reads fields.
type Decoder struct {
	coding
	r     io.Reader
	under io.Reader // what r reads from
	sum   hash.Hash // of what was read, or nil
	local bool      // distributed matrices are the parts of this process
}

// NewDecoder returns a decoder that computes the checksum of what it reads.
func NewDecoder(r io.Reader) *Decoder {
	sum := sha256.New()
	under := bufio.NewReaderSize(r, 1<<16)
	return &Decoder{r: io.TeeReader(under, sum), under: under, sum: sum}
}

// NewPlainDecoder returns a decoder for the output of a plain encoder.
func NewPlainDecoder(b []byte, local bool) *Decoder {
	return &Decoder{r: bytes.NewReader(b), local: local}
}

// Damaged makes the error of the decoder one that wraps ErrDamaged, unless it has one.
func (d *Decoder) Damaged(format string, args ...any) {
	d.fail("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// Magic reads the first bytes of a state, which must be want: a name with a version number as
// its last word.
func (d *Decoder) Magic(want string) {
	head := make([]byte, len(want))
	if !d.read(head) || string(head) == want {
		return
	}
	at := strings.LastIndexByte(want, ' ') + 1
	if version, err := strconv.Atoi(strings.TrimSpace(string(head[at:]))); err == nil && string(head[:at]) == want[:at] {
		d.Damaged("its format has version %d, and this program reads version %s: go on with the program that saved it, or begin the run anew", version, strings.TrimSpace(want[at:]))
	} else {
		d.Damaged("it begins with %q instead of %q: it is none", head, want)
	}
}

// Sealed compares the checksum of all that was read with the one that comes next. It
// does nothing for a decoder without a checksum.
func (d *Decoder) Sealed() {
	if d.sum == nil {
		return
	}
	got, want := d.sum.Sum(nil), make([]byte, sha256.Size)
	if d.read(want) && !bytes.Equal(got, want) {
		d.Damaged("its checksum is wrong")
	}
}

// Rest reads all that is left, and compares the checksum.
func (d *Decoder) Rest() {
	if d.failed != nil {
		return
	}
	size := d.sum.Size()
	held := make([]byte, 0, 1<<16)
	for end := false; !end; {
		n := len(held)
		more, err := io.ReadFull(d.under, held[n:cap(held)])
		held = held[:n+more]
		if end = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !end {
			d.fail("reading a checkpoint: %w", err)
			return
		}
		if rest := len(held) - size; rest > 0 {
			d.sum.Write(held[:rest])
			held = held[:copy(held, held[rest:])]
		}
	}
	if got := d.sum.Sum(nil); !bytes.Equal(got, held) {
		d.Damaged("it is cut short or damaged, as its checksum says")
	}
}

// Do reads fields.
func (d *Decoder) Do(fields ...state.Field) {
	for _, f := range fields {
		if d.failed != nil {
			return
		}
		if !decodeNumbers[float64](d, f) && !decodeNumbers[float32](d, f) {
			d.one(f)
		}
	}
}

// decodeNumbers reads a field of numbers of a type, and reports whether it is one. It refuses a factor with a number that is
// negative or not finite.
func decodeNumbers[T kernel.Float](d *Decoder, f state.Field) bool {
	rows, scattered, ok := numbersOf[T](f.At)
	if scattered != nil {
		decodeScattered(d, f.Name, scattered)
	} else if ok {
		d.head(f.Name, kindOf[T](), rows.Rows*rows.Cols)
		for i := range rows.Rows {
			getRow(d, rows.Row(i))
		}
	}
	for i := 0; f.Factor && d.failed == nil && i < rows.Rows; i++ {
		for _, v := range rows.Row(i) {
			if !(v >= 0) || math.IsInf(float64(v), 0) {
				d.Damaged("%s has %v", f.Name, v)
				break
			}
		}
	}
	return ok
}

func (d *Decoder) read(b []byte) bool {
	if d.failed != nil {
		return false
	}
	if _, err := io.ReadFull(d.r, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		d.Damaged("it is cut short")
	} else if err != nil {
		d.fail("reading a checkpoint: %w", err)
	}
	return d.failed == nil
}

// head reads the head of a field, and returns the number of its elements. It must be n, unless
// n is negative.
func (d *Decoder) head(name string, kind byte, n int) int {
	want := headOf(name, kind, 0)
	got := make([]byte, len(want))
	if !d.read(got) {
		return 0
	}
	count, fixed := binary.LittleEndian.Uint64(got[len(got)-8:]), len(got)-8
	switch {
	case !bytes.Equal(got[:fixed], want[:fixed]):
		d.Damaged("it has %q in the place of %s", got[:fixed], name)
	case n >= 0 && count != uint64(n) || count > math.MaxInt:
		d.Damaged("%s has %d elements", name, count)
	default:
		return int(count)
	}
	return 0
}

func (d *Decoder) one(f state.Field) {
	if kind, _, set := eightBytes(f.At); set != nil {
		var b [8]byte
		d.head(f.Name, kind, 1)
		d.read(b[:])
		bits := binary.LittleEndian.Uint64(b[:])
		set(bits)
		_, now, _ := eightBytes(f.At)
		switch x := math.Float64frombits(bits); {
		case kind == 'd' && !f.Holds(x):
			d.Damaged("%s is %v", f.Name, x)
		case kind == 'i' && now != bits: // an int of 32 bits
			d.Damaged("%s is %d", f.Name, int64(bits))
		}
		return
	}
	if _, set := textOf(f.At); set != nil {
		if text := d.text(f.Name); d.failed == nil && set(text) != nil {
			d.Damaged("%s is no state of a generator", f.Name)
		}
		return
	}
	x := f.At.(*[]float64) // there are no other fields
	n := d.head(f.Name, 'd', -1)
	for *x = nil; n > 0 && d.failed == nil; n -= min(n, piece) {
		more := make([]float64, min(n, piece))
		getRow(d, more)
		*x = append(*x, more...)
	}
}

// text reads a field of any length. It allocates as it reads, because the length in the file
// may be wrong.
func (d *Decoder) text(name string) []byte {
	n := d.head(name, 't', -1)
	var b bytes.Buffer
	if d.failed == nil {
		if _, err := io.CopyN(&b, d.r, int64(n)); errors.Is(err, io.EOF) {
			d.Damaged("it is cut short")
		} else if err != nil {
			d.fail("reading a checkpoint: %w", err)
		}
	}
	return b.Bytes()
}

func getRow[T kernel.Float](d *Decoder, row []T) {
	size := len(AppendFloats(nil, make([]T, 1)))
	for len(row) > 0 && d.failed == nil {
		n := min(len(row), piece)
		if d.buf == nil {
			d.buf = make([]byte, 8*piece)
		}
		if b := d.buf[:n*size]; d.read(b) {
			takeFloats(row[:n], b)
		}
		row = row[n:]
	}
}

// decodeScattered reads numbers and keeps those of this process.
func decodeScattered[T kernel.Float](d *Decoder, name string, x group.Scattered[T]) {
	first, count, whole := x.Span()
	if d.local {
		first, whole = 0, count
	}
	d.head(name, kindOf[T](), x.Turns()*whole)
	for turn := range x.Turns() {
		skipRow[T](d, first)
		x.Write(turn, func(row []T) { getRow(d, row) })
		skipRow[T](d, whole-first-count)
	}
	if err := x.Err(); err != nil && d.failed == nil {
		d.failed = err
	}
}

func skipRow[T kernel.Float](d *Decoder, count int) {
	if count == 0 {
		return
	}
	x := make([]T, min(count, piece))
	for ; count > 0 && d.failed == nil; count -= len(x) {
		x = x[:min(count, len(x))]
		getRow(d, x)
	}
}
