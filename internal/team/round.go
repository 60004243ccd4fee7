package team

import "time"

// pace is what a team knows about the length of its rounds.
type pace struct {
	round int
	begun time.Time
	least [2]time.Duration // of the rounds timed so far: shared, and alone
	alone bool             // the leader does all tasks
}

// A team times rounds in both ways, shared first, and goes on in the faster one:
//
//	round    0   1   2   3   4   5   6   7   ..  roundsPerTrial
//	         shared......alone.......the faster..shared, and so on
//	             timed...    timed...
//
// The first round of either way is not timed: its data are in the caches of others.
const (
	trial          = 3 // rounds of a trial in each way
	roundsPerTrial = 512
	gain           = 20                     // sharing must win a twentieth: less is chance, and takes a processor from others
	longRound      = 500 * time.Microsecond // a round that is worth sharing whatever it does
)

// Round begins another round of the same phases, as an iteration is one. Members that
// share very short phases can wait longer for each other than one of them would work:
// a team that is told of its rounds finds out by the clock whether its leader does
// better to work alone. Only the goroutine that made the team may call it. It
// allocates nothing.
func (t *Team) Round() {
	if len(t.members) > 1 {
		t.pace.next(time.Now())
	}
}

// next begins another round now.
func (p *pace) next(now time.Time) {
	if p.round == roundsPerTrial {
		*p = pace{}
	}
	if p.round > 2*trial {
		p.round++
		return
	}
	if last := p.round - 1; last >= 0 && last%trial > 0 {
		way, took := last/trial, now.Sub(p.begun)
		if p.least[way] == 0 || took < p.least[way] {
			p.least[way] = max(took, 1)
		}
	}
	switch p.round {
	case trial:
		if p.alone = p.least[0] < longRound; !p.alone {
			p.round = 2 * trial
		}
	case 2 * trial:
		p.alone = p.least[1] <= p.least[0]+p.least[0]/gain
	}
	p.begun = now
	p.round++
}
