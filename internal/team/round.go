package team

import "time"

// pace holds the measured lengths of a team's rounds.
type pace struct {
	begun  time.Time     // start of the round
	missed bool          // a member came too late for a phase of the round
	waited time.Duration // time that the leader waited for others in the round

	alone   bool             // the leader does all tasks
	settled bool             // the way is chosen, this is no trial
	least   [2]time.Duration // of the last rounds that count: shared, and alone; 0 is unknown
	rounds  int              // since the way was chosen,
	timed   int              // those that count,
	spent   time.Duration    // and the time of all
	lost    time.Duration    // what shared rounds took longer than alone, less what they gained
	stay    time.Duration    // alone, before the next trial
}

// A team times rounds in both ways, shared first, and goes on in the faster one:
//
//	round    0   1   2   3   4   5   6   7   8   9   10 ..
//	         shared..............alone...............the faster
//	                 timed.......        timed.......
//
// The first rounds of either way do not count, because their data are in the caches of other
// processors. A short round to which a member came too late does not count either. Long rounds
// are always shared. Rounds are shared until sharing loses more time than a short interruption
// takes: then a processor has other work. The leader then works alone for many times the loss,
// and tries sharing again.
//
// Two members on a Zen 4, both processors free, in microseconds an iteration, alone and shared: NMF of 256 x 16 (r = 2)
// 11.5 and 13.7, of 256 x 64 (r = 2) 17.5 and 19.5, of 256 x 128 (r = 2) 22 and 15.5, of 220 x 256 (r = 8) 71 and 45;
// R-NMU of 256 x 16 5.7 and 9.4, of 256 x 32 6.7 and 5.3, of 220 x 256 22.8 and 14.5. So sharing wins from about 2^17
// multiply-adds of a pass on, and a rank-one pass, which is one phase, from 2^13 entries on.
const (
	moving    = 2                      // rounds that do not count: data come from the caches of others
	trial     = 3                      // rounds in a trial that count
	gain      = 20                     // sharing must win a twentieth: less is chance, and takes a processor from others
	longRound = 500 * time.Microsecond // a round of this length is worth sharing in any case
	hiccup    = 2 * time.Millisecond   // a short interruption of a processor by other work
	fewRounds = 8                      // this many rounds, and
	noTime    = time.Millisecond       // this much time, end a trial to which members come too late
	paid      = 32                     // times the loss by sharing that the leader works alone
	leastStay = 10 * time.Millisecond
)

// Round begins another round of the same phases, such as an iteration. Members that share very
// short phases, or whose processors do other work, can wait longer for each other than one of
// them would work. With Round, the team measures whether its leader is faster alone. Only the
// goroutine that made the team may call it. It allocates nothing.
func (t *Team) Round() {
	if len(t.members) > 1 {
		t.pace.next(time.Now(), len(t.members))
	}
}

// next begins another round with this many members at the time now.
func (p *pace) next(now time.Time, members int) {
	if !p.begun.IsZero() {
		p.ended(now.Sub(p.begun), members)
	}
	p.begun, p.missed, p.waited = now, false, 0
}

// ended records the time of a round and chooses the way of the next one.
func (p *pace) ended(took time.Duration, members int) {
	p.rounds++
	p.spent += took
	way, tooMuch := 1, false
	if !p.alone {
		way, tooMuch = 0, p.compare(took, members)
	}
	if p.rounds > moving && (!p.missed || took >= longRound) {
		if p.timed%trial == 0 || took < p.least[way] {
			p.least[way] = max(took, 1)
		}
		p.timed++
	}
	over := p.timed >= trial || p.rounds >= fewRounds && p.spent >= noTime
	switch {
	case p.alone && p.settled:
		if p.spent >= p.stay {
			p.choose(false, false)
		}
	case p.settled:
		if tooMuch {
			p.least[0] = took
			p.choose(true, false)
		}
	case !over:
	case p.alone || p.least[1] > 0:
		p.choose(p.least[0] == 0 || p.least[1] <= p.least[0]+p.least[0]/gain, true)
	case p.timed >= trial && p.lost <= 0 && p.least[0] >= longRound:
		p.choose(false, true)
	default:
		p.choose(true, false)
	}
}

// compare compares a shared round with the time that the leader would need alone, at most its
// own work times the members. It says whether sharing has lost too much. The loss of a round is
// at most the leader's waiting time, because a round may have phases that others lack. Gains
// count up to the allowed loss.
func (p *pace) compare(took time.Duration, members int) (tooMuch bool) {
	alone := p.least[1]
	if alone == 0 {
		alone = time.Duration(members) * (took - p.waited)
	}
	most := hiccup + 2*alone
	p.lost = max(p.lost+min(took-alone, p.waited), -most)
	return p.lost > most
}

// choose chooses a way, for a trial or until something changes.
func (p *pace) choose(alone, settled bool) {
	if alone {
		p.stay = max(leastStay, paid*p.lost)
	} else {
		p.lost = 0
		if !settled {
			p.least[0] = 0
		}
	}
	p.alone, p.settled = alone, settled
	p.rounds, p.timed, p.spent = 0, 0, 0
}
