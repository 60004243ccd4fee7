package lnmu

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"nmu/internal/dataset"
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
	set := dataset.Swimmer()
	m := NewDense[T](set.Rows, set.Cols, nil)
	for i, x := range set.Data {
		m.Data[i] = T(x)
	}
	for _, opt := range []Options[T]{
		{Method: NMF}, {Method: GNMU}, {Method: RNMU},
		{Method: SNMF, SparsityV: 0.94, SparsityW: 0.75}, {Method: Hoyer, HoyerV: 0.8},
		{Method: NMF, Init: InitSVD},
		{Method: GNMU, Feasible: FeasibleFinal, FeasibleSteps: 3}, {Method: RNMU, Feasible: FeasibleEach},
		{Method: RNMU, Norm: L1},
	} {
		opt.Rank, opt.Seed, opt.Restarts, opt.Iterations = 8, 1, 1, 20
		res, err := Factor(context.Background(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s %T", opt.Method, T(0))
		if opt.Init == InitSVD {
			name += " svd"
		}
		if opt.Feasible != "" {
			name += " feasible " + string(opt.Feasible)
		}
		if opt.Norm == L1 {
			name += " l1"
		}
		hashes[name] = goldenHash{V: SHA256(res.V), W: SHA256(res.W)}
	}
}
