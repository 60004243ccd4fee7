//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/must"
)

// A mapped file that shrinks or changes during a run ends it with one line, and
// nothing is written.
func TestInputChanged(t *testing.T) {
	const rows, cols = 2000, 300 // 4.8 MB, so mapped; tall, so gnmu reads it in place
	m := entries(rows, cols, func(k int) float64 { return float64(k%13*7%13) + 1 })
	basis := filepath.Join(t.TempDir(), "V.npy")
	v := entries(rows, 70, func(k int) float64 { return float64(k%17*7%17) + 1 }) // large enough to be mapped
	writeMatrix(t, basis, v)
	mapped := must.Get(matio.Open(basis, matio.Options{}))(t)
	defer mapped.Close()
	if _, err := data.Dense[float64](mapped); err != nil || !mapped.Mapped() {
		t.Skipf("mapped files cannot be used on this machine (%v)", err)
	}
	shrink := func(path string) error { return os.Truncate(path, 4096) }
	touch := func(path string) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) }
	const long = " --restarts 1 --iterations 100000000 --time-limit "
	for i, c := range []struct {
		name, says, args string
		change           func(path string) error
	}{
		{"in place", "shrank or could not be read", "factor INPUT --rank 3 --method gnmu" + long, shrink},
		{"copied", "the file has changed", "factor INPUT --rank 3 --method nmf" + long, touch},
		{"recursion", "the file has changed", "factor INPUT --rank 3" + long, touch},
		{"transform", "the file has changed", "transform " + basis + " INPUT --tolerance 1e-300 --iterations ", touch},
	} {
		if strings.HasPrefix(c.args, "transform") && testing.Short() {
			continue // its sweeps have no time limit, and -short is for slow machines too
		}
		for k, threads := range []string{"1", "2"} {
			if os.Getenv("NMU_FULL") == "" && (i+k)%2 > 0 {
				continue
			}
			t.Run(c.name+", threads "+threads, func(t *testing.T) {
				// The change is to come after the file was opened and before the end. Where
				// it does not, all takes longer: the machine may be slow.
				for after := 50 * time.Millisecond; after < 20*time.Second; after *= 2 {
					input, out := filepath.Join(t.TempDir(), "m.npy"), filepath.Join(t.TempDir(), "out")
					writeMatrix(t, input, m)
					args := strings.Fields(strings.ReplaceAll(c.args, "INPUT", input))
					if args[0] == "factor" {
						args = append(args, (4 * after).String())
					} else {
						args = append(args, strconv.FormatInt(20*after.Milliseconds(), 10))
					}
					failed := make(chan error, 1)
					time.AfterFunc(after, func() { failed <- c.change(input) })
					status, stdout, stderr := nmu(append(args, "--threads", threads, "--out", out)...)
					must.Do(t, <-failed)
					if !strings.Contains(stderr, c.says) {
						t.Logf("after %v: status %d, %q", after, status, stderr)
						continue
					}
					if status != exit.StatusError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "nmu: "+input+": ") || !strings.Contains(stderr, "copy it first") {
						t.Errorf("status %d, output %q, not one line that names the file and says what to do: %q", status, stdout, stderr)
					}
					noFile(t, out)
					return
				}
				t.Errorf("the run has never said that %q", c.says)
			})
		}
	}
}
