package main

import (
	"fmt"

	"nmu/internal/matio"
)

// job is what a command line asks for beside the plan: where the matrix is and how it is
// taken, and what else is measured.
type job struct {
	path      string
	transpose bool
	dense     bool // a sparse matrix is made dense
	sparse    bool // what a sparse matrix does not store is missing
	improve   bool
	report    bool
	resumed   bool // the run goes on from a state, whose rank and restarts are settled
	disk      diskFlags
	all       *processes // or nil
}

// keeps reports whether M must be unchanged after its factorization.
func (j *job) keeps(p plan) bool { return j.improve || p.settings.Record }

// enough returns an error if the work named what, which takes so many bytes, does not fit.
// The error says which options need less.
func (j *job) enough(file *matio.File, bytes int64, what string) error {
	err := file.Fits(bytes, what)
	switch {
	case err == nil:
		return nil
	case j.resumed:
		return fmt.Errorf("fewer threads need less: %w", err)
	}
	return fmt.Errorf("a smaller rank, --restarts 1 or fewer threads need less: %w", err)
}
