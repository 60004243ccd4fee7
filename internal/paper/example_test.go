package paper_test

import (
	"fmt"
	"os"
	"strings"

	"nmu/internal/dataset"
	"nmu/internal/paper"
	"nmu/lnmu"
)

// The file of a run holds its tables, which can be written again.
func ExampleRead() {
	const file = `{
  "schema": "nmu-paper/1", "date": "2026-11-20T14:18:12Z", "os": "linux", "arch": "amd64", "level": "avx512", "go": "go1.26",
  "restarts": 10, "seed": 0,
  "sets": [{
    "name": "swimmer", "title": "Swimmer", "source": "Swimmer.mat", "images": 256, "height": 20, "width": 11, "rank": 8,
    "rows": [{
      "name": "NMF", "method": "nmf", "verdict": "agrees",
      "figures": {"plain": 40.408, "scaled": 40.408, "improved": 40.408, "s_v": 84.1, "s_w": 44.9, "sh_v": 73.5, "sh_w": 46, "sh_w_columns": 66.9},
      "paper": {"plain": 40.41, "scaled": null, "improved": 40.41, "s_v": 84, "s_w": 45, "sh_v": 73, "sh_w": 67, "sh_w_columns": null}
    }]
  }]
}`
	tables, err := paper.Read(strings.NewReader(file))
	if err != nil {
		panic(err)
	}
	if err := tables.WriteTable(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// Swimmer: Swimmer.mat, 220 x 256, rank 8
	//        plain  paper  improved  paper  s(V)  paper  s(W)  paper
	//   NMF  40.41  40.41     40.41  40.41    84     84    45     45  agrees
}

// The least error of any factorization of the same rank.
func ExamplePCA() {
	set := dataset.Swimmer()
	pca, err := paper.PCA(lnmu.NewDense(set.Rows, set.Cols, set.Data), 8)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f %%\n", 100*pca.RelativeError)
	// Output:
	// 37.98 %
}
