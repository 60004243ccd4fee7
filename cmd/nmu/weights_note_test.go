package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestMajorizeNote: --missing-solver majorize with weights for which exact is the default prints a
// note that names exact, and no other run does.
func TestMajorizeNote(t *testing.T) {
	input := textFile(t, "m.csv", "1,2,3,1\n2,1,4,2\n3,3,1,5\n")
	weights := func(largest float64) string {
		return textFile(t, "w.csv", fmt.Sprintf("1,1,2,1.5\n%v,1,1,1\n1,2,2,1\n", largest))
	}
	for _, c := range []struct {
		largest float64
		args    []string
		want    bool
	}{
		{100, []string{"--method", "nmf", "--missing-solver", "majorize"}, true},
		{5, []string{"--method", "nmf", "--missing-solver", "majorize"}, false},
		{5, []string{"--method", "gnmu", "--missing-solver", "majorize"}, true},
		{100, []string{"--method", "nmf", "--missing-solver", "exact"}, false},
		{100, []string{"--method", "nmf"}, false},
	} {
		status, _, stderr := nmu(append([]string{"factor", input, "--rank", "2", "--iters", "3", "--restarts", "1", "--weights", weights(c.largest)}, c.args...)...)
		if noted := strings.Contains(stderr, "the missing solver majorize may stop far from the minimum; exact, the default, does not"); status != 0 || noted != c.want {
			t.Errorf("largest weight %v, %v: status %d, %q", c.largest, c.args, status, stderr)
		}
	}
}
