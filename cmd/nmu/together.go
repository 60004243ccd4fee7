package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"nmu/internal/memory"
	"nmu/internal/mpi"
)

// worldKey is the context key of the world of a test.
type worldKey struct{}

// worldOf starts MPI.
func worldOf(ctx context.Context) (world, error) {
	if w, ok := ctx.Value(worldKey{}).(world); ok {
		return w, nil
	}
	w, err := mpi.Init()
	if err != nil {
		return nil, misuse(fmt.Errorf("--%s: %w", nameMPI, err))
	}
	return w, nil
}

// runAll runs work in all processes that mpirun has started. It gives work these
// processes.
func runAll(cmd *cobra.Command, work func(all *processes) error) error {
	started, err := worldOf(cmd.Context())
	if err != nil {
		return err
	}
	all := &processes{world: started, stderr: cmd.ErrOrStderr()}
	if all.helper() {
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
	}
	err = all.agree(work(all), "")
	// After a signal mpirun keeps who ends MPI until it kills all: process 0, which has
	// something to say, does not wait for that.
	if interrupt := (*interruptError)(nil); all.helper() || !errors.As(err, &interrupt) {
		all.Finalize()
	}
	if all.helper() {
		return nil // mpirun would end process 0 at once, whose error and status count
	}
	return err
}

// share divides the memory and the processors of a machine among the processes on it,
// unless the limit of memory or the number of threads is set.
func (p *processes) share(maxMemory *memoryLimit, threads *int) {
	if p == nil {
		return
	}
	local := p.Local()
	free := memory.Free() / int64(local)
	if *maxMemory == 0 {
		*maxMemory = memoryLimit(free)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(free)
	}
	if *threads == 0 {
		*threads = max(1, min(runtime.GOMAXPROCS(0), p.Processors()/local))
	}
	p.Threads(*threads)
}
