package bench

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nmu/lnmu"
)

// Job is one piece of work given to every peer: the same data, the same start,
// the same number of iterations.
type Job struct {
	Method  lnmu.Method
	M       *mat.Dense // m x n, nonnegative
	V       *mat.Dense // m x r, the start
	W       *mat.Dense // r x n, the start
	Iters   int        // iterations; of each factor for lnmu.RNMU
	Inner   int        // HALS steps per iteration, T of the paper; unused by lnmu.NMF
	Threads int
	Type    Type
}

// Outcome is what a peer reports: the time of the algorithm alone, without
// reading, starting a program or computing the error.
type Outcome struct {
	Seconds       float64 `json:"seconds"`
	RelativeError float64 `json:"relative_error"` // ||M - VW||_F / ||M||_F

	Program  string `json:"program"`
	Version  string `json:"version"`
	BLAS     string `json:"blas,omitempty"`      // library and the kernels it chose
	CoreType string `json:"core_type,omitempty"` // OPENBLAS_CORETYPE that was fastest
}

// Peer is another implementation of the same algorithms.
type Peer interface {
	// Name names the peer.
	Name() string
	// Available returns the version of the peer, or an error that wraps
	// ErrNotInstalled and names what is missing.
	Available(ctx context.Context) (version string, err error)
	// Run does the work. The job is not changed. Errors wrap ErrOption for a
	// bad job, ErrUnsupported for one this peer cannot do, ErrNotInstalled, or
	// the error of ctx.
	Run(ctx context.Context, job Job) (Outcome, error)
}

// Errors of peers; those returned wrap them.
var (
	ErrNotInstalled = errors.New("bench: not installed")
	ErrUnsupported  = errors.New("bench: not supported by this peer")
)

// check returns an error that wraps ErrOption if j describes no work.
func (j Job) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s job: %s", ErrOption, j.Method, fmt.Sprintf(format, args...))
	}
	switch j.Method {
	case lnmu.NMF:
	case lnmu.GNMU, lnmu.RNMU:
		if j.Inner < 1 {
			return bad("%d HALS steps per iteration; at least 1 is needed", j.Inner)
		}
	default:
		return fmt.Errorf("%w: method %q; %s, %s and %s exist", ErrOption, j.Method, lnmu.NMF, lnmu.GNMU, lnmu.RNMU)
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
	if j.Iters < 0 {
		return bad("%d iterations", j.Iters)
	}
	if j.Threads < 1 {
		return bad("%d threads", j.Threads)
	}
	if j.Type != Float64 && j.Type != Float32 {
		return bad("type %q; %s and %s exist", j.Type, Float64, Float32)
	}
	return nil
}
