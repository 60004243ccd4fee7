package team

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestRound: short rounds are the leader's if he is faster alone, others are shared;
// what is long is never tried alone, and the first round of either way does not count.
func TestRound(t *testing.T) {
	for name, c := range map[string]struct {
		shared, alone  time.Duration
		tried, isAlone bool
	}{
		"shared faster": {10 * time.Microsecond, 20 * time.Microsecond, true, false},
		"alone faster":  {20 * time.Microsecond, 19 * time.Microsecond, true, true},
		"alike":         {20 * time.Microsecond, 20 * time.Microsecond, true, true},
		"long":          {longRound, time.Nanosecond, false, false},
	} {
		var p pace
		now := time.Now()
		tried := false
		for round := range roundsPerTrial {
			p.next(now)
			took := c.shared
			if p.alone {
				took = c.alone
				tried = true
			}
			switch round {
			case 0, trial:
				took = time.Nanosecond
			case 1, trial + 2:
				took += time.Millisecond // by another program
			}
			now = now.Add(took)
			if round > 2*trial && p.alone != c.isAlone {
				t.Fatalf("%s: alone is %v in round %d", name, p.alone, round)
			}
		}
		if tried != c.tried {
			t.Errorf("%s: tried alone is %v", name, tried)
		}
	}
}

// TestRoundAlone: alone, the leader does all tasks; a trial begins with all members
// again.
func TestRoundAlone(t *testing.T) {
	team := New(3)
	defer team.Close()
	team.pace.alone, team.pace.round = true, 2*trial+1
	var others atomic.Int32
	for range 100 {
		team.Round()
		team.Run(10, func(member, _ int) {
			if member != 0 {
				others.Add(1)
			}
		})
	}
	if n := others.Load(); n > 0 {
		t.Errorf("other members did %d tasks", n)
	}
	for range roundsPerTrial {
		team.Round()
		if team.pace.round <= trial && team.pace.alone {
			t.Fatal("a trial begins alone")
		}
	}
	if n := testing.AllocsPerRun(100, team.Round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
