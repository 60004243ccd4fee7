package main

import (
	"strings"
	"testing"
)

// TestRankAboveSize: nmu rank compares ranks above the sides of the matrix, with the note of nmu factor.
func TestRankAboveSize(t *testing.T) {
	input := textFile(t, "m.csv", "1,2,0\n3,0,1\n0,5,2\n4,1,1\n")
	status, stdout, stderr := nmu("rank", input, "--ranks", "1:5", "--method", "nmf", "--folds", "1", "--iterations", "50")
	if status != 0 || !strings.Contains(stdout, "\n   5 ") || !strings.Contains(stderr, "rank 5 is above 3, the shorter side of the matrix") {
		t.Errorf("status %d, %q, %s", status, stderr, stdout)
	}
}
