package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestDefaultsOfProcesses: several processes take the defaults of one process, whatever is missing
// in whose part.
func TestDefaultsOfProcesses(t *testing.T) {
	table := func(name string, entry func(i, j int) string) string {
		var b strings.Builder
		for i := range 40 {
			for j := range 6 {
				if j > 0 {
					b.WriteByte(',')
				}
				b.WriteString(entry(i, j))
			}
			b.WriteByte('\n')
		}
		return textFile(t, name, b.String())
	}
	number := func(i, j int) string { return fmt.Sprint(1 + math.Abs(math.Sin(float64(7*i+3*j)))) }
	gap := func(i, j int) string { // in the part of the first process
		if i == 2 && j == 3 {
			return ""
		}
		return number(i, j)
	}
	observed := func(i, j int) string {
		if gap(i, j) == "" {
			return "0"
		}
		return "1"
	}
	whole, gaps := table("whole.csv", number), table("gaps.csv", gap)
	mask, ones := table("mask.csv", observed), table("ones.csv", func(int, int) string { return "1" })
	scenes := map[string][]string{
		"complete": {whole}, "no gaps": {whole, "--missing", "allow"}, "gaps": {gaps, "--missing", "allow"},
		"mask": {whole, "--mask", mask}, "mask of ones": {whole, "--mask", ones},
		"weights": {whole, "--weights", mask}, "weights of ones": {whole, "--weights", ones},
		"mask and gaps": {gaps, "--missing", "allow", "--mask", ones},
	}
	methods := []string{"nmf", "nmf --sum-to-one w", "snmf --penalty-v 0.1 --penalty-w 0.1", "kl", "rnmu", "gnmu --solver admm"}
	for name, of := range scenes {
		for _, method := range methods {
			if strings.HasPrefix(name, "weights") && strings.Contains(method, "admm") {
				continue // refused
			}
			args := append([]string{"factor"}, of...)
			args = append(args, strings.Fields("--json --rank 2 --restarts 1 --method "+method)...)
			repeated(t, succeed(t, args...), 3, false, args...)
		}
	}
}
