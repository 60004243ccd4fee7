package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/options/drawn"
	"nmu/internal/record"
)

// tableOf returns the matrix of package drawn as a table, with empty cells for its gaps.
func tableOf(gaps bool) string {
	var b strings.Builder
	m := drawn.Matrix(gaps)
	for i := range m.Rows {
		for j, x := range m.Row(i) {
			if x == x {
				fmt.Fprint(&b, x)
			}
			b.WriteByte(",\n"[j/(m.Cols-1)])
		}
	}
	return b.String()
}

// TestDrawnBits: the command finds the bits of Go, whatever is drawn from the lists of methods,
// options and settings. The C library and Python are compared in package capi.
func TestDrawnBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 39))
	files := map[bool]string{false: textFile(t, "whole.csv", tableOf(false)), true: textFile(t, "gaps.csv", tableOf(true))}
	refused := 0
	for range 10 {
		c, more := drawn.Draw(rng)
		refused += more
		var got record.Factor
		status, stdout, stderr := nmu(append([]string{"factor", files[c.Gaps()], "--header", "no", "--json"}, c.Flags()...)...)
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 && status != 3 { // 3: the tolerance was not reached
			t.Fatalf("%v: status %d, %v, %s", c, status, err, stderr)
		}
		must.Equal(t, got.SHA256V+" "+got.SHA256W, strings.Join(c.Hashes[:2], " "), c, "gives the command other bits than Go")
	}
	must.AtMost(t, refused, 1000, "configurations were refused")
}
