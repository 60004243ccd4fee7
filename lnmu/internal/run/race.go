package run

import (
	"cmp"
	"math"
	"slices"

	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// Restarts race: all of them make the first iterations, the better half of them more, and the best two all. A lap
// is the part of the iterations that so many restarts make together.
type lap struct {
	runs  int // that make it
	until int // the iteration that ends it
}

// laps returns the laps of a race of so many restarts whose first lap is a tenth of so many iterations, or one lap in
// which all run to the end, which they do too if race is 0. Fewer than leastLap iterations say little about the rest.
func laps(restarts, iterations, race int) []lap {
	const last, leastLap = 2, 10
	if first := max(leastLap, min(race, iterations)/10); race > 0 && restarts > last && 3*first < iterations {
		return []lap{{restarts, first}, {max(last, (restarts+1)/2), 3 * first}, {last, iterations}}
	}
	return []lap{{restarts, iterations}}
}

// Paused returns the largest number of restarts whose states are kept in memory between laps.
func (s *Settings) Paused() int {
	if len(laps(s.Restarts, s.Iterations, s.Race)) == 1 {
		return 0
	}
	return s.Restarts
}

// Ran says how far a restart went.
type Ran struct {
	Restart    int // 1-based
	Iterations int
	Value      float64 // what the method minimises, after these
	Stop       outcome.Stop
}

// fields are those of a state.
func (r *Ran) fields() []state.Field {
	return []state.Field{
		state.Named("restart", &r.Restart), state.Named("iterations", &r.Iterations), state.Named("stop", (*string)(&r.Stop)),
	}
}

// compare orders restarts that have made the same lap: the better one comes first, of equal ones the one that began
// first. NaN is the worst.
func (r Ran) compare(other Ran) int {
	return cmp.Or(cmp.Compare(-other.Value, -r.Value), r.Restart-other.Restart)
}

// racing holds the race of the restarts of a job. The mutex of the job guards it.
type racing struct {
	laps   []lap
	lap    int     // the present one
	ran    []Ran   // the restarts that have made the present lap, or ended before
	others []Ran   // those that were left behind in an earlier lap
	leader *Result // the best of those that were left in the last lap that one has made
	led    int     // that lap
}

// lapEnds returns the iteration after which the restarts of the present lap are left, 0 in the last one.
func (j *Job) lapEnds() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lap == len(j.laps)-1 {
		return 0
	}
	return j.laps[j.lap].until
}

// ran says how far the restart of a result went, which minimises value.
func (r *Result) ran(value float64) Ran {
	n := Ran{Restart: r.BestRestart, Value: value, Stop: r.Stop}
	for _, b := range r.Blocks {
		n.Iterations += b.IterationsDone
	}
	return n
}

// all returns how far the restarts went, in their order.
func (r *racing) all() []Ran {
	all := slices.Concat(r.ran, r.others)
	slices.SortFunc(all, func(a, b Ran) int { return a.Restart - b.Restart })
	return all
}

// leads reports whether a result at the end of the present lap is the best one there so far. The mutex must be held.
func (j *Job) leads(res *Result) bool {
	return j.leader == nil || j.led < j.lap || res.compare(j.leader, j.objective) < 0
}

// leave records the result of a restart at the end of the present lap. One without factors did not lead.
func (j *Job) leave(res *Result) {
	if res.Factors != nil && j.leads(res) {
		j.leader, j.led = res, j.lap
	}
}

// nextLap begins the next lap with the best restarts of the present one, which all have made. It returns false if there
// is none, or nothing is left to do in it.
func (j *Job) nextLap() bool {
	if j.lap == len(j.laps)-1 {
		return false
	}
	j.lap++
	slices.SortFunc(j.ran, Ran.compare)
	best := min(j.laps[j.lap].runs, len(j.ran))
	for _, r := range j.ran[best:] {
		if r.Stop == outcome.StopLeft {
			j.finished++
			j.states = slices.DeleteFunc(j.states, func(u *restartState) bool { return u.restart == r.Restart })
		}
	}
	j.others = append(j.others, j.ran[best:]...)
	order := map[int]int{} // the best one goes on first, so that little is lost if the time is over
	for i, r := range j.ran[:best] {
		order[r.Restart] = i
	}
	j.ran = slices.DeleteFunc(j.ran[:best], func(r Ran) bool { return r.Stop == outcome.StopLeft })
	slices.SortFunc(j.states, func(a, b *restartState) int { return order[a.restart] - order[b.restart] })
	for _, u := range j.states {
		u.left = false
	}
	return len(j.states) > 0
}

// share returns the part of the work that is done, if a restart has done a part of its own.
func (j *Job) share(restart int, own float64) float64 {
	if len(j.laps) == 1 {
		return (float64(restart-1) + own) / float64(j.Restarts)
	}
	before, done, all := 0, 0.0, 0.0
	for i, l := range j.laps {
		each := float64(l.until - before)
		switch {
		case i < j.lap:
			done += float64(l.runs) * each
		case i == j.lap:
			done += float64(len(j.ran))*each + max(0, own*float64(j.Iterations)-float64(before))
		}
		all += float64(l.runs) * each
		before = l.until
	}
	return done / all
}

// first returns the best of results, some of which may be nil.
func (j *Job) first(results ...*Result) (best *Result) {
	for _, res := range results {
		if res != nil && (best == nil || res.compare(best, j.objective) < 0) {
			best = res
		}
	}
	return best
}

// codeRace encodes or decodes the race.
func (j *Job) codeRace(c codec.Coder) {
	c.Do(state.Named("lap", &j.lap))
	value := func(r *Ran) { // may be infinite
		bits := math.Float64bits(r.Value)
		c.Do(state.Named("value", &bits))
		r.Value = math.Float64frombits(bits)
	}
	codec.List(c, "restarts of the lap", &j.ran, (*Ran).fields, value)
	codec.List(c, "restarts left behind", &j.others, (*Ran).fields, value)
	d, ok := c.(*codec.Decoder)
	if !ok || d.Err() != nil {
		return
	}
	if j.lap < 0 || j.lap >= len(j.laps) {
		d.Damaged("lap %d of %d", j.lap+1, len(j.laps))
	}
	seen := map[int]bool{}
	for _, r := range slices.Concat(j.ran, j.others) {
		if r.Restart < 1 || r.Restart > j.next || seen[r.Restart] || r.Iterations < 0 {
			d.Damaged("restart %d of %d made %d iterations", r.Restart, j.next, r.Iterations)
		}
		seen[r.Restart] = true
	}
}
