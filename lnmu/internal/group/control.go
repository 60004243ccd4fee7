package group

// Signal is a set of bits that process 0 sends to all processes.
type Signal byte

const (
	Cancelled Signal = 1 << iota // the work is cancelled
	TimeOver                     // the time limit is reached
	Show                         // a progress report is due
	Save                         // a checkpoint is due
)

// Control carries the decision of process 0 to all processes: in every all-reduce of a pass, or
// in a broadcast if there was no pass.
type Control struct {
	comm   Comm
	decide func() Signal // of process 0
	last   Signal
	valid  int    // questions that the last all-reduce still answers
	word   []byte // allocated separately, because C code may get it
}

// validFor is the number of questions that an all-reduce answers: one after the HALS
// step, and one before the next iteration.
const validFor = 2

// NewControl returns the control of a group. decide is called in process 0 alone.
func NewControl(c Comm, decide func() Signal) *Control {
	return &Control{comm: c, decide: decide, word: make([]byte, 1)}
}

// Ask returns the decision of process 0: the one that came with the last all-reduce, if
// that is still valid, or else a new one. All processes ask together.
func (c *Control) Ask() Signal {
	if c.valid == 0 {
		c.word[0] = byte(c.signal())
		c.comm.Broadcast(c.word)
		c.last = Signal(c.word[0])
	} else {
		c.valid--
	}
	return c.last
}

// Last returns the last decision. Members may call it within a task.
func (c *Control) Last() Signal { return c.last }

// Done clears a signal after the caller has acted on it. This has taken time, so the next Ask
// asks process 0.
func (c *Control) Done(s Signal) {
	c.last &^= s
	c.Renew()
}

// Renew makes the next Ask ask process 0.
func (c *Control) Renew() {
	if c != nil {
		c.valid = 0
	}
}

// signal returns the contribution of this process to a decision: 0 unless it is process 0.
func (c *Control) signal() Signal {
	if c == nil || c.comm.Rank() > 0 {
		return 0
	}
	return c.decide()
}

// heard takes the decision that came with an all-reduce.
func (c *Control) heard(s Signal) {
	if c != nil {
		c.last, c.valid = s, validFor
	}
}
