package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/options/drawn"
)

// pythonDrawn begins the programs of Python: the matrices of package drawn, hashes, and arguments.
const pythonDrawn = `
import json, sys
from ctypes import create_string_buffer
import numpy as np
import nmu
from nmu import _library

i, j = np.mgrid[:23, :17]
whole = ((i * i + 3 * i * j + 5 * j) % 7).astype(float)
gaps = np.where((i + 2 * j) % 5 == 1, np.nan, whole)

def sha256(a):
    hex = create_string_buffer(65)
    _library.call("nmu_sha256", _library.Matrix(np.asarray(a)), hex)
    return hex.value.decode()

kinds = {"whole number": int, "number": float, "yes or no": lambda text: text == "true"}

def given(values):
    return {v["Name"].replace("-", "_"): kinds.get(v["Type"], str)(v["Text"]) for v in values or []}
`

// python finds the factors of configurations, one a line, and prints their hashes.
const python = pythonDrawn + `
for line in sys.stdin:
    c = json.loads(line)
    settings = given(c["Settings"])
    m = gaps if settings.get("missing") == "allow" else whole
    both = [nmu.factor(m.astype(t), 4, c["Method"], **given(c["Options"]), **settings) for t in (np.float64, np.float32)]
    print(*[sha256(a) for res in both for a in (res.V, res.W)])
`

// TestDrawnBits: C, with arrays in any order and gaps or a mask, and Python find the bits of Go, whatever is drawn from the
// lists of methods, options and settings; the command does in a test of its own, and here too.
func TestDrawnBits(t *testing.T) {
	dir := library(t)
	rng := rand.New(rand.NewPCG(39, 9))
	var all []drawn.Config
	args, lines := []string{"drawn"}, new(bytes.Buffer)
	for range 200 {
		c, _ := drawn.Draw(rng)
		all = append(all, c)
		args = append(args, c.Method, drawn.Text(c.Options), drawn.Text(c.Settings))
		if err := json.NewEncoder(lines).Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	compare := func(who, printed string, hashes int) {
		found := strings.Split(strings.TrimSpace(printed), "\n")
		if len(found) != len(all) {
			t.Fatalf("%s found %d of %d", who, len(found), len(all))
		}
		for i, c := range all {
			if want := strings.Join(c.Hashes[:hashes], " "); found[i] != want {
				t.Errorf("%v: %s finds %s, Go %s", c, who, found[i], want)
			}
		}
	}
	compare("C", run(t, dir, "check", args...), 4)

	files := map[bool]string{}
	for _, gaps := range []bool{false, true} {
		files[gaps] = table(t, dir, map[bool]string{false: "drawn.csv", true: "drawngaps.csv"}[gaps], func(i, j int) bool { return gaps && drawn.Gap(i, j) })
	}
	var printed strings.Builder
	for _, c := range all {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "nmu"), slices.Concat([]string{"factor", files[c.Gaps()], "--header", "no", "--json"}, c.Flags())...)
		out, _ := cmd.Output() // its status may say that a tolerance was not reached
		var got struct {
			Result struct {
				V string `json:"sha256_v"`
				W string `json:"sha256_w"`
			}
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		printed.WriteString(got.Result.V + " " + got.Result.W + "\n")
	}
	compare("the command", printed.String(), 2)

	compare("Python", pythonPrints(t, dir, lines, python), 4)
}
