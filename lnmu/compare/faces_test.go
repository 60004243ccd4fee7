package compare

import (
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// The training error of R-NMU never rises with a factor that is an underapproximation of
// what the others leave, as FeasibleEach makes it, on the faces and on the swimmer set;
// and one run gives it for all ranks. Without that it may rise: on the faces, for this
// seed, from 17.44 % at rank 23 to 17.48 %.
func TestRecursionFalls(t *testing.T) {
	sets := map[string]lnmu.Dense[float64]{}
	set := dataset.Swimmer()
	sets["swimmer"] = lnmu.NewDense(set.Rows, set.Cols, set.Data)
	if !testing.Short() {
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
	method := lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Feasible: lnmu.FeasibleEach}}
	for name, m := range sets {
		var all []int
		for r := range 8 {
			all = append(all, r+1)
		}
		res, err := HeldOut(t.Context(), m, all, method, &Settings{Folds: 1, Iterations: 30})
		if err != nil {
			t.Fatal(err)
		}
		if res.Runs != 1 || !res.Prefixes {
			t.Errorf("%s: %d runs", name, res.Runs)
		}
		for x, p := range res.Points[1:] {
			before := res.Points[x]
			if !(*p.Training <= *before.Training) || name == "swimmer" && *p.Training == *before.Training {
				t.Errorf("%s: the training error is %v at rank %d, and %v at rank %d", name, *before.Training, before.Rank, *p.Training, p.Rank)
			}
		}
	}
}
