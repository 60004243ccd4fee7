package group

import "errors"

// ErrInterrupted is returned by Rounds if the work is interrupted before it is done.
var ErrInterrupted = errors.New("interrupted")

// Rounds calls step in all processes repeatedly, until none of them has more to do. step may
// send messages, so it is called in every round, even in a process that has no more to do. An
// error of one process ends the rounds of all, as in Agree. All processes ask interrupted
// before every round; if it is true, Rounds returns ErrInterrupted.
func Rounds(c Comm, interrupted func() bool, step func() (more bool, err error)) error {
	for vote := NewVote(c); ; {
		if interrupted() {
			return ErrInterrupted
		}
		more, err := step()
		if vote.Any(err != nil) {
			return Agree(c, err)
		}
		if !vote.Any(more) {
			return nil
		}
	}
}

// RingRounds is Ring, but each process changes data in several rounds, while the others wait.
func RingRounds(c Comm, interrupted func() bool, data []byte, step func() (more bool, err error)) error {
	rank, last := c.Rank(), c.Size()-1
	for turn := range c.Size() {
		err := Rounds(c, interrupted, func() (bool, error) {
			if turn != rank {
				return false, nil
			}
			return step()
		})
		if err != nil {
			return err
		}
		switch next := turn + 1; {
		case turn == last:
		case turn == rank:
			c.Exchange(next, data, nil)
		case next == rank:
			c.Exchange(turn, nil, data)
		}
	}
	toFirst(c, last, data)
	c.Broadcast(data)
	return nil
}
