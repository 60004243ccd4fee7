package lnmu

// GNMU is global underapproximation, G-NMU: Algorithm L-NMU at rank r finds all
// factors at once, min ||M - V W||_F over V, W >= 0 with V W <= M.
type GNMU struct {
	Lagrangian
}

// Describe implements Method.
func (m GNMU) Describe() Description {
	return describe(Description{
		Name:              "gnmu",
		Title:             "global underapproximation, V W <= M: all factors at once",
		Problem:           "min ||M - V W|| under V W <= M, by Lagrangian relaxation (Algorithm L-NMU)",
		Factors:           "sparse",
		Iterations:        240,
		Underapproximates: true,
		Method:            m,
		Words:             relaxationWords(),
	})
}

func (m GNMU) prepare(rank int) (resolved, error) {
	err := m.check(rank)
	return resolved{method: m, block: rank, lagrange: &m.Lagrangian, most: m.iterations(rank), solve: m.relax(L2, Priors{})}, err
}
