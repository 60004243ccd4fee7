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
	Library     bool                    // the program is that of a caller: its memory is his, and M stays in its file if there is a folder for scratch files
	Resumed     bool                    // the run goes on from a state, whose rank and restarts are settled
	Note        func(text string) error // says what the user should know before the run; not used if Library is set
	All         *process.Group          // or nil
}

// keeps reports whether M must be unchanged after its factorization.
func (j *Job) keeps(p Plan) bool { return j.Improve || p.Settings.Record }

// folder returns the folder for the files of a run whose matrix stays in its file.
func (j *Job) folder() string { return cmp.Or(j.Scratch, os.TempDir()) }

// most returns the memory of a job whose matrix may stay in its file, 0 if it may not.
func (j *Job) most() int64 {
	switch {
	case !j.Library:
		return j.Memory
	case j.Scratch == "":
		return 0
	}
	return cmp.Or(j.MaxMemory, memory.Free())
}

// limit says that M must stay in its file for some work.
func (j *Job) limit(work string) string {
	if j.Library {
		return "scratch leaves M in its file"
	}
	return "--memory " + memory.Text(j.Memory) + " is not enough to " + work
}

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
		less = append(less, file.Setting("restarts", "1"))
	}
	if p.Settings.Threads > 1 {
		less = append(less, "fewer threads")
	}
	if less == nil {
		return err
	}
	return fmt.Errorf("%s would need less: %w", render.Enumerate(less, "or"), err)
}
