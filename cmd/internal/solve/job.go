package solve

import (
	"cmp"
	"fmt"
	"os"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/process"
	"nmu/internal/matio"
)

// Job says where the matrix is, how it is taken, and what is measured beside the plan.
type Job struct {
	input.Matrix
	Resumed bool           // the run goes on from a state, whose rank and restarts are settled
	All     *process.Group // or nil
}

// folder returns the folder for temporary files.
func (j *Job) folder() string { return cmp.Or(j.Scratch, os.TempDir()) }

// keeps reports whether M must be unchanged after its factorization.
func (j *Job) keeps(p Plan) bool { return j.Improve || p.Settings.Record }

// enough returns an error if the work named what, which takes so many bytes, does not fit.
// The error says which options need less.
func (j *Job) enough(file *matio.File, bytes int64, what string, p Plan) error {
	err := file.Fits(bytes, what)
	if err == nil {
		return nil
	}
	var less []string
	if !j.Resumed && p.Rank > 1 {
		less = append(less, "a smaller rank")
	}
	if !j.Resumed && p.Settings.Restarts > 1 {
		less = append(less, "--restarts 1")
	}
	if p.Settings.Threads > 1 {
		less = append(less, "fewer threads")
	}
	if less == nil {
		return err
	}
	return fmt.Errorf("%s would need less: %w", message.Enumerate(less, "or"), err)
}
