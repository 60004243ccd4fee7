package lnmutest_test

import (
	"math"
	"testing"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/support"
)

// TestSparsityOfTinyNumbers: an entry is negligible below a thousandth of the largest one, zeros
// always, down to the smallest positive number. It counts the same in a column of any size.
func TestSparsityOfTinyNumbers(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testSparsityOfTinyNumbers[float64](t, -1074) })
	t.Run("float32", func(t *testing.T) { testSparsityOfTinyNumbers[float32](t, -149) })
}

func testSparsityOfTinyNumbers[T kernel.Float](t *testing.T, smallest int) {
	for _, most := range []float64{1, 2, 900, 1000, 1001, 1499, 1600, 1e4, 1e6} {
		entries := []float64{0, 0, most}
		for _, x := range []float64{1, 2, 10, 11} {
			entries = append(entries, min(x, most))
		}
		zeros := 0
		for _, x := range entries {
			if x == 0 || 1000*x < most {
				zeros++
			}
		}
		for _, exponent := range []int{smallest, smallest + 1, 0} {
			x := kernel.NewMatrix[T](1, len(entries))
			for j, a := range entries {
				x.Row(0)[j] = T(math.Ldexp(a, exponent))
			}
			got, _ := support.Sparsity(group.Self{}, x, len(entries))
			if want := float64(zeros) / float64(len(entries)); math.Abs(got-want) > 1e-15 {
				t.Errorf("%v times 2^%d: s is %v, want %v", entries, exponent, got, want)
			}
		}
	}
}
