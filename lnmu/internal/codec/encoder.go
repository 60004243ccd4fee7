package codec

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// Encoder writes fields.
type Encoder struct {
	coding
	w         io.Writer
	sum       hash.Hash // of what was written, or nil
	cancelled func() bool

	local bool // distributed matrices are the parts of this process
	comm  group.Comm
	parts []func() // send the parts of this process to process 0; in process 0, nil for each part
}

var errCancelled = errors.New("the work is over")

// NewEncoder returns an encoder for process 0 of a group, with a checksum. Writing ends
// with an error when cancelled returns true.
func NewEncoder(w io.Writer, c group.Comm, cancelled func() bool) *Encoder {
	sum := sha256.New()
	return &Encoder{w: io.MultiWriter(w, sum), sum: sum, comm: c, cancelled: cancelled}
}

// NewPlainEncoder returns an encoder without a checksum, for one process. If local, it writes the part of a state that this
// process has.
func NewPlainEncoder(w io.Writer, local bool) *Encoder {
	return &Encoder{w: w, comm: group.Self{}, local: local}
}

// NewPartEncoder returns an encoder for a process other than 0, which only records its parts of
// distributed matrices. Serve sends them.
func NewPartEncoder(c group.Comm) *Encoder { return &Encoder{comm: c} }

// First reports whether this process writes the state.
func (e *Encoder) First() bool { return e.comm.Rank() == 0 }

// Write writes bytes that are no field.
func (e *Encoder) Write(b []byte) {
	if e.w == nil {
		return // another process writes
	}
	if e.failed == nil && e.cancelled != nil && e.cancelled() {
		e.failed = errCancelled
	}
	if e.failed == nil {
		_, e.failed = e.w.Write(b)
	}
}

// Seal writes the checksum of all that was written.
func (e *Encoder) Seal() { e.Write(e.sum.Sum(nil)) }

// Do writes fields.
func (e *Encoder) Do(fields ...state.Field) {
	for _, f := range fields {
		if !encodeNumbers[float64](e, f) && !encodeNumbers[float32](e, f) && e.failed == nil && e.First() {
			e.one(f)
		}
	}
}

// encodeNumbers writes a field of numbers of a type, and reports whether it is one.
func encodeNumbers[T kernel.Float](e *Encoder, f state.Field) bool {
	rows, scattered, ok := numbersOf[T](f.At)
	switch {
	case scattered != nil:
		encodeScattered(e, f.Name, scattered)
	case ok && e.failed == nil && e.First():
		e.head(f.Name, kindOf[T](), rows.Rows*rows.Cols)
		for i := range rows.Rows {
			putRow(e, rows.Row(i))
		}
	}
	return ok
}

func (e *Encoder) head(name string, kind byte, n int) { e.Write(headOf(name, kind, n)) }

func (e *Encoder) one(f state.Field) {
	if kind, bits, set := eightBytes(f.At); set != nil {
		if x := math.Float64frombits(bits); kind == 'd' && !f.Holds(x) {
			e.fail("%s is %v", f.Name, x)
		}
		e.head(f.Name, kind, 1)
		e.Write(binary.LittleEndian.AppendUint64(e.buf[:0], bits))
		return
	}
	if text, set := textOf(f.At); set != nil {
		e.head(f.Name, 't', len(text))
		e.Write(text)
		return
	}
	x := f.At.(*[]float64) // there are no other fields
	e.head(f.Name, 'd', len(*x))
	putRow(e, *x)
}

func putRow[T kernel.Float](e *Encoder, row []T) {
	for len(row) > 0 {
		n := min(len(row), piece)
		e.buf = AppendFloats(e.buf[:0], row[:n])
		e.Write(e.buf)
		row = row[n:]
	}
}

// noMore is the part that process 0 asks for when it needs no more parts of a state.
const noMore = -1

// encodeScattered writes a field with the numbers of all processes, or, for a local decoder, with those of this one. In a
// process other than 0, it records the part of this process for Serve. All processes agree on an error in the end.
func encodeScattered[T kernel.Float](e *Encoder, name string, x group.Scattered[T]) {
	_, count, whole := x.Span()
	if e.local {
		whole = count
	}
	if !e.First() {
		e.parts = append(e.parts, func() {
			group.Send(e.comm, x)
			_ = group.Agree(e.comm, x.Err()) // process 0 reports it
		})
		return
	}
	at := len(e.parts)
	e.parts = append(e.parts, nil)
	if e.failed != nil {
		return
	}
	ask(e.comm, at)
	e.head(name, kindOf[T](), x.Turns()*whole)
	group.Gather(e.comm, x, func(numbers []T) { putRow(e, numbers) })
	if err := group.Agree(e.comm, x.Err()); err != nil && e.failed == nil {
		e.failed = err
	}
}

// ask broadcasts the part that process 0 asks for, as an index of the recorded parts, and
// returns it.
func ask(c group.Comm, part int) int {
	c.Broadcast(group.Bytes(&part))
	return part
}

// Finish, in process 0, tells the other processes that it needs no more parts.
func Finish(c group.Comm) { ask(c, noMore) }

// Serve sends process 0 the parts that it asks for, until Finish.
func (e *Encoder) Serve() {
	for part := ask(e.comm, noMore); part != noMore; part = ask(e.comm, noMore) {
		e.parts[part]()
	}
}

// Writer is a state as an io.WriterTo: a function that writes it.
type Writer func(w io.Writer) error

// WriteTo writes the state.
func (s Writer) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	buffered := bufio.NewWriterSize(count, 1<<16)
	err := s(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	return count.n, err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
