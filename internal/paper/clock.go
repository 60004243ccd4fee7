package paper

import (
	"sync"
	"time"

	"nmu/lnmu"
)

// clock estimates the remaining time of a run from its finished and its remaining operations.
type clock struct {
	mu     sync.Mutex
	tell   func(Progress)
	rows   int           // of all tables
	done   int           // rows that are finished
	left   float64       // operations of the planned rows that are not finished
	worked float64       // operations done by this process
	spent  time.Duration // time for that work

	experiment experiment // the row being computed
	begun      time.Time
	parts      []float64 // of each of its starts: the fraction done, from 0 to 1
	shown      time.Time
}

func newClock(r *run) *clock {
	c := &clock{tell: r.Progress}
	for _, set := range r.out.Sets {
		for _, spec := range rowSpecs {
			c.rows++
			c.left += work(set, spec.method, r.Restarts)
		}
	}
	return c
}

// work estimates the number of operations of a row (section 4.3).
func work(set *Set, method lnmu.Method, starts int) float64 {
	mn, rank := float64(set.data.m.Rows)*float64(set.data.m.Cols), float64(set.Rank)
	if method == nil {
		return mn // PCA: negligible
	}
	iteration := 4.0 // times m n r
	switch method.(type) {
	case lnmu.GNMU:
		iteration = 10
	case lnmu.RNMU:
		iteration = 13
	case lnmu.Hoyer:
		iteration = 8
	}
	return (float64(method.Describe().Iterations)*iteration + 100*4) * mn * rank * float64(starts)
}

// begin sets the row that is being computed.
func (c *clock) begin(t experiment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.experiment, c.begun, c.parts, c.shown = t, time.Now(), make([]float64, t.starts), time.Time{}
	if t.variant != "" {
		c.left += work(t.set, t.method, t.starts) // not planned
	}
	c.show()
}

// report records the progress of one start.
func (c *clock) report(start int, p lnmu.Progress) {
	part := float64(p.Iteration) / float64(max(1, p.Iterations))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.experiment.recursive() {
		part = (float64(p.Factor) + part) / float64(p.Rank)
	}
	c.parts[start] = 0.9 * part // the rest goes into what is measured of the result
	c.show()
}

// end counts the operations of a row. computed is false for a row that an earlier process kept.
func (c *clock) end(t experiment, computed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	done := work(t.set, t.method, t.starts)
	if t.variant == "" {
		c.done++
	}
	if computed {
		c.worked += done
		c.spent += time.Since(c.begun)
	}
	if computed || t.variant == "" {
		c.left -= done
	}
}

// show reports the progress to the caller, a few times per second.
func (c *clock) show() {
	if time.Since(c.shown) < 200*time.Millisecond {
		return
	}
	c.shown = time.Now()
	p := Progress{Set: c.experiment.set.Title, Row: c.experiment.name, Done: c.done, Rows: c.rows, Remaining: -1}
	if c.experiment.variant != "" {
		p.Row += ", " + c.experiment.variant
	}
	var part float64
	for _, x := range c.parts {
		part += x / float64(len(c.parts))
	}
	now := part * work(c.experiment.set, c.experiment.method, c.experiment.starts)
	if worked, spent := c.worked+now, c.spent+time.Since(c.begun); worked > 0 && spent > 2*time.Second {
		p.Remaining = time.Duration(float64(spent) * max(0, c.left-now) / worked)
	}
	c.tell(p)
}
