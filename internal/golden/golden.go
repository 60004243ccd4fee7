// Package golden lists factorizations with recorded hashes: the swimmer set at rank 8, seed 1,
// one restart, 20 iterations (per factor), by every method and in both precisions. The hashes
// are the same on every processor, at every level and with every number of threads. The tests
// of package lnmu and nmu selftest compare with them. If the order of operations changes on
// purpose, record them again with
//
//	go test ./lnmu -run Golden -update
//
// which writes lnmu/testdata/golden.json.
package golden

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"nmu/internal/dataset"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/testdata"
)

// Case is a factorization with recorded hashes.
type Case struct {
	Method lnmu.Method
	Init   lnmu.Choice
	Also   string // what its name says after the method and the precision
	Gaps   bool   // every seventh entry is missing
}

// Cases returns all cases.
func Cases() []Case {
	return []Case{
		{lnmu.NMF{Solver: lnmu.SolverHALS}, "", "", false}, {lnmu.GNMU{}, "", "", false}, {lnmu.RNMU{}, "", "", false},
		{lnmu.SNMF{SparsityV: 0.94, SparsityW: 0.75}, "", "", false}, {lnmu.Hoyer{HoyerV: 0.8}, "", "", false},
		{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.InitSVD, "svd", false},
		{lnmu.GNMU{Feasible: lnmu.FeasibleFinal, FeasibleSteps: 3}, "", "feasible final", false},
		{lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}, "", "feasible each", false},
		{lnmu.RNMU{Norm: lnmu.L1}, "", "l1", false},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 3}, "", "admm", false},
		{lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, "", "admm", false},
		{lnmu.NMF{}, "", "accelerated", false},
		{lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.2}, "", "accelerated", false},
		{lnmu.GNMU{Inner: 1, Sweeps: 5}, "", "sweeps", false},
		{lnmu.RNMU{GNMU: lnmu.GNMU{Inner: 1, StepOffset: 1, Multipliers: lnmu.MultipliersStart}}, lnmu.InitSVD, "authors", false},
		{lnmu.RNMU{ThresholdV: 0.2, SparsityW: 0.6}, "", "sparse", false},
		{lnmu.RNMU{SmoothV: 0.1, ShapeV: [2]int{11, 20}}, "", "smooth l1", false},
		{lnmu.RNMU{SmoothV: 0.3, ShapeV: [2]int{11, 20}, SmoothNorm: lnmu.L2}, "", "smooth l2", false},
		{lnmu.KL{}, "", "", false}, {lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.2}, "", "gaps", true},
		{lnmu.KL{Solver: lnmu.SolverCoordinate}, "", "coordinate", false}, {lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.2, Solver: lnmu.SolverCoordinate}, lnmu.InitSNPA, "coordinate, gaps", true},
		{lnmu.SNMF{PenaltyV: 0.1, L2V: 0.2, L2W: 0.3, Solver: lnmu.SolverHALS}, "", "l2", false}, {lnmu.NMF{L2V: 0.2, L2W: 0.3}, "", "l2, gaps", true},
		{lnmu.KL{L2V: 0.2, L2W: 0.3}, "", "l2", false}, {lnmu.KL{L2V: 0.2, L2W: 0.3, PenaltyW: 0.1, Solver: lnmu.SolverCoordinate}, lnmu.InitSNPA, "l2, coordinate, gaps", true},
		{lnmu.NMF{}, "", "gaps", true}, {lnmu.GNMU{}, "", "gaps", true}, {lnmu.RNMU{}, "", "gaps", true},
		{lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, "", "admm, gaps", true},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 3}, "", "admm, gaps", true},
	}
}

// Hashes are factors.SHA256 of the factors.
type Hashes struct {
	V string `json:"sha256_v"`
	W string `json:"sha256_w"`
}

// Name returns the name of the hashes of the case in precision T: the method, float64 or
// float32, and Also.
func Name[T lnmu.Float](c Case) string {
	name := fmt.Sprintf("%s %T", c.Method.Name(), T(0))
	if c.Also != "" {
		name += " " + c.Also
	}
	return name
}

// Factor factors the case in precision T and returns the hashes. Errors are those of
// lnmu.Factor.
func Factor[T lnmu.Float](ctx context.Context, c Case) (Hashes, error) {
	set := dataset.Swimmer()
	m := lnmu.NewDense[T](set.Rows, set.Cols, nil)
	for i, x := range set.Data {
		m.Data[i] = T(x)
	}
	settings := lnmu.Settings{Start: lnmu.Start{Init: c.Init, Seed: 1, Restarts: 1}, Limits: lnmu.Limits{Iterations: 20}}
	seen := lnmu.Observed[T]{Matrix: m}
	if c.Gaps {
		seen.Mask = lnmu.NewMask(m.Rows, m.Cols)
		for at := 0; at < len(m.Data); at += 7 {
			seen.Mask.Set(at/m.Cols, at%m.Cols, false)
			m.Data[at] = T(math.NaN())
		}
	}
	res, err := lnmu.Factor(ctx, seen, 8, c.Method, &settings)
	if err != nil {
		return Hashes{}, err
	}
	return Hashes{V: factors.SHA256(res.V), W: factors.SHA256(res.W)}, nil
}

// Recorded returns the recorded hashes by name.
func Recorded() (map[string]Hashes, error) {
	var hashes map[string]Hashes
	if err := json.Unmarshal(testdata.Golden, &hashes); err != nil {
		return nil, fmt.Errorf("the recorded hashes: %w", err)
	}
	return hashes, nil
}
