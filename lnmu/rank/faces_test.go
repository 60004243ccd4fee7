package rank

import (
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// The training error of R-NMU falls with every factor, on the faces and on the swimmer
// set; from one run for each fold and one of all entries there are all ranks.
func TestRecursionFalls(t *testing.T) {
	sets := map[string]lnmu.Dense[float64]{}
	set := dataset.Swimmer()
	sets["swimmer"] = lnmu.NewDense(set.Rows, set.Cols, set.Data)
	ranks := 8
	if !testing.Short() {
		ranks = 30
		dir := os.Getenv("NMU_DATA")
		if dir == "" {
			dir = filepath.Join("..", "..", "..", "shared", "data")
		}
		path := filepath.Join(dir, "CBCL.mat")
		if _, err := os.Stat(path); err != nil {
			t.Logf("no CBCL faces: %v; set NMU_DATA to the folder of CBCL.mat", err)
		} else {
			f, err := matio.Open(path, matio.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			rows, cols, x, err := matio.Dense[float64](f)
			if err != nil {
				t.Fatal(err)
			}
			sets["CBCL"] = lnmu.NewDense(rows, cols, x)
		}
	}
	for name, m := range sets {
		var all []int
		for r := range ranks {
			all = append(all, r+1)
		}
		res, err := Curve(t.Context(), m, all, lnmu.RNMU{}, &Settings{Folds: 2})
		if err != nil {
			t.Fatal(err)
		}
		if res.Runs != 3 {
			t.Errorf("%s: %d runs", name, res.Runs)
		}
		for x, p := range res.Points[1:] {
			before := res.Points[x]
			if !(*p.Training < *before.Training) {
				t.Errorf("%s: the training error is %v at rank %d, and %v at rank %d", name, *before.Training, before.Rank, *p.Training, p.Rank)
			}
			if p.HeldOut == nil || p.Agreement == nil {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}
