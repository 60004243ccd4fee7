package program

import (
	"context"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/mpirun"
	"nmu/cmd/internal/progress"
	"nmu/internal/matio"
	"nmu/internal/process"
	"nmu/internal/work"
)

// Open is the matrix of a command line, while the command works on it.
type Open struct {
	*matio.File
	Context context.Context // which a signal ends, and with it the reading
	Steps   *progress.Steps
}

// With opens the matrix of the command line, does the work on it, and closes it. all are the processes of the run, or nil.
func (c *Call) With(in *input.Matrix, all *process.Group, do func(m Open) error) error {
	if all == nil {
		defer work.ReadWithin(in.MaxMemory)()
	}
	defer in.Limit(c.Context, in.TimeLimit)()
	file, err := in.Open(c.Console)
	if err != nil {
		return err
	}
	defer file.Close()
	ctx, stop := mpirun.Interruptible(all, c.Context) // a signal now leaves no temporary folder
	defer stop()
	defer in.Until(ctx, file)()
	return do(Open{file, ctx, progress.Watch(c.Console, in.Show, in.Quiet)})
}
