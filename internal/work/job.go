package work

import (
	"cmp"
	"fmt"
	"os"

	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/options"
	"nmu/internal/process"
	"nmu/internal/render"
)

// Job says where the matrix is, how it is taken, and what is measured beside the plan.
type Job struct {
	Path        string                  // of the matrix
	options.Run                         // which says how M is read, in which memory, and what is measured beside the plan
	Resumed     bool                    // the run goes on from a state, whose rank and restarts are settled
	Note        func(text string) error // says what the user should know before the run; only if a matrix stays in its file
	All         *process.Group          // or nil
}

// keeps reports whether M must be unchanged after its factorization.
func (j *Job) keeps(p Plan) bool { return j.Improve || p.Settings.Record }

// folder returns the folder for the files of a run whose matrix stays in its file.
func (j *Job) folder() string { return cmp.Or(j.Scratch, os.TempDir()) }

// limit names the memory of a job.
func (j *Job) limit() string { return "--memory " + memory.Text(j.Memory) }

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
	return fmt.Errorf("%s would need less: %w", render.Enumerate(less, "or"), err)
}
