package main

import (
	"os"
	"path/filepath"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/model"
)

// A model gives the weights that the folder of its run gives, also of rows in another order. So
// does the model that Go reads from the folder.
func TestTransformByModel(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"known.csv": "name,a,b,c,d\nsun,3,0,1,2\nsea,1,4,0,2\nsand,0,2,5,1\n",
		"next.csv":  "name,e,f\nsand,1,2\nsun,4,0\nsea,0,3\n",
	} {
		write(t, name, text)
	}
	succeed(t, "factor", "known.csv", "--rank", "2", "--method", "kl", "--seed", "4", "--scale", "topics", "--out", "run")
	kept, err := model.Read[float64]("run")
	if err != nil {
		t.Fatal(err)
	}
	if _, kl := kept.Method.Describe().Method.(lnmu.KL); !kl || !kept.Topics || len(kept.RowNames) != 3 {
		t.Fatalf("the folder is the model %+v", kept)
	}
	if err := kept.Save("parts.npz"); err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, basis := range []string{"run", "parts.npz"} {
		out := "by-" + filepath.Base(basis)
		succeed(t, "transform", basis, "next.csv", "--out", out)
		for _, name := range []string{"W.npy", "mixtures.npy"} {
			data, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			if before, seen := sums[name]; seen && before != string(data) {
				t.Errorf("%s: %s is another one than by the folder", basis, name)
			}
			sums[name] = string(data)
		}
	}
	write(t, "other.csv", "name,e\nsun,4\nsea,0\nsnow,1\n")
	fails(t, []string{"parts.npz", "snow"}, "transform", "parts.npz", "other.csv")
}
