// Package peer runs other implementations of the methods on the same data, from the same
// start, for the same number of iterations: gonum in this process, and NumPy, scikit-learn
// and GNU Octave through scripts.
package peer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nmu/bench/internal/machine"
)

// Job is one piece of work given to every peer: the same data, the same start,
// the same number of iterations.
type Job struct {
	Method     string     // NMF, GNMU or RNMU
	Steps      int        // HALS steps per iteration, T of the paper; 1 for NMF
	M          *mat.Dense // m x n, nonnegative
	V          *mat.Dense // m x r, the start
	W          *mat.Dense // r x n, the start
	Iterations int        // of each factor for RNMU
	Threads    int
	Type       machine.Type
}

// Outcome is the result of a peer. The time is that of the algorithm alone, without
// reading files, starting a program or computing the error.
type Outcome struct {
	Seconds       float64 `json:"seconds"`
	RelativeError float64 `json:"relative_error"` // ||M - VW||_F / ||M||_F

	Program  string `json:"program"`
	Version  string `json:"version"`
	BLAS     string `json:"blas,omitempty"`      // library and the kernels it chose
	CoreType string `json:"core_type,omitempty"` // fastest OPENBLAS_CORETYPE
}

// Peer is another implementation of the same algorithms.
type Peer interface {
	// Name names the peer.
	Name() string
	// Available returns the version of the peer, or an error that wraps
	// ErrNotInstalled and names what is missing.
	Available(ctx context.Context) (version string, err error)
	// Run does the work. It does not change the job. Errors wrap machine.ErrOption for a bad
	// job, ErrUnsupported for a job that this peer does not support, ErrNotInstalled, or the
	// error of ctx.
	Run(ctx context.Context, job Job) (Outcome, error)
}

// Errors of peers. Returned errors wrap them.
var (
	ErrNotInstalled = errors.New("bench: not installed")
	ErrUnsupported  = errors.New("bench: not supported by this peer")
)

// Names of the methods of the paper.
const (
	NMF  = "nmf"
	GNMU = "gnmu"
	RNMU = "rnmu"
)

// check returns an error that wraps machine.ErrOption if j is not a valid job.
func (j Job) check() error {
	methods := []string{NMF, GNMU, RNMU}
	if !slices.Contains(methods, j.Method) {
		return fmt.Errorf("%w: no method %q; there are %v", machine.ErrOption, j.Method, methods)
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s job: %s", machine.ErrOption, j.Method, fmt.Sprintf(format, args...))
	}
	if j.M == nil || j.V == nil || j.W == nil || j.M.IsEmpty() || j.V.IsEmpty() || j.W.IsEmpty() {
		return bad("M, V or W is missing")
	}
	m, n := j.M.Dims()
	vm, r := j.V.Dims()
	wr, wn := j.W.Dims()
	if vm != m || wr != r || wn != n {
		return bad("shapes M %dx%d, V %dx%d, W %dx%d do not fit", m, n, vm, r, wr, wn)
	}
	if j.Steps < 1 {
		return bad("%d HALS steps per iteration", j.Steps)
	}
	if j.Iterations < 0 {
		return bad("%d iterations", j.Iterations)
	}
	if j.Threads < 1 {
		return bad("%d threads", j.Threads)
	}
	if j.Type != machine.Float64 && j.Type != machine.Float32 {
		return bad("type %q; %s and %s exist", j.Type, machine.Float64, machine.Float32)
	}
	return nil
}
