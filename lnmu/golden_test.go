package lnmu

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden hashes instead of comparing with them")

// goldenFile holds the hashes of the factors of the swimmer set, rank 8, seed 1,
// one restart, 20 iterations (per factor), by method and precision. They are the
// same on every processor, at every level and with every number of threads. If
// the order of operations changes on purpose, write it again with
//
//	go test ./lnmu -run Golden -update
const goldenFile = "testdata/golden.json"

type goldenHash struct {
	V string `json:"sha256_v"`
	W string `json:"sha256_w"`
}

func TestGolden(t *testing.T) {
	got := map[string]goldenHash{}
	goldenHashes[float64](t, got)
	goldenHashes[float32](t, got)
	if *update {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]goldenHash
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(got) {
		t.Errorf("%s has %d entries, want %d", goldenFile, len(want), len(got))
	}
	for name, h := range got {
		if h != want[name] {
			t.Errorf("%s: %+v, want %+v", name, h, want[name])
		}
	}
}

func goldenHashes[T Float](t *testing.T, hashes map[string]goldenHash) {
	m := swimmer[T]()
	for _, c := range []struct {
		method Method
		init   Init
		also   string // the name of the hash after the method and the precision
	}{
		{NMF{}, "", ""}, {GNMU{}, "", ""}, {RNMU{}, "", ""},
		{SNMF{SparsityV: 0.94, SparsityW: 0.75}, "", ""}, {Hoyer{SparsenessV: 0.8}, "", ""},
		{NMF{}, InitSVD, " svd"},
		{GNMU{Lagrangian{Feasible: FeasibleFinal, ExactSteps: 3}}, "", " feasible final"},
		{RNMU{Lagrangian: Lagrangian{Feasible: FeasibleEach}}, "", " feasible each"},
		{RNMU{Norm: L1}, "", " l1"},
		{GNMU{Lagrangian{Solver: SolverADMM, Rho: 3}}, "", " admm"}, {RNMU{Lagrangian: Lagrangian{Solver: SolverADMM}}, "", " admm"},
		{NMF{Solver: SolverAccelerated}, "", " accelerated"},
		{SNMF{PenaltyV: 0.1, PenaltyW: 0.2, Solver: SolverAccelerated}, "", " accelerated"},
		{GNMU{Lagrangian{StepsPerUpdate: 1, Sweeps: 5}}, "", " sweeps"},
	} {
		res, err := Factor(t.Context(), m, 8, c.method, &Settings{Init: c.init, Seed: 1, Restarts: 1, Iterations: 20})
		if err != nil {
			t.Fatal(err)
		}
		hashes[fmt.Sprintf("%s %T%s", nameOf(c.method), T(0), c.also)] = goldenHash{V: SHA256(res.V), W: SHA256(res.W)}
	}
}
