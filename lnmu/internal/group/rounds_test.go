package group_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nmu/internal/together"
	"nmu/lnmu/internal/group"
)

// TestRounds: processes with more or less to do stay together, until all are done, some of them
// fail or the work is over.
func TestRounds(t *testing.T) {
	broken := errors.New("broken")
	never := func() bool { return false }
	for size := 1; size <= 4; size++ {
		for who := -1; who < size; who++ {
			together.Run(size, func(p *together.Process) {
				left, called := 2*p.Rank(), 0
				fails, first := p.Rank() == who || who >= 0 && p.Rank() == size-1, fmt.Sprintf("process %d: broken", who)
				err := group.Rounds(p, never, func() (bool, error) {
					// A step in which all send something to each other.
					group.Ring(p, []byte{0}, func() {})
					called++
					if fails && called == 2 {
						return false, broken
					}
					left--
					return left > 0, nil
				})
				last := 2 * (size - 1)
				switch {
				case who < 0 || last < 2:
					if err != nil && who < 0 || called != max(1, last) {
						t.Errorf("%d processes: process %d: %d steps, %v", size, p.Rank(), called, err)
					}
				case fails != errors.Is(err, broken), !fails && !(errors.Is(err, group.ErrProcess) && strings.Contains(err.Error(), first)), called != 2:
					t.Errorf("%d processes, of which %d fails: process %d: %d steps, %v", size, who, p.Rank(), called, err)
				}
			})
		}
		together.Run(size, func(p *together.Process) {
			asked := 0
			err := group.Rounds(p, func() bool { asked++; return asked > 5 }, func() (bool, error) { return p.Rank() == size-1, nil })
			if !errors.Is(err, group.ErrInterrupted) || asked != 6 {
				t.Errorf("process %d of %d: %v after %d rounds", p.Rank(), size, err, asked)
			}
		})
	}
}

// TestRingRounds: the processes change data one after the other, each in some steps.
func TestRingRounds(t *testing.T) {
	for size := 1; size <= 4; size++ {
		var want []byte
		for rank := range size {
			want = append(want, slices.Repeat([]byte{byte(rank)}, rank+1)...)
		}
		together.Run(size, func(p *together.Process) {
			data, done := make([]byte, 1+len(want)), 0
			step := func() (bool, error) {
				data[0]++
				data[data[0]] = byte(p.Rank())
				done++
				return done <= p.Rank(), nil
			}
			if err := group.RingRounds(p, func() bool { return false }, data, step); err != nil || !slices.Equal(data[1:], want) {
				t.Errorf("process %d of %d: %v, want %v, %v", p.Rank(), size, data[1:], want, err)
			}
			err := group.RingRounds(p, func() bool { return false }, data, func() (bool, error) {
				if p.Rank() == size/2 {
					return false, fmt.Errorf("broken")
				}
				return false, nil
			})
			if own := p.Rank() == size/2; err == nil || errors.Is(err, group.ErrProcess) == own {
				t.Errorf("process %d of %d: %v", p.Rank(), size, err)
			}
		})
	}
}
