package peer

import (
	"context"
	"fmt"
	"math"
	"os"

	"nmu/bench/internal/machine"
)

// Gemm times matrix products with the BLAS of NumPy.
type Gemm struct {
	script *script
	core   string
}

// NewGemm finds the BLAS of NumPy and the fastest OPENBLAS_CORETYPE for products of n x n
// matrices. The error wraps ErrNotInstalled.
func NewGemm(ctx context.Context, n int) (*Gemm, error) {
	g := &Gemm{script: &script{name: "numpy", file: "gemm_peer.py", interpreters: pythons()}}
	if _, err := g.script.Available(ctx); err != nil {
		return nil, err
	}
	best, least := "", math.Inf(1)
	for _, core := range coreTypes() {
		g.core = core
		if x, err := g.Seconds(ctx, machine.Float64, 1, n); err == nil && x < least {
			best, least = core, x
		}
	}
	g.core = best
	return g, nil
}

// About names the library and the core type.
func (g *Gemm) About() string { return g.script.about.BLAS + " " + g.core }

// Seconds returns the seconds of one product of n x n matrices.
func (g *Gemm) Seconds(ctx context.Context, t machine.Type, threads, n int) (float64, error) {
	dir, err := g.script.unpack()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	r, err := g.script.call(ctx, dir, g.script.command, threads, g.core, fmt.Sprintf("%d,%s", n, t))
	if err == nil && !(r.Seconds > 0) {
		err = fmt.Errorf("bench: %s reported %g seconds", g.script.name, r.Seconds)
	}
	return r.Seconds, err
}
