package lnmutest

import (
	"testing"

	"nmu/internal/must"
)

// TestRotation: the short form of a test runs every method and every case, and no pair more than
// that takes; with as many turns as there are cases it would run all pairs.
func TestRotation(t *testing.T) {
	for methods := 1; methods <= 20; methods++ {
		for cases := 1; cases <= 8; cases++ {
			taken := make([][]int, methods)
			for i := range taken {
				taken[i] = make([]int, cases)
			}
			every := min(methods, cases)
			for turn := range every {
				r, pairs := rotate(methods, cases, turn), 0
				ofCase := make([]int, cases)
				for i := range methods {
					ofMethod := 0
					for k := range cases {
						if r.Takes(i, k) {
							taken[i][k]++
							ofMethod++
							ofCase[k]++
							pairs++
						}
					}
					if ofMethod == 0 {
						t.Errorf("%d methods, %d cases, turn %d: method %d has no case", methods, cases, turn, i)
					}
				}
				for k, n := range ofCase {
					if n == 0 {
						t.Errorf("%d methods, %d cases, turn %d: case %d has no method", methods, cases, turn, k)
					}
				}
				must.AtMost(t, pairs, (methods*cases+every-1)/every, methods, "methods", cases, "cases, turn", turn)
			}
			for i := range taken {
				for k, n := range taken[i] {
					must.Equal(t, n, 1, methods, "methods", cases, "cases: method", i, "has case", k, "in")
				}
			}
		}
	}
}

// TestRotationFull: the long form of a test runs all pairs.
func TestRotationFull(t *testing.T) {
	t.Setenv("NMU_FULL", "1")
	r := Rotate(5, 3, 2)
	for i := range 5 {
		for k := range 3 {
			if !r.Takes(i, k) {
				t.Errorf("method %d has no case %d", i, k)
			}
		}
	}
}
