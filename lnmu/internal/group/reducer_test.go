package group

import (
	"testing"

	"nmu/internal/must"
	"nmu/internal/together"
)

// TestVote: all processes hear of one that says yes, again and again.
func TestVote(t *testing.T) {
	for size := 1; size < 7; size++ {
		together.Run(size, func(p *together.Process) {
			v := NewVote(p)
			for who := range size + 1 {
				must.Equal(t, v.Any(p.Rank() == who), who < size, "process", p.Rank(), "of", size, "process", who, "says yes")
			}
		})
	}
}

// silent is a process that hears nothing of its partner.
type silent struct{ Self }

func (silent) Size() int { return 2 }

// TestVoteAllocates: a pass ends with a vote.
func TestVoteAllocates(t *testing.T) {
	v := NewVote(silent{})
	must.AtMost(t, testing.AllocsPerRun(10, func() { v.Any(true) }), 0, "a vote makes")
}
