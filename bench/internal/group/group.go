// Package group makes several processes measure together. The first process chooses the next
// command and measures; the others (Serve) follow its commands. A process without work sleeps,
// since a process that waits for a message may keep a processor busy.
package group

import (
	"context"
	"encoding/binary"
	"time"
	"unsafe"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/subject"
	"nmu/lnmu"
)

// Group holds the processes that measure together.
type Group struct {
	lnmu.Processes
	Sleepless bool // no process sleeps

	m lnmu.Dense[float64] // the same in all processes
}

// Work describes a factorization by the first processes.
type Work struct {
	Size       int           // number of processes that take part, from the first on
	Sleep      time.Duration // of the other processes
	Method     int           // index in subject.Methods
	Rows       int           // the first Rows rows of the matrix are factored
	Rank       int           // of the factorization
	Threads    int           // of each process
	Iterations int           // of each factor
}

// command is the message from the first process to the others.
type command struct {
	do, rows, cols, size, method, rank, threads, count, bytes, sleep int64
}

// Values of command.do.
const (
	doEnd      int64 = iota
	doMatrix         // the first process sends the matrix
	doFactor         // the processes factor it
	doExchange       // two processes exchange messages
	doSleep          // the first process works on its own
)

// broadcast sends a command from the first process to the others, which receive it in c.
func (g *Group) broadcast(c *command) {
	words := []*int64{&c.do, &c.rows, &c.cols, &c.size, &c.method, &c.rank, &c.threads, &c.count, &c.bytes, &c.sleep}
	text := make([]byte, 8*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint64(text[8*i:], uint64(*w))
	}
	g.Broadcast(text)
	for i, w := range words {
		*w = int64(binary.LittleEndian.Uint64(text[8*i:]))
	}
}

// Serve follows the commands of the first of several processes until it ends the group.
// Serve returns the error of the last factorization that failed, as does the first process.
func Serve(ctx context.Context, p lnmu.Processes) error {
	g := &Group{Processes: p}
	var failed error
	for {
		var c command
		g.broadcast(&c)
		if c.do == doEnd {
			return failed
		}
		if _, err := g.execute(ctx, c); err != nil {
			failed = err
		}
	}
}

// execute takes part in a command, or sleeps.
func (g *Group) execute(ctx context.Context, c command) (engine.Timing, error) {
	if int64(g.Rank()) >= c.size {
		time.Sleep(time.Duration(c.sleep))
		return engine.Timing{}, nil
	}
	switch c.do {
	case doMatrix:
		if g.Rank() > 0 {
			g.m = lnmu.NewDense[float64](int(c.rows), int(c.cols), nil)
		}
		if len(g.m.Data) > 0 {
			g.Broadcast(unsafe.Slice((*byte)(unsafe.Pointer(&g.m.Data[0])), 8*len(g.m.Data)))
		}
	case doFactor:
		return g.factor(ctx, c)
	case doExchange:
		return g.exchange(c), nil
	}
	return engine.Timing{}, nil
}

// factor factors the first rows of the matrix with the first processes.
func (g *Group) factor(ctx context.Context, c command) (engine.Timing, error) {
	m := g.m.Slice(0, int(c.rows), 0, g.m.Cols)
	source := engine.Dense(m)
	if c.size > 1 {
		source = engine.Distributed(m, prefix{g.Processes, int(c.size)})
	}
	if w, ok := g.Processes.(interface{ Threads(n int) (before int) }); ok {
		defer w.Threads(w.Threads(int(c.threads)))
	}
	clock := &engine.Clock{Iterations: int(c.count)}
	return engine.Factor(ctx, clock, source, int(c.rank), subject.Methods[c.method].Method, int(c.threads))
}

// exchange sends messages back and forth between the first process and the last one that
// takes part. It returns the seconds of one message as Iteration.
func (g *Group) exchange(c command) engine.Timing {
	message, last := make([]byte, c.bytes), int(c.size)-1
	var begun time.Time
	for k := range c.count + 1 {
		if k == 1 { // both processes are ready
			begun = time.Now()
		}
		switch g.Rank() {
		case 0:
			g.Exchange(last, message, nil)
			g.Exchange(last, nil, message)
		case last:
			g.Exchange(0, nil, message)
			g.Exchange(0, message, nil)
		}
	}
	return engine.Timing{Iteration: time.Since(begun).Seconds() / float64(2*c.count)}
}

// lead broadcasts a command and takes part in it; then it runs own, which may be nil. The
// idle processes must sleep until own has returned. If they woke up earlier, lead repeats the
// command and own with a longer sleep.
func (g *Group) lead(ctx context.Context, c command, own func() error) (engine.Timing, error) {
	if g.Sleepless {
		c.sleep = 0
	}
	for {
		g.broadcast(&c)
		begun := time.Now()
		took, err := g.execute(ctx, c)
		if own != nil {
			err = own()
		}
		lasted := int64(time.Since(begun))
		if err != nil || g.Sleepless || c.size == int64(g.Size()) || lasted <= c.sleep {
			return took, err
		}
		c.sleep = 2 * lasted
	}
}

// Send gives all processes the matrix m.
func (g *Group) Send(ctx context.Context, m lnmu.Dense[float64]) error {
	g.m = m
	_, err := g.lead(ctx, command{do: doMatrix, rows: int64(m.Rows), cols: int64(m.Cols), size: int64(g.Size())}, nil)
	return err
}

// Factor factors rows of the matrix and times it.
func (g *Group) Factor(ctx context.Context, w Work) (engine.Timing, error) {
	return g.lead(ctx, command{
		do: doFactor, rows: int64(w.Rows), size: int64(w.Size), method: int64(w.Method), rank: int64(w.Rank),
		threads: int64(w.Threads), count: int64(w.Iterations), sleep: int64(w.Sleep),
	}, nil)
}

// Message returns the seconds of one message of the given size between the first process and
// the last. It is the mean over count round trips.
func (g *Group) Message(ctx context.Context, bytes, count int) (float64, error) {
	took, err := g.lead(ctx, command{do: doExchange, size: int64(g.Size()), bytes: int64(bytes), count: int64(count)}, nil)
	return took.Iteration, err
}

// Alone runs work in the first process while the others sleep. sleep is the initial sleep time;
// Alone updates it for the next call. work may run several times. A nil group has no other
// processes.
func (g *Group) Alone(ctx context.Context, sleep *time.Duration, work func() error) error {
	if g == nil {
		return work()
	}
	var lasted time.Duration
	_, err := g.lead(ctx, command{do: doSleep, size: 1, sleep: int64(*sleep)}, func() error {
		begun := time.Now()
		err := work()
		lasted = time.Since(begun)
		return err
	})
	*sleep = SleepAfter(lasted.Seconds())
	return err
}

// SleepAfter returns the sleep time of idle processes during work whose last run took the given
// seconds.
func SleepAfter(seconds float64) time.Duration {
	return time.Duration(1.5*seconds*1e9) + 100*time.Millisecond
}

// End ends Serve in the other processes.
func (g *Group) End() { g.broadcast(&command{do: doEnd}) }
