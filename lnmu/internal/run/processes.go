package run

import (
	"crypto/sha256"
	"fmt"

	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// errEnded is the cause in the processes whose own context was not cancelled.
var errEnded = fmt.Errorf("%w: process 0 was told to end", group.ErrProcess)

// Alike returns an error unless process 0 has the same method and settings.
func (j *Job) Alike() error {
	if !j.distributed() {
		return nil
	}
	var own, first struct {
		sum             [sha256.Size]byte
		saves, finishes bool
	}
	own.sum = sha256.Sum256(fmt.Appendf(nil, "%srecord %v, resumed %v", j.Identity(j.Matrix), j.Record, j.Checkpoint != nil && j.Checkpoint.Resume != nil))
	own.saves, own.finishes = j.Checkpoint != nil, j.Checkpoint != nil && j.Checkpoint.Save != nil
	first = own
	j.Comm.Broadcast(group.Bytes(&first))
	j.saves, j.finishes = first.saves, first.finishes
	if first.sum != own.sum {
		return fault.Bad("process %d has another method or other settings than process 0; give all processes the same", j.Comm.Rank())
	}
	return nil
}

// Same returns an error in all processes unless all store their parts of M in the same form: passes
// over different ones take different steps.
func (form Form) Same(c group.Comm) error {
	first := form
	c.Broadcast(group.Bytes(&first))
	var err error
	if first != form {
		words := func(f Form) string {
			where, what := "memory", ""
			if f.Files {
				where = "files"
			}
			if first.Sparse != form.Sparse {
				what = map[bool]string{false: ", dense", true: ", sparse"}[f.Sparse]
			}
			return where + what
		}
		err = fault.Bad("process %d has its part of M in %s, and process 0 in %s; give all processes the same", c.Rank(), words(form), words(first))
	}
	return group.Agree(c, err)
}

// sumStart computes the hashes of a distributed start, if checkpoints need them. All processes
// call it together, once.
func (j *Job) sumStart() {
	if !j.distributed() || !j.FromStart || !j.saves {
		return
	}
	v, w := j.StartSums()
	j.StartSums = func() (string, string) { return v, w }
}
