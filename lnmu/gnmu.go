package lnmu

import "nmu/internal/combination"

// GNMU is global underapproximation, G-NMU: Algorithm L-NMU at rank r finds all
// factors at once, min ||M - V W||_F over V, W >= 0 with V W <= M.
type GNMU struct {
	Lagrangian
}

// Name implements Method.
func (m GNMU) Name() string { return combination.GNMU.Name }

// Underapproximates implements Method.
func (m GNMU) Underapproximates() bool { return combination.GNMU.Underapproximates }

func (m GNMU) prepare(rank int) (resolved, error) {
	err := m.check(rank)
	return resolved{method: m, block: rank, lagrange: &m.Lagrangian, usual: m.iterations(rank), solve: m.relax(L2, Priors{})}, err
}
