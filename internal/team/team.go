// Package team runs the phases of a computation on persistent goroutines.
//
// A team is made once and runs one phase after the other. Its members share the tasks of a
// phase. Handing over a phase takes well under a microsecond, so a pass over a few hundred
// kilobytes is worth sharing.
//
//	leader    Run(tasks, work) .. shares ........ waits .. Run(tasks, work) ..
//	member 1  spins ............. shares .. spins ........ shares ..
//	member 2  sleeps ... woken .................. comes too late ..
package team

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Team is a set of persistent goroutines that share the tasks of one phase after the other.
// Handing over a phase takes well under a microsecond while the members spin. They spin briefly
// and then sleep.
//
// The assignment of tasks is random, so a task's result must not depend on it. A phase does not
// wait for a member that sleeps or whose processor is busy: the others do its tasks.
//
// If a task panics, no further task of the phase begins. When all members are at rest, Run
// panics with the same value in the caller's goroutine, which may recover. The team can then be
// used again or closed. Members handle memory faults (a mapped file that has shrunk) like the
// goroutine that made the team, see debug.SetPanicOnFault.
type Team struct {
	members []member
	patient bool                    // there is a processor for every member: spin before sleeping
	failed  atomic.Pointer[failure] // the first panic of the current phase
	rested  chan struct{}
	pace    pace

	_     [64]byte // what is above is seldom written
	gate  atomic.Uint64
	tasks int                    // of the current phase
	work  func(member, task int) // nil ends the team
	_     [64]byte
}

// The gate of a team hands over phases. It is one word in one cache line that the processors
// share. It holds the number of the phase and
//
//	open      members may come in
//	resting   the leader sleeps until the last member has gone out
//	come      the members that have come in, in units of oneCome,
//	inside    and those of them that are still inside, in units of oneInside
//	asleep    the members that sleep or are about to, in units of oneAsleep
const (
	countBits = 12
	counted   = 1<<countBits - 1

	oneInside = 1
	oneCome   = oneInside << countBits
	oneAsleep = oneCome << countBits
	resting   = oneAsleep << countBits
	open      = resting << 1
	onePhase  = open << 1

	insideMask = counted * oneInside
	asleepMask = counted * oneAsleep
)

// phaseOf returns the number of the phase of a gate, from 1.
func phaseOf(gate uint64) uint64 { return gate / onePhase }

// failure is a panic on its way to the goroutine that called Run.
type failure struct{ value any }

// member is one goroutine's share of the tasks. A member takes its own tasks first, then those
// of the others, so that the same memory stays with the same processor in all phases.
type member struct {
	next   atomic.Uint64 // a phase and, in the lower 32 bits, the next task in it
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // keep the counters of two members apart
}

// New starts n-1 goroutines, n >= 1, or the largest number that can be counted. The caller is
// the last member, and leads. Close must be called in the end.
func New(n int) *Team {
	n = min(n, counted)
	t := &Team{members: make([]member, n), rested: make(chan struct{}, 1)}
	t.patient = n <= runtime.GOMAXPROCS(0)
	faults := panicOnFault()
	for i := 1; i < n; i++ {
		t.members[i].wake = make(chan struct{}, 1)
		go func() {
			debug.SetPanicOnFault(faults)
			t.follow(i)
		}()
	}
	return t
}

// panicOnFault returns the setting of debug.SetPanicOnFault for this goroutine.
func panicOnFault() bool {
	set := debug.SetPanicOnFault(false)
	debug.SetPanicOnFault(set)
	return set
}

// Size returns the number of members.
func (t *Team) Size() int { return len(t.members) }

// Close ends the goroutines.
func (t *Team) Close() {
	if len(t.members) > 1 {
		t.publish(0, nil)
	}
}

// Run calls work(member, task) for every task from 0 to tasks-1, and returns when all are done.
// member, from 0 to Size()-1, is the member that does the task. Only the goroutine that made
// the team may call it. It allocates nothing.
func (t *Team) Run(tasks int, work func(member, task int)) {
	if len(t.members) == 1 || tasks == 1 || t.pace.alone {
		for task := range tasks {
			work(0, task)
		}
		return
	}
	phase := t.publish(tasks, work)
	t.share(0, phase)
	gate := t.gate.And(^uint64(open))
	if come := int(gate / oneCome & counted); come < len(t.members)-1 {
		t.pace.missed = true
	}
	if gate&insideMask > 0 {
		t.await()
	}
	t.work = nil // nobody is inside, and what it refers to may be garbage from now on
	if t.failed.Load() != nil {
		panic(t.failed.Swap(nil).value)
	}
}

// await returns when no member is inside the gate, which is shut.
func (t *Team) await() {
	empty := func() bool { return t.gate.Load()&insideMask == 0 }
	if t.patient && soon(empty) {
		return
	}
	begun := time.Now()
	if !t.spin(empty) {
		if t.gate.Or(resting)&insideMask > 0 {
			<-t.rested
		}
		t.gate.And(^uint64(resting))
	}
	t.pace.waited += time.Since(begun)
}

// spinTime is how long a member spins before it sleeps. It is longer than the leader's work
// between two phases, and than falling asleep and waking up.
const spinTime = 200 * time.Microsecond

// spin waits for done to become true, at most for spinTime, and returns its value.
func (t *Team) spin(done func() bool) bool {
	if !t.patient {
		return done()
	}
	for begun := time.Now(); time.Since(begun) <= spinTime; {
		if soon(done) {
			return true
		}
	}
	return false
}

// soon says whether done becomes true within about a microsecond.
func soon(done func() bool) bool {
	for range 100 {
		if done() {
			return true
		}
	}
	return false
}

// publish hands out a phase and returns its number.
func (t *Team) publish(tasks int, work func(member, task int)) (phase uint64) {
	t.tasks, t.work = tasks, work
	for {
		gate := t.gate.Load()
		next := (phaseOf(gate)+1)*onePhase | open | gate&asleepMask
		if phaseOf(next) == 0 { // the numbers begin again
			for i := range t.members {
				t.members[i].next.Store(0)
			}
			next += onePhase
		}
		if !t.gate.CompareAndSwap(gate, next) {
			continue
		}
		if next&asleepMask > 0 {
			t.rouse()
		}
		return phaseOf(next)
	}
}

// rouse wakes the members that sleep.
func (t *Team) rouse() {
	for i := 1; i < len(t.members); i++ {
		if m := &t.members[i]; m.asleep.CompareAndSwap(true, false) {
			m.wake <- struct{}{}
		}
	}
}

// share does the tasks of member i, then helps the others.
func (t *Team) share(i int, phase uint64) {
	done := false
	defer func() {
		if !done {
			t.failed.CompareAndSwap(nil, &failure{recover()})
		}
	}()
	n, tasks, work := len(t.members), t.tasks, t.work
	for v := range n {
		of := (i + v) % n
		m, end := &t.members[of], (of+1)*tasks/n
		for {
			task, ok := m.take(phase, of*tasks/n, end)
			if !ok || t.failed.Load() != nil {
				break
			}
			work(i, task)
		}
	}
	done = true
}

// take takes the next task of m in a phase, among tasks first to end-1.
func (m *member) take(phase uint64, first, end int) (task int, ok bool) {
	for {
		next := m.next.Load()
		task = first
		if next>>32 == phase {
			task = int(uint32(next))
		}
		if task >= end {
			return 0, false
		}
		if m.next.CompareAndSwap(next, phase<<32|uint64(task+1)) {
			return task, true
		}
	}
}

// follow is the loop of member i.
func (t *Team) follow(i int) {
	for seen := uint64(0); ; {
		gate := t.gate.Load()
		switch {
		case phaseOf(gate) == seen:
			if !t.spin(func() bool { return phaseOf(t.gate.Load()) != seen }) {
				t.sleep(i, seen)
			}
			continue
		case gate&open == 0: // too late
			seen = phaseOf(gate)
			continue
		case !t.gate.CompareAndSwap(gate, gate+oneCome+oneInside):
			continue
		}
		if t.work == nil {
			return
		}
		seen = phaseOf(gate)
		t.share(i, seen)
		if gate = t.gate.Add(^uint64(oneInside - 1)); gate&insideMask == 0 && gate&resting > 0 {
			t.rested <- struct{}{}
		}
	}
}

// sleep waits, without a processor, for a phase other than seen.
func (t *Team) sleep(i int, seen uint64) {
	m := &t.members[i]
	m.asleep.Store(true)
	if gate := t.gate.Add(oneAsleep); phaseOf(gate) != seen {
		// The leader may not have looked, or wakes whoever is asleep.
		if !m.asleep.CompareAndSwap(true, false) {
			<-m.wake
		}
	} else {
		<-m.wake
	}
	t.gate.Add(^uint64(oneAsleep - 1))
}
