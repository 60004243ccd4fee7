package bench

import (
	"context"
	"encoding/binary"
	"time"
	"unsafe"

	"nmu/lnmu"
)

// crew is the processes that measure together. The first one says what is done next,
// and measures; the others (Serve) do it. A process that has nothing to do sleeps: one
// that waits for a message may well keep a processor busy.
type crew struct {
	lnmu.Processes
	m     lnmu.Dense[float64] // the same in all of them
	hasty bool                // no one sleeps
}

// order is what the first process says.
type order struct {
	do         int64
	rows, cols int64 // of the matrix; of the rows so many are factored
	size       int64 // the first processes, so many, take part
	method     int64 // its number in the list
	rank       int64 // of the factorization
	threads    int64 // of each process
	count      int64 // iterations of each factor, or messages
	bytes      int64 // of a message
	rest       int64 // nanoseconds, of those that do not take part
}

// What is done.
const (
	doEnd      int64 = iota
	doMatrix         // the first process sends the matrix
	doFactor         // it is factored
	doExchange       // two processes exchange messages
	doRest           // the first process does something of its own
)

// say tells all processes what is done next, or learns it.
func (c *crew) say(o *order) {
	words := []*int64{&o.do, &o.rows, &o.cols, &o.size, &o.method, &o.rank, &o.threads, &o.count, &o.bytes, &o.rest}
	text := make([]byte, 8*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint64(text[8*i:], uint64(*w))
	}
	c.Broadcast(text)
	for i, w := range words {
		*w = int64(binary.LittleEndian.Uint64(text[8*i:]))
	}
}

// Serve does what the first of several processes says, in which Run has a Plan with
// these Processes, until that ends. The error is that of the last factorization that
// failed, which the first process has met, too.
func Serve(ctx context.Context, p lnmu.Processes) error {
	c := &crew{Processes: p}
	var failed error
	for {
		var o order
		c.say(&o)
		if o.do == doEnd {
			return failed
		}
		if _, err := c.take(ctx, o); err != nil {
			failed = err
		}
	}
}

// take takes part in what is done, or sleeps.
func (c *crew) take(ctx context.Context, o order) (timing, error) {
	if int64(c.Rank()) >= o.size {
		time.Sleep(time.Duration(o.rest))
		return timing{}, nil
	}
	switch o.do {
	case doMatrix:
		if c.Rank() > 0 {
			c.m = lnmu.NewDense[float64](int(o.rows), int(o.cols), nil)
		}
		if len(c.m.Data) > 0 {
			c.Broadcast(unsafe.Slice((*byte)(unsafe.Pointer(&c.m.Data[0])), 8*len(c.m.Data)))
		}
	case doFactor:
		return c.factor(ctx, o)
	case doExchange:
		return c.exchange(o), nil
	}
	return timing{}, nil
}

// factor factors the first rows of the matrix by the first processes.
func (c *crew) factor(ctx context.Context, o order) (timing, error) {
	m, settings := c.m.Slice(0, int(o.rows), 0, c.m.Cols), lnmu.Settings{Threads: int(o.threads)}
	if o.size > 1 {
		first, last := lnmu.Share(m.Rows, m.Cols, c.Rank(), int(o.size))
		settings.Processes = some{c.Processes, int(o.size)}
		settings.Part = lnmu.Part{First: first, Whole: max(m.Rows, m.Cols), Columns: m.Cols > m.Rows}
		if settings.Part.Columns {
			m = m.Slice(0, m.Rows, first, last)
		} else {
			m = m.Slice(first, last, 0, m.Cols)
		}
	}
	if w, ok := c.Processes.(interface{ Threads(n int) (before int) }); ok {
		defer w.Threads(w.Threads(int(o.threads)))
	}
	return factorOnce(ctx, &clock{iterations: int(o.count)}, settings, func(s *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.Factor(ctx, m, int(o.rank), methods[o.method].Method, s)
	})
}

// exchange sends messages to and fro between the first process and the last one that
// takes part, and returns the seconds of one in place of an iteration.
func (c *crew) exchange(o order) timing {
	message, last := make([]byte, o.bytes), int(o.size)-1
	var begun time.Time
	for k := range o.count + 1 {
		if k == 1 { // both are there
			begun = time.Now()
		}
		switch c.Rank() {
		case 0:
			c.Exchange(last, message, nil)
			c.Exchange(last, nil, message)
		case last:
			c.Exchange(0, nil, message)
			c.Exchange(0, message, nil)
		}
	}
	return timing{iteration: time.Since(begun).Seconds() / float64(2*o.count)}
}

// tell says what is done next and takes part in it. Where others sleep meanwhile, they
// must sleep until the end: else it is done once more, and they sleep longer.
func (c *crew) tell(ctx context.Context, o order, own func() error) (timing, error) {
	if c.hasty {
		o.rest = 0
	}
	for {
		c.say(&o)
		begun := time.Now()
		took, err := c.take(ctx, o)
		if own != nil {
			err = own()
		}
		lasted := int64(time.Since(begun))
		if err != nil || c.hasty || o.size == int64(c.Size()) || lasted <= o.rest {
			return took, err
		}
		o.rest = 2 * lasted
	}
}

// alone does something in the first process while the others sleep, as long as it has
// taken the last time. It may be done several times. Without a crew there are no others.
func (s *session) alone(rest *time.Duration, work func() error) error {
	if s.crew == nil {
		return work()
	}
	var lasted time.Duration
	_, err := s.crew.tell(s.ctx, order{do: doRest, size: 1, rest: int64(*rest)}, func() error {
		begun := time.Now()
		err := work()
		lasted = time.Since(begun)
		return err
	})
	*rest = restAfter(lasted.Seconds())
	return err
}

// restAfter returns how long others sleep during what took so many seconds the last time.
func restAfter(seconds float64) time.Duration {
	return time.Duration(1.5*seconds*1e9) + 100*time.Millisecond
}

// end lets the others go.
func (c *crew) end() { c.say(&order{do: doEnd}) }

// send gives all processes a matrix.
func (c *crew) send(ctx context.Context, m lnmu.Dense[float64]) error {
	c.m = m
	_, err := c.tell(ctx, order{do: doMatrix, rows: int64(m.Rows), cols: int64(m.Cols), size: int64(c.Size())}, nil)
	return err
}

// some is the first processes, so many of all.
type some struct {
	lnmu.Processes
	size int
}

// Size returns how many they are.
func (s some) Size() int { return s.size }

// Broadcast sends data on from those that have them, twice as many in each round.
func (s some) Broadcast(data []byte) {
	if s.size == s.Processes.Size() {
		s.Processes.Broadcast(data)
		return
	}
	for have := 1; have < s.size; have *= 2 {
		switch r := s.Rank(); {
		case r < have && r+have < s.size:
			s.Exchange(r+have, data, nil)
		case have <= r && r < 2*have:
			s.Exchange(r-have, nil, data)
		}
	}
}
