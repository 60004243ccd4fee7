package main

import (
	"fmt"
	"strings"
	"testing"

	"nmu/lnmu"
)

// pythonEstimates prints estimates of M by its sizes, in memory and by columns.
const pythonEstimates = `
import numpy as np
import nmu

for method, options in (("nmf", {}), ("rnmu", {"restarts": 2}), ("kl", {"missing": "allow"})):
    print(*nmu.estimate((4000, 300), 8, method, threads=2, dtype=np.float32, **options))
print(*nmu.estimate(np.ones((400, 300)), 8, "nmf", threads=2))
print(*nmu.estimate(np.ones((300, 400)).T, 8, "nmf", threads=2))
`

// TestEstimates: C and Python estimate what Go does.
func TestEstimates(t *testing.T) {
	dir := library(t)
	var want []string
	add := func(e lnmu.Estimate, err error) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(e.Memory, e.Scratch, e.Reads, e.Writes))
	}
	for i, method := range []lnmu.Method{lnmu.NMF{}, lnmu.RNMU{}, lnmu.KL{}} {
		m := lnmu.Unread[float32]{Rows: 4000, Cols: 300, Missing: i == 2}
		with, s, err := lnmu.Check(m, 8, method, &lnmu.Settings{Threads: 2, Start: lnmu.Start{Restarts: []int{0, 2, 0}[i]}})
		if err != nil {
			t.Fatal(err)
		}
		add(lnmu.EstimateOf(m, 8, with, &s))
	}
	for _, byColumns := range []bool{false, true} {
		m := lnmu.Strided[float64]{Rows: 400, Cols: 300, Data: make([]float64, 400*300), RowStride: 300, ColStride: 1}
		if byColumns {
			m.RowStride, m.ColStride = 1, 400
		}
		with, s, err := lnmu.Check(m, 8, lnmu.NMF{}, &lnmu.Settings{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		add(lnmu.EstimateOf(m, 8, with, &s))
	}
	if got := strings.TrimSpace(pythonPrints(t, dir, nil, pythonEstimates)); got != strings.Join(want, "\n") {
		t.Errorf("Python estimates\n%s\nGo\n%s", got, strings.Join(want, "\n"))
	}
}
