package team

import (
	"sync/atomic"
	"testing"
	"time"

	"nmu/internal/must"
)

// TestRound: rounds are the leader's if he is faster alone, others are shared; what is
// long is never tried alone, and the first rounds of either way do not count.
func TestRound(t *testing.T) {
	const rounds = 1000
	for name, c := range map[string]struct {
		shared, alone  time.Duration
		missed         bool
		tried, isAlone bool
	}{
		"shared faster":  {10 * time.Microsecond, 20 * time.Microsecond, false, true, false},
		"alone faster":   {20 * time.Microsecond, 19 * time.Microsecond, false, true, true},
		"alike":          {20 * time.Microsecond, 20 * time.Microsecond, false, true, true},
		"long":           {longRound, time.Nanosecond, false, false, false},
		"long, too late": {longRound, time.Nanosecond, true, false, false},
	} {
		var p pace
		now := time.Now()
		tried := false
		for round := range rounds {
			p.next(now, 2)
			took := c.shared
			p.missed = c.missed
			if p.alone {
				took = c.alone
				tried = true
			}
			switch round {
			case 0, moving + trial:
				took = time.Nanosecond
			case moving, 2*moving + trial + 1:
				took += time.Millisecond // by another program
			}
			now = now.Add(took)
			if p.settled && p.alone != c.isAlone {
				t.Fatalf("%s: alone is %v in round %d", name, p.alone, round)
			}
		}
		if tried != c.tried || !tried && !p.settled {
			t.Errorf("%s: tried alone is %v", name, tried)
		}
	}
}

// TestRoundBusy: where a processor gets other work, now and then, sharing ends, and
// what it loses after that is little beside the whole; when the other work has ended,
// rounds are shared again.
func TestRoundBusy(t *testing.T) {
	for name, missed := range map[string]bool{"late": false, "missing": true} {
		for _, alone := range []time.Duration{20 * time.Microsecond, 20 * time.Millisecond} {
			var p pace
			now := time.Now()
			least, spent := time.Duration(0), time.Duration(0)
			shared := 0 // rounds in a row
			for round := range 20000 {
				p.next(now, 2)
				took := alone
				if !p.alone {
					took = alone * 3 / 5
					if busy := round >= 1000 && round < 10000; busy && missed {
						took, p.missed = alone+alone/100, true
					} else if busy && round%10 == 0 {
						took += 3*time.Millisecond + 3*alone
						p.waited = took - alone/2
					}
					shared++
				} else {
					shared = 0
				}
				if round >= 1000 && round < 10000 {
					least += alone
					spent += took
				}
				now = now.Add(took)
			}
			if spent > least+least/8 {
				t.Errorf("%s, rounds of %v: %v with a busy processor instead of %v", name, alone, spent, least)
			}
			must.AtLeast(t, shared, 1000, name, "rounds of", alone)
		}
	}
}

// TestRoundMore: rounds with phases that others have not, as an iteration with which a
// factor is done, do not end sharing.
func TestRoundMore(t *testing.T) {
	var p pace
	now := time.Now()
	for round := range 10000 {
		p.next(now, 2)
		switch {
		case p.alone && round > 2*(moving+trial):
			t.Fatalf("alone in round %d", round)
		case p.alone:
			now = now.Add(20 * time.Microsecond)
		case round%10 == 0:
			now = now.Add(500 * time.Microsecond)
			p.waited = time.Microsecond
		default:
			now = now.Add(12 * time.Microsecond)
		}
	}
}

// TestRoundAlone: alone, the leader does all tasks, until a trial begins.
func TestRoundAlone(t *testing.T) {
	team := New(3)
	defer team.Close()
	team.pace.choose(true, true)
	team.pace.stay = time.Hour
	var others atomic.Int32
	for range 100 {
		team.Round()
		team.Run(10, func(member, _ int) {
			if member != 0 {
				others.Add(1)
			}
		})
	}
	must.AtMost(t, others.Load(), 0, "other members did")
	team.pace.stay = 0
	team.Round()
	if team.pace.alone {
		t.Error("no trial begins")
	}
	must.Equal(t, testing.AllocsPerRun(100, team.Round), 0, "allocations")
}
