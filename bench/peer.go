package bench

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"nmu/lnmu"
)

// Job is one piece of work given to every peer: the same data, the same start,
// the same number of iterations.
type Job struct {
	Method  lnmu.Method // NMF, GNMU or RNMU, with no option but StepsPerUpdate
	M       *mat.Dense  // m x n, nonnegative
	V       *mat.Dense  // m x r, the start
	W       *mat.Dense  // r x n, the start
	Iters   int         // iterations; of each factor for RNMU
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

// check fills in the defaults of the method. It returns an error that wraps ErrOption
// if j describes no work.
func (j Job) check() (Job, error) {
	if j.Method == nil {
		return j, fmt.Errorf("%w: a job without a method", ErrOption)
	}
	name := nameOf(j.Method)
	if _, err := benchedBy(name); err != nil {
		return j, err
	}
	bad := func(format string, args ...any) (Job, error) {
		return j, fmt.Errorf("%w: %s job: %s", ErrOption, name, fmt.Sprintf(format, args...))
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
	if !reflect.DeepEqual(j.Method, withSteps(j.Method, steps(j.Method))) {
		return bad("options %+v; peers have none but StepsPerUpdate", j.Method)
	}
	method, _, err := lnmu.WithDefaults(m, n, r, j.Method, nil)
	if err != nil {
		return bad("%v", err)
	}
	j.Method = method
	return j, nil
}

// withSteps returns the method with T HALS steps per iteration and no other option.
func withSteps(method lnmu.Method, steps int) lnmu.Method {
	l := lnmu.Lagrangian{StepsPerUpdate: steps}
	switch method.(type) {
	case lnmu.GNMU:
		return lnmu.GNMU{Lagrangian: l}
	case lnmu.RNMU:
		return lnmu.RNMU{Lagrangian: l}
	}
	return lnmu.NMF{}
}

// steps returns T of a method, 1 for NMF.
func steps(method lnmu.Method) int {
	switch m := method.(type) {
	case lnmu.GNMU:
		return m.StepsPerUpdate
	case lnmu.RNMU:
		return m.StepsPerUpdate
	}
	return 1
}
