// Package storages tests that M in memory, in files and in parts of several processes leads to the
// same bits, that a run which is interrupted in one of these storages goes on in another, and that
// an error of one process ends all.
package storages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/direct"
	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/lnmutest"
)

// TestMain runs the tests on one processor, on which no member of a team spins while it waits. NMU_FULL
// asks for all processors, and so does -short, with which races are looked for.
func TestMain(m *testing.M) {
	if flag.Parse(); os.Getenv("NMU_FULL") == "" && !testing.Short() {
		runtime.GOMAXPROCS(1)
	}
	os.Exit(m.Run())
}

// storage is where M is, and how many processes share a run.
type storage struct {
	name      string
	processes int  // 0: one, which has M as a whole
	threads   int  // of process 0; the others have one thread or two
	files     bool // M, or the part of each process, is in files
	shared    bool // each process reads the whole of a sparse M
}

var memory = storage{"memory", 0, 1, false, false}

// storagesOf returns the storages other than memory with one thread.
func storagesOf(sparse bool) []storage {
	all := []storage{
		{"files", 0, 2, true, false}, {"3 processes", 3, 2, false, false}, {"5 processes, files", 5, 1, true, false},
		{"memory, 3 threads", 0, 3, false, false}, {"2 processes, files", 2, 2, true, false}, {"7 processes", 7, 1, false, false},
	}
	if sparse {
		all = append(all, storage{"3 processes, one file", 3, 1, true, true})
	}
	return all
}

// sameStates reports whether the states of a run are those of one in memory with one thread.
// Restarts that run side by side save theirs together.
func (s storage) sameStates() bool { return s.processes > 0 || s.files || s.threads == 1 }

// smallChunks lets a test read at most so many bytes at once, into so many slots.
func smallChunks(t *testing.T, bytes, slots int) {
	oldBytes, oldSlots := block.ChunkBytes, block.SlotsOfEach
	block.ChunkBytes, block.SlotsOfEach = bytes, slots
	t.Cleanup(func() { block.ChunkBytes, block.SlotsOfEach = oldBytes, oldSlots })
}

// process is what one process has of a run.
type process[T lnmu.Float] struct {
	ctx      context.Context
	settings lnmu.Settings
	whole    distributed.Whole[T] // without Processes, if there is one process
	own      lnmu.Matrix[T]       // the part of M, or M itself
	seen     condition            // of the part
	rank     int                  // of the factors
	method   lnmu.Method
	disk     *lnmutest.Disk // of its reader, or nil
}

// linesOf returns the rows of d that a process has, or its columns if d has more of them.
func linesOf[T lnmu.Float](d lnmu.Dense[T], p distributed.Processes) lnmu.Dense[T] {
	first, last := distributed.Share(d.Rows, d.Cols, p.Rank(), p.Size())
	if d.Cols > d.Rows {
		part := d.Slice(0, d.Rows, first, last)
		part.Cols = last - first
		return part
	}
	part := d.Slice(first, last, 0, d.Cols)
	part.Cols = d.Cols
	return part
}

// rowsOf is linesOf for a sparse matrix.
func rowsOf[T lnmu.Float](m lnmu.CSR[T], p distributed.Processes) lnmu.CSR[T] {
	if m.Cols > m.Rows {
		t := m.Transposed()
		first, last := distributed.Share(m.Rows, m.Cols, p.Rank(), p.Size())
		return rowsBetween(t, first, last).Transposed()
	}
	first, last := distributed.Share(m.Rows, m.Cols, p.Rank(), p.Size())
	return rowsBetween(m, first, last)
}

func rowsBetween[T lnmu.Float](m lnmu.CSR[T], first, last int) lnmu.CSR[T] {
	from, to := m.Ptr[first], m.Ptr[last]
	part := lnmu.CSR[T]{Rows: last - first, Cols: m.Cols, Idx: m.Idx[from:to], Val: m.Val[from:to]}
	for _, at := range m.Ptr[first : last+1] {
		part.Ptr = append(part.Ptr, at-from)
	}
	return part
}

// startOf returns the part of a start that a process has.
func startOf[T lnmu.Float](v, w lnmu.Dense[T], p distributed.Processes) (lnmu.Dense[T], lnmu.Dense[T]) {
	if w.Cols > v.Rows {
		return v, linesOf(w, p)
	}
	return linesOf(v, p), w
}

// place sets what process p, or the only one if p is nil, has of the problem.
func (x problem[T]) place(s storage, p distributed.Processes) *process[T] {
	of := &process[T]{ctx: context.Background(), settings: x.settings, seen: x.seen, rank: x.rank, method: x.method}
	of.settings.Threads, of.settings.Restarts = s.threads, cmp.Or(x.settings.Restarts, 1)
	of.settings.MissingSolver = x.seen.solver
	of.whole.Rows, of.whole.Cols = x.dims()
	if x.given != "" {
		of.settings.Restarts = 0
	}
	d, c := x.dense, x.sparse
	if p != nil {
		of.whole.Processes = p
		of.seen = x.seen.of(of.whole.Rows, of.whole.Cols, p)
		if p.Rank() > 0 {
			of.settings.Threads = 1 + p.Rank()%2
		}
		if c == nil {
			d = linesOf(d, p)
		} else if !s.shared {
			part := rowsOf(*c, p)
			c = &part
		}
	}
	switch {
	case c != nil && s.files:
		r := &lnmutest.RowsOfCSR[T]{CSR: *c}
		of.own, of.disk = r, &r.Disk
	case c != nil:
		of.own = *c
	case s.files:
		r := &lnmutest.LinesOf[T]{Dense: d, Part: true, Wide: of.whole.Cols > of.whole.Rows}
		of.own, of.disk = r, &r.Disk
	default:
		of.own = d
	}
	return of
}

// matrix returns what a process gives of M. The mask is around the part, or within it.
func (of *process[T]) matrix() lnmu.Matrix[T] {
	seen := func(m lnmu.Matrix[T]) lnmu.Matrix[T] {
		if of.seen == (condition{}) {
			return m
		}
		return lnmu.Observed[T]{Matrix: m, Mask: of.seen.mask, Weights: of.seen.weights, StoredOnly: of.seen.stored}
	}
	switch {
	case of.whole.Processes == nil:
		return seen(of.own)
	case of.own != nil && of.whole.Cols%2 == 0:
		return of.whole.Part(seen(of.own))
	}
	return seen(of.whole.Part(of.own))
}

// solve finds the part of the result that a process has.
func (x problem[T]) solve(of *process[T]) (*lnmu.Result[T], error) {
	p, m := of.whole.Processes, of.matrix()
	v, w := x.v, x.w
	if p != nil && x.given != "" {
		v, w = startOf(v, w, p)
	}
	switch x.given {
	case "improve":
		return (&lnmu.Result[T]{V: v, W: w}).Improve(of.ctx, m, of.method.(lnmu.NMF), &of.settings)
	case "start":
		return lnmu.FactorFrom(of.ctx, m, v, w, of.method, &of.settings)
	}
	return lnmu.Factor(of.ctx, m, of.rank, of.method, &of.settings)
}

// in solves the problem in a storage and returns what each process finds. change, if it is not
// nil, changes what a process has before it begins.
func (x problem[T]) in(s storage, change func(rank int, of *process[T])) ([]*lnmu.Result[T], []error) {
	parts, errs := make([]*lnmu.Result[T], max(1, s.processes)), make([]error, max(1, s.processes))
	do := func(rank int, p distributed.Processes) {
		of := x.place(s, p)
		if change != nil {
			change(rank, of)
		}
		parts[rank], errs[rank] = x.solve(of)
	}
	if s.processes == 0 {
		do(0, nil)
	} else {
		together.Run(s.processes, func(p *together.Process) { do(p.Rank(), p) })
	}
	return parts, errs
}

// found is in for a run without errors. It returns the whole result.
func (x problem[T]) found(t *testing.T, s storage, change func(rank int, of *process[T])) *lnmu.Result[T] {
	t.Helper()
	res, ok := x.taken(t, s, change)
	if !ok {
		t.Fatalf("%s in %s is refused", x.name, s.name)
	}
	return res
}

// taken is found for a run that may have steps which the storage does not have.
func (x problem[T]) taken(t *testing.T, s storage, change func(rank int, of *process[T])) (res *lnmu.Result[T], ok bool) {
	t.Helper()
	parts, errs := x.in(s, change)
	if errors.Is(errs[0], lnmu.ErrOption) && !errors.Is(errs[0], lnmu.ErrProcess) {
		return nil, false
	}
	must.Do(t, errors.Join(errs...), x.name, "in", s.name)
	return x.joined(t, s, parts), true
}

// joined returns the results of all processes as one. It fails unless their short factors and all
// numbers are the same.
func (x problem[T]) joined(t *testing.T, s storage, parts []*lnmu.Result[T]) *lnmu.Result[T] {
	t.Helper()
	if s.processes == 0 {
		return parts[0]
	}
	res := *parts[0]
	m, n := x.dims()
	if n > m {
		res.W = lnmu.NewDense[T](parts[0].W.Rows, n, nil)
	} else {
		res.V = lnmu.NewDense[T](m, parts[0].V.Cols, nil)
	}
	at := 0
	for rank, p := range parts {
		short, whole := p.V, res.V
		if n > m {
			for k := range p.W.Rows {
				copy(res.W.Row(k)[at:], p.W.Row(k))
			}
			at += p.W.Cols
		} else {
			for i := range p.V.Rows {
				copy(res.V.Row(at+i), p.V.Row(i))
			}
			at += p.V.Rows
			short, whole = p.W, res.W
		}
		if a, b := numbers(p), numbers(parts[0]); factors.SHA256(short) != factors.SHA256(whole) || a != b {
			t.Errorf("%s in %s: process %d has another short factor, or\n%s, want\n%s", x.name, s.name, rank, a, b)
		}
	}
	return &res
}

// numbers returns all of a result but its factors.
func numbers[T lnmu.Float](r *lnmu.Result[T]) string {
	a := *r
	a.V, a.W = lnmu.Dense[T]{}, lnmu.Dense[T]{}
	return fmt.Sprintf("%+v", a)
}

// alike fails unless two results are the same, bit for bit.
func alike[T lnmu.Float](t *testing.T, name string, got, want *lnmu.Result[T]) {
	t.Helper()
	if a, b := numbers(got), numbers(want); factors.SHA256(got.V) != factors.SHA256(want.V) || factors.SHA256(got.W) != factors.SHA256(want.W) || a != b {
		t.Fatalf("%s: other factors, or\n%s, want\n%s", name, a, b)
	}
}

// keeping returns a checkpoint that goes on from a state, if there is one, and adds those of a run
// to states.
func keeping(t *testing.T, states *[][]byte, from []byte) *lnmu.Checkpoint {
	c := &lnmu.Checkpoint{Note: []byte("note"), Save: func(state io.WriterTo) {
		var b bytes.Buffer
		if n, err := state.WriteTo(&b); err != nil || n != int64(b.Len()) {
			t.Errorf("%d bytes of a state, said to be %d: %v", b.Len(), n, err)
		}
		*states = append(*states, b.Bytes())
	}}
	if from != nil {
		c.Resume = bytes.NewReader(from)
	}
	return c
}

// resuming lets all processes go on from a state.
func resuming[T lnmu.Float](state []byte) func(rank int, of *process[T]) {
	return func(_ int, of *process[T]) {
		of.settings.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
	}
}

// timeless is a state without the time that was spent and the checksum.
func timeless(state []byte) string {
	state = bytes.Clone(state[:len(state)-32])
	name := append([]byte{byte(len("elapsed"))}, "elapsed"...)
	if at := bytes.Index(state, name); at > 0 {
		binary.LittleEndian.PutUint64(state[at+len(name)+9:], 0)
	}
	return string(state)
}

// ended fails unless process who has ended with the error want, and the others with its.
func ended(t *testing.T, name string, errs []error, who int, want error) {
	t.Helper()
	for rank, err := range errs {
		own := rank == who
		if own && (!errors.Is(err, want) || errors.Is(err, lnmu.ErrProcess)) || !own && (!errors.Is(err, lnmu.ErrProcess) || !strings.Contains(err.Error(), fmt.Sprintf("process %d: ", who))) {
			t.Errorf("%s: process %d of %d: %v", name, rank, len(errs), err)
		}
	}
}

// measured returns the measures of V and W for the whole of the problem.
func (x problem[T]) measured(t *testing.T, v, w lnmu.Dense[T]) lnmu.Measures {
	t.Helper()
	var m lnmu.Matrix[T] = x.dense
	if x.sparse != nil {
		m = *x.sparse
	}
	got := must.Get(lnmu.Measure(lnmu.Observed[T]{Matrix: m, Mask: x.seen.mask, Weights: x.seen.weights, StoredOnly: x.seen.stored}, v, w, nil))(t, x.name)
	return got
}

// watched makes the scratch files of one folder fail after so many reads or writes, or at once,
// and counts what goes through all of them.
type watched struct {
	folder                string // in which they fail
	reads, writes, none   int64  // after so many in this folder, unless 0; none: from the first file on
	read, written         lnmutest.Disk
	opened, closed, bytes lnmutest.Disk
}

type watchedFile struct {
	block.File
	*watched
	size  int64
	fails bool
}

// replace lets w make all scratch files until restore.
func (w *watched) replace() (restore func()) {
	old := block.NewScratch
	block.NewScratch = func(dir string, size int64) (block.File, error) {
		if dir == w.folder && w.none > 0 {
			return nil, lnmutest.ErrReader
		}
		f, err := direct.Scratch(dir, size)
		w.opened.Reads.Add(1)
		if held := w.bytes.Reads.Add(size); held > w.bytes.Lines.Load() {
			w.bytes.Lines.Store(held)
		}
		return watchedFile{f, w, size, dir == w.folder}, err
	}
	return func() { block.NewScratch = old }
}

func (f watchedFile) count(d *lnmutest.Disk, bytes int, most int64) error {
	d.Lines.Add(int64(bytes))
	if f.fails && d.Reads.Add(1) > most && most > 0 {
		return lnmutest.ErrReader
	}
	return nil
}

func (f watchedFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.count(&f.read, len(p), f.reads); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, offset)
}

func (f watchedFile) WriteAt(p []byte, offset int64) error {
	if err := f.count(&f.written, len(p), f.writes); err != nil {
		return err
	}
	return f.File.WriteAt(p, offset)
}

func (f watchedFile) Close() error {
	f.closed.Reads.Add(1)
	f.bytes.Reads.Add(-f.size)
	return f.File.Close()
}

// allocates fails if do allocates more than so many bytes.
func allocates(t *testing.T, name string, most uint64, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	must.AtMost(t, after.TotalAlloc-before.TotalAlloc, most, name)
}
