package run

import (
	"crypto/sha256"
	"fmt"
	"time"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/state"
)

// errEnded is why a process has ended that was not told to.
var errEnded = fmt.Errorf("%w: process 0 was told to end", group.ErrProcess)

// decide returns what process 0 tells all processes.
func (j *Job) decide() (s group.Signal) {
	switch stop, _ := j.cut(); stop {
	case core.StopCancelled:
		s |= group.Cancelled
	case core.StopTime:
		s |= group.TimeOver
	}
	if j.showing(time.Now()) {
		s |= group.Show
	}
	if j.Checkpoint != nil && j.Checkpoint.Save != nil && !time.Now().Before(j.due) {
		s |= group.Save
	}
	return s
}

// stopOf returns why the work ends by a decision of process 0, or "".
func stopOf(s group.Signal) core.Stop {
	switch {
	case s&group.Cancelled != 0:
		return core.StopCancelled
	case s&group.TimeOver != 0:
		return core.StopTime
	}
	return ""
}

// Alike returns an error unless process 0 has the same method and settings.
func (j *Job) Alike() error {
	if !j.distributed() {
		return nil
	}
	var own, first struct {
		sum   [sha256.Size]byte
		saves bool
	}
	own.sum = sha256.Sum256(fmt.Appendf(nil, "%srecord %v, resumed %v", j.Identity(), j.Record, j.Checkpoint != nil && j.Checkpoint.Resume != nil))
	own.saves = j.Checkpoint != nil
	first = own
	j.Comm.Broadcast(group.Bytes(&first))
	j.saves = first.saves
	if first.sum != own.sum {
		return core.Bad("process %d has another method or other settings than process 0; give all processes the same", j.Comm.Rank())
	}
	return nil
}

// sumStart computes the hashes of a given start of which processes have parts, if a
// checkpoint needs them: all of them together, once.
func (j *Job) sumStart() {
	if !j.distributed() || !j.FromStart || !j.saves {
		return
	}
	v, w := j.StartSums()
	j.StartSums = func() (string, string) { return v, w }
}

// handIn gives process 0 what it asks for to write a state.
func (t *checkpointer) handIn(k int, tr *method.Trace, fields func() []state.Field) {
	e := state.NewPartEncoder(t.Comm)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream(e, t.current(&k, tr, fields))
	e.Serve()
}
