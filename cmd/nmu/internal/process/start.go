package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"nmu/cmd/nmu/internal/exit"
	"nmu/cmd/nmu/internal/flags"
	"nmu/internal/memory"
	"nmu/internal/mpi"
)

// WorldKey is the context key of a [World] in which a test runs, instead of that of MPI.
type WorldKey struct{}

// worldOf starts MPI.
func worldOf(ctx context.Context) (World, error) {
	if w, ok := ctx.Value(WorldKey{}).(World); ok {
		return w, nil
	}
	w, err := mpi.Init()
	if err != nil {
		return nil, exit.Misuse(fmt.Errorf("--%s: %w", FlagName, err))
	}
	return w, nil
}

// Run runs work in all processes that mpirun has started. It gives work these
// processes.
func Run(cmd *cobra.Command, work func(all *Group) error) error {
	started, err := worldOf(cmd.Context())
	if err != nil {
		return err
	}
	all := &Group{World: started, stderr: cmd.ErrOrStderr()}
	if all.Helper() {
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
	}
	err = all.Agree(work(all), "")
	// After a signal mpirun keeps who ends MPI until it kills all: process 0, which has
	// something to say, does not wait for that.
	if interrupt := (*exit.InterruptError)(nil); all.Helper() || !errors.As(err, &interrupt) {
		all.Finalize()
	}
	if all.Helper() {
		return nil // mpirun would end process 0 at once, whose error and status count
	}
	return err
}

// Share divides the memory and the processors of a machine among the processes on it,
// unless the limit of memory or the number of threads is set.
func (p *Group) Share(maxMemory *flags.Size, threads *int) {
	if p == nil {
		return
	}
	local := p.Local()
	free := memory.Free() / int64(local)
	if *maxMemory == 0 {
		*maxMemory = flags.Size(free)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		p.Limit(free)
	}
	if *threads == 0 {
		*threads = max(1, min(runtime.GOMAXPROCS(0), p.Processors()/local))
	}
	p.Threads(*threads)
}
