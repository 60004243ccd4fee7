package subject

import (
	"errors"
	"os"
	"strings"
	"testing"

	"nmu/bench/internal/machine"
)

func TestCBCL(t *testing.T) {
	t.Setenv("NMU_DATA", t.TempDir())
	if p, why, err := CBCLProblem(""); p != nil || !strings.Contains(why, "NMU_DATA") || err != nil {
		t.Errorf("without the file: %v, %q, %v", p, why, err)
	}
	if _, _, err := CBCLProblem(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder without it: %v", err)
	}
}

// TestCost: the limits of the iterations count 4 and 10 operations for each entry and
// factor, or four numbers for each entry.
func TestCost(t *testing.T) {
	const rows, cols, rank = 70, 30, 6
	for _, b := range Methods {
		c, entries := b.Cost(rows, cols, rank, machine.Float32), float64(rows*cols)
		switch b.Name {
		case "nmf", "gnmu":
			if want := map[string]float64{"nmf": 4, "gnmu": 10}[b.Name] * entries * rank; b.Streams || c.Products != want {
				t.Errorf("%s: %g operations, want %g", b.Title, c.Products, want)
			}
		default:
			if want := 4 * 4 * entries; !b.Streams || c.Read+c.Written != want {
				t.Errorf("%s: %g bytes, want %g", b.Title, c.Read+c.Written, want)
			}
		}
		if none := b.Cost(2, 2, 0, machine.Float64); none.Operations() != 0 {
			t.Errorf("%s has a cost where there is no factorization: %+v", b.Title, none)
		}
	}
}
