package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/options/drawn"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// pythonAgreement prints the hashes of what many runs have in common at rank 3.
const pythonAgreement = pythonDrawn + `
for line in sys.stdin:
    c = json.loads(line)
    p = nmu.consensus(whole, [3, 2, 3], c["Method"], **given(c["Settings"])).points[1]
    print(*[sha256(a) for a in (p.V, p.V_low, p.V_high, p.W, p.W_low, p.W_high, p.map)])
`

// TestConsensusBits: C, Python and the command find in many runs what Go finds.
func TestConsensusBits(t *testing.T) {
	dir := library(t)
	input := table(t, dir, "agreement.csv", func(i, j int) bool { return false })
	var args, want []string
	var lines strings.Builder
	for _, c := range drawn.Agreements() {
		hashes, err := c.Hashes()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, strings.Join(hashes, " "))
		args = append(args, c.Method, "ranks=2 3,"+drawn.Text(c.Settings))
		if err := json.NewEncoder(&lines).Encode(c); err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		flags := slices.Concat([]string{"consensus", input, "--header", "no", "--ranks", "2:3", "--out", out, "--method", c.Method}, drawn.Flags(c.Settings))
		if printed, err := exec.CommandContext(t.Context(), filepath.Join(dir, "nmu"), flags...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, printed)
		}
		for name, hash := range map[string]string{"V-3.npy": hashes[0], "W-3.npy": hashes[3]} {
			file, err := matio.Open(filepath.Join(out, name), matio.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rows, cols, data, err := matio.Dense[float64](file)
			if err != nil || factors.SHA256(lnmu.NewDense(rows, cols, data)) != hash {
				t.Errorf("%v: %s of the command differs from that of Go, %v", c, name, err)
			}
			file.Close()
		}
	}
	for who, printed := range map[string]string{
		"C":      run(t, dir, "check", append([]string{"agreement"}, args...)...),
		"Python": pythonPrints(t, dir, strings.NewReader(lines.String()), pythonAgreement),
	} {
		if got := strings.TrimSpace(printed); got != strings.Join(want, "\n") {
			t.Errorf("%s finds\n%s\nGo\n%s", who, got, strings.Join(want, "\n"))
		}
	}
}
