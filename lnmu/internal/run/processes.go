package run

import (
	"crypto/sha256"
	"fmt"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// errEnded is why a process has ended that was not told to.
var errEnded = fmt.Errorf("%w: process 0 was told to end", group.ErrProcess)

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
