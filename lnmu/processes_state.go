package lnmu

import "nmu/kernel"

// A checkpoint of several processes is the stream of bytes that one process would
// write. The first one writes it, and when it comes to a matrix of which the others
// have parts, it asks for them, a few thousand numbers at a time. On resuming each
// reads the whole stream and keeps its part, so that there may be more processes by
// then, or fewer.

// parted is a matrix of which this process has rows, or columns: x.
type parted[T Float] struct {
	x            kernel.Matrix[T]
	columns      bool
	first, whole int // the first of them, and the number in all processes
}

// rowsOf returns x, whose rows are those of a pass, as a part of a state.
func (l *layout[T]) rowsOf(x kernel.Matrix[T]) any {
	if l.share == nil {
		return x
	}
	return parted[T]{x, false, l.first, l.whole}
}

// columnsOf is rowsOf for a matrix whose columns are the rows of a pass.
func (l *layout[T]) columnsOf(x kernel.Matrix[T]) any {
	if l.share == nil {
		return x
	}
	return parted[T]{x, true, l.first, l.whole}
}

// rowsOf returns x, whose rows are those of M, as a part of a state.
func (s source[T]) rowsOf(x Dense[T]) any {
	if s.share == nil || s.part.Columns {
		return x
	}
	return parted[T]{x, false, s.part.First, s.part.Whole}
}

// columnsOf returns x, whose columns are those of M, as a part of a state.
func (s source[T]) columnsOf(x Dense[T]) any {
	if s.share == nil || !s.part.Columns {
		return x
	}
	return parted[T]{x, true, s.part.First, s.part.Whole}
}

// rowsOf returns x, whose rows are those of the layout, as a part of a state.
func (t *tiled[T]) rowsOf(x kernel.Matrix[T]) any {
	if t.shared == nil {
		return x
	}
	return parted[T]{x, false, t.shared.bounds[t.shared.slabs.first], t.whole.rows}
}

// entriesOf returns what belongs to the stored entries as a part of a state.
func (t *tiled[T]) entriesOf(x []T) any {
	if t.shared == nil {
		return x
	}
	return parted[T]{asRow(x), true, t.shared.before, t.whole.entries}
}

// turns is how often the processes come in turn: with all of their rows, or with their
// columns of one row after the other.
func (p parted[T]) turns() int {
	if p.columns {
		return p.x.Rows
	}
	return 1
}

// turn calls do for what the process has in a turn, a chunk at a time.
func (p parted[T]) turn(turn int, do func(row []T)) {
	rows := p.x.Rows
	if p.columns {
		rows = 1
	}
	for i := range rows {
		for row := p.x.Row(turn + i); len(row) > 0; {
			n := min(len(row), chunk)
			do(row[:n])
			row = row[n:]
		}
	}
}

// each is the number of entries of a row, or of a column.
func (p parted[T]) each() int {
	if p.columns {
		return p.x.Rows
	}
	return p.x.Cols
}

// send gives the first process the part.
func (p parted[T]) send(all Processes) {
	buf := make([]T, 0, chunk)
	flush := func() {
		all.Exchange(0, memoryOf(buf), nil)
		buf = buf[:0]
	}
	for turn := range p.turns() {
		left := 0
		p.turn(turn, func(row []T) { left += len(row) })
		all.Exchange(0, bytesOf(&left), nil)
		p.turn(turn, func(row []T) {
			for len(row) > 0 {
				n := min(len(row), chunk-len(buf))
				buf, row = append(buf, row[:n]...), row[n:]
				if len(buf) == chunk {
					flush()
				}
			}
		})
		if len(buf) > 0 {
			flush()
		}
	}
}

// gather calls do for the numbers of the whole matrix, in order, a chunk at most at a
// time.
func (p parted[T]) gather(all Processes, do func(numbers []T)) {
	buf := make([]T, chunk)
	for turn := range p.turns() {
		p.turn(turn, do)
		for other := 1; other < all.Size(); other++ {
			left := 0
			for all.Exchange(other, nil, bytesOf(&left)); left > 0; left -= min(left, chunk) {
				numbers := buf[:min(left, chunk)]
				all.Exchange(other, nil, memoryOf(numbers))
				do(numbers)
			}
		}
	}
}

// encode writes the matrix, or takes note of what is to be sent.
func (p parted[T]) encode(e *encoder, name string) {
	if !e.with.isFirst() {
		e.parts = append(e.parts, func() { p.send(e.with) })
		return
	}
	at := len(e.parts)
	e.parts = append(e.parts, nil)
	if e.failed != nil {
		return
	}
	e.with.ask(at)
	e.head(name, kindOf[T](), p.whole*p.each())
	p.gather(e.with, func(numbers []T) { putRow(e, numbers) })
}

// decode reads the matrix and keeps the part.
func (p parted[T]) decode(d *decoder, name string) {
	d.head(name, kindOf[T](), p.whole*p.each())
	own, per := p.x.Cols, 1
	if !p.columns {
		own, per = p.x.Rows, p.x.Cols
	}
	for turn := range p.turns() {
		skipRow[T](d, p.first*per)
		p.turn(turn, func(row []T) { getRow(d, row) })
		skipRow[T](d, (p.whole-p.first-own)*per)
	}
}

// skipRow reads so many numbers for nothing.
func skipRow[T Float](d *decoder, count int) {
	if count == 0 {
		return
	}
	x := make([]T, min(count, chunk))
	for ; count > 0 && d.failed == nil; count -= len(x) {
		x = x[:min(count, len(x))]
		getRow(d, x)
	}
}

// kindOf is the letter of numbers in a state.
func kindOf[T Float]() byte {
	if _, double := any(T(0)).(float64); double {
		return 'd'
	}
	return 's'
}

// askNoMore is what the first process asks for when it needs no more parts of a state.
const askNoMore = -1

// isFirst reports whether a process is alone or the first one.
func (c *company) isFirst() bool { return c == nil || c.Rank() == 0 }

// ask asks all others for one of the parts that they have noted, and returns the one
// that the first process asks for.
func (c *company) ask(part int) int {
	if c != nil {
		c.Broadcast(bytesOf(&part))
	}
	return part
}

// handIn gives the first process what it asks for to write a state.
func (t *track[T]) handIn(k int, tr *trace, state func() []piece) {
	e := &encoder{with: t.with}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream(e, t.current(&k, tr, state))
	for part := t.with.ask(askNoMore); part != askNoMore; part = t.with.ask(askNoMore) {
		e.parts[part]()
	}
}

// startSums returns the hashes of the given V and W.
func (j *job[T]) startSums() (v, w string) {
	if j.with == nil {
		return SHA256(j.given.v), SHA256(j.given.w)
	}
	return j.with.startSums[0], j.with.startSums[1]
}

// sumStart computes what startSums returns, if there are several processes and a
// checkpoint needs it.
func (j *job[T]) sumStart() {
	if j.with == nil || !j.given.start || !j.with.saves {
		return
	}
	for i, x := range []any{j.source.rowsOf(j.given.v), j.source.columnsOf(j.given.w)} {
		switch x := x.(type) {
		case Dense[T]:
			j.with.startSums[i] = SHA256(x)
		case parted[T]:
			j.with.startSums[i] = (&Joined[T]{j.with, x}).SHA256()
		}
	}
}
