package convert

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"os"
)

// runBuffer is how many bytes of a run are read at once.
const runBuffer = 1 << 16

// run is a sequence of sorted records in a file.
type run struct {
	file   *os.File
	off, n int64 // in records
}

// runWriter writes runs to a file, one after the other.
type runWriter struct {
	w      *writer
	off, n int64 // of the run that is written
	buf    [recordBytes]byte
}

func (w *runWriter) add(r record) error {
	binary.LittleEndian.PutUint64(w.buf[:], r.key)
	binary.LittleEndian.PutUint64(w.buf[8:], math.Float64bits(r.v))
	w.n++
	_, err := w.w.Write(w.buf[:])
	return err
}

// end ends a run and returns it. The run can be read after the writer is flushed.
func (w *runWriter) end() run {
	r := run{w.w.file, w.off, w.n}
	w.off, w.n = w.off+w.n, 0
	return r
}

// cursor is a position in a run.
type cursor struct {
	record
	r    *bufio.Reader
	left int64 // behind the record
	run  int   // its number
	buf  [recordBytes]byte
}

// next reads the next record; ok is false at the end.
func (c *cursor) next() (ok bool, err error) {
	if c.left == 0 {
		return false, nil
	}
	c.left--
	if _, err := io.ReadFull(c.r, c.buf[:]); err != nil {
		return false, err
	}
	c.key = binary.LittleEndian.Uint64(c.buf[:])
	c.v = math.Float64frombits(binary.LittleEndian.Uint64(c.buf[8:]))
	return true, nil
}

// before says whether the record of c comes before that of d.
func (c *cursor) before(d *cursor) bool { return cmp.Or(cmp.Compare(c.key, d.key), c.run-d.run) < 0 }

// merge calls do for the records of the runs in order. Records with equal keys come in the
// order of the runs.
func (s *sorter) merge(runs []run, do func(r record) error) error {
	var heap []*cursor // none before the one at half its index
	for k, r := range runs {
		section := io.NewSectionReader(r.file, r.off*recordBytes, r.n*recordBytes)
		c := &cursor{r: bufio.NewReaderSize(section, runBuffer), left: r.n, run: k}
		ok, err := c.next()
		if err != nil {
			return err
		}
		if ok {
			heap = append(heap, c)
		}
	}
	for k := len(heap)/2 - 1; k >= 0; k-- {
		settle(heap, k)
	}
	for n := 1; len(heap) > 0; n++ {
		if n%elementChunk == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		c := heap[0]
		if err := do(c.record); err != nil {
			return err
		}
		ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		settle(heap, 0)
	}
	return nil
}

// settle sifts cursor k of a heap down.
func settle(heap []*cursor, k int) {
	for 2*k+1 < len(heap) {
		least := 2*k + 1
		if least+1 < len(heap) && heap[least+1].before(heap[least]) {
			least++
		}
		if !heap[least].before(heap[k]) {
			return
		}
		heap[k], heap[least] = heap[least], heap[k]
		k = least
	}
}
