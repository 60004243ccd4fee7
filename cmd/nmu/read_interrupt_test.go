package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
)

// A command that a signal ends while it reads the matrix says so, and writes nothing.
func TestInterruptReading(t *testing.T) {
	input := filepath.Join(t.TempDir(), "a.npy")
	if err := matio.WriteNpy(input, 2, 2, []float32{1, 2, 3, 4}, 2); err != nil { // which float64 does not map
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct{ args, says string }{
		{"factor IN --rank 1", "interrupted before the matrix was read; nothing is written"},
		{"rank IN --ranks 1", "interrupted"},
		{"convert IN --order columns", "interrupted; nothing is written"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := strings.Fields(strings.Replace(c.args, "IN", input, 1) + " --out " + out)
		if args[0] == "convert" {
			args = append(args[:len(args)-2], out+".npy")
		}
		var stdout, stderr bytes.Buffer
		if status := execute(ended, args, nil, &stdout, &stderr); status != 130 || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s: status %d, %s", c.args, status, &stderr)
		}
		noFile(t, out)
		noFile(t, out+".npy")
	}
}
