package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"nmu/internal/must"
)

var update = flag.Bool("update", false, "write the tables of README.md and docs/speed.md from docs/bench.txt and docs/peers.json")

// iterationTable returns the table of docs/speed.md from the output of BenchmarkIteration on the faces.
func iterationTable(t *testing.T, path string) string {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	values := map[string][]float64{} // by method, type, threads and unit
	for r := benchfmt.NewReader(file, path); r.Scan(); {
		res, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		for _, v := range res.Values {
			name := string(res.Name.Full())
			name = name[:strings.LastIndex(name, "-")]
			values[name+" "+v.Unit] = append(values[name+" "+v.Unit], v.Value)
		}
	}
	table := "| | threads | float64, iteration | of the limit | whole job | float32, iteration | of the limit | whole job |\n|---|---:|---:|---:|---:|---:|---:|---:|\n"
	for _, x := range [][2]string{{"nmf", "NMF, 600 iterations"}, {"gnmu", "G-NMU, 240 iterations"}, {"rnmu", "R-NMU, 180 iterations of each factor"}} {
		for threads := 1; threads <= 2; threads++ {
			table += fmt.Sprintf("| %s | %d |", x[1], threads)
			for _, kind := range []string{"float64", "float32"} {
				at := func(unit string) float64 {
					v := values[fmt.Sprintf("Iteration/data=cbcl/method=%s/type=%s/threads=%d %s", x[0], kind, threads, unit)]
					if len(v) == 0 {
						t.Fatalf("%s has no %s of %s, %s, %d threads", path, unit, x[0], kind, threads)
					}
					return medianOf(v)
				}
				table += fmt.Sprintf(" %.3g ms | %.0f %% | %.3g s |", at("ms/iteration"), at("%limit"), at("sec/op"))
			}
			table += "\n"
		}
	}
	return table
}

// TestSpeedPage: the tables of docs/speed.md and README.md are those of docs/bench.txt and docs/peers.json,
// which the commands of docs/speed.md have written.
func TestSpeedPage(t *testing.T) {
	docs := filepath.Join("..", "docs")
	shown := map[string]map[string]string{filepath.Join(docs, "speed.md"): {"go test ./bench -bench Iteration": iterationTable(t, filepath.Join(docs, "bench.txt"))}, filepath.Join("..", "README.md"): {}}
	if python := pythonOf("json"); python != "" {
		out := must.Get(exec.Command(python, "peers.py", "--table", filepath.Join(docs, "peers.json")).Output())(t)
		tables := strings.ReplaceAll(string(out), "\r\n", "\n")
		shown[filepath.Join(docs, "speed.md")]["python3 bench/peers.py"] = tables
		first, _, _ := strings.Cut(tables, "\n\n")
		shown[filepath.Join("..", "README.md")]["python3 bench/peers.py"] = first + "\n"
	}
	for path, parts := range shown {
		text := must.Get(os.ReadFile(path))(t)
		page := strings.ReplaceAll(string(text), "\r\n", "\n")
		for command, table := range parts {
			before, rest, ok := strings.Cut(page, "<!-- "+command+" -->\n")
			_, after, closed := strings.Cut(rest, "<!-- end -->\n")
			if !ok || !closed {
				t.Fatalf("%s has no tables of %s", path, command)
			}
			want := before + "<!-- " + command + " -->\n" + table + "<!-- end -->\n" + after
			if page != want && !*update {
				t.Errorf("%s shows other tables than\n%s\ngo test ./bench -run SpeedPage -update", path, table)
			}
			page = want
		}
		if *update {
			must.Do(t, os.WriteFile(path, []byte(page), 0o666))
		}
	}
}

// pythonOf returns the first Python of this machine that has a module, or "".
func pythonOf(module string) string {
	all := []string{os.Getenv("NMU_PYTHON")}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		all = append(all, filepath.Join(dir, "python3"), filepath.Join(dir, "python"))
	}
	for _, python := range all {
		if python != "" && exec.Command(python, "-c", "import "+module).Run() == nil {
			return python
		}
	}
	return ""
}

// TestPeers: every program that is here does the same job, so that all find the same error. A command of
// the user is one more program. Those that take a second to start run with NMU_FULL only.
func TestPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts every program several times: not with -short")
	}
	python := pythonOf("numpy")
	if python == "" {
		t.Skip("NOT TESTED: not installed: numpy")
	}
	dir := t.TempDir()
	var m strings.Builder
	for i := range 12 {
		for j := range 9 {
			fmt.Fprintf(&m, "%d,", (7*i+3*j*j)%11)
		}
		m.WriteString("1\n")
	}
	data := filepath.Join(dir, "m.csv")
	must.Do(t, os.WriteFile(data, []byte(m.String()), 0o666))
	mine := filepath.Join(dir, "mine.py")
	must.Do(t, os.WriteFile(mine, []byte(`import json; print(json.dumps({"program": "mine", "version": "1", "seconds": 1.5, "relative_error": 0.25}))`), 0o666))
	cmd := exec.Command(python, "peers.py", "--data", data, "--rank", "3", "--iterations", "4", "--repetitions", "1", "--threads", "1", "--out", dir, "--peer", python+" "+mine)
	if os.Getenv("NMU_FULL") == "" {
		cmd.Args = append(cmd.Args, "--only", "gonum,numpy,mine")
	}
	cmd.Env = append(os.Environ(), "OPENBLAS_CORETYPE=", "NMU_PYTHON="+python)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, "peers.json")))(t)
	var got struct {
		Jobs, Solvers []struct {
			Name, Method string
			Error        float64 `json:"relative_error"`
		}
	}
	must.Do(t, json.NewDecoder(bytes.NewReader(text)).Decode(&got))
	ours, count := map[string]float64{}, map[string]int{}
	for _, r := range got.Jobs {
		count[r.Name]++
		want := 0.25
		switch r.Name {
		case "nmu":
			ours[r.Method] = r.Error
			continue
		case "RcppML": // whose iterations are others
			continue
		case "gonum", "numpy", "scikit-learn", "octave":
			want = ours[r.Method]
		}
		must.AtMost(t, math.Abs(r.Error-want), 1e-9, r.Method, "by", r.Name, "relative error")
	}
	if count["nmu"] != 3 || count["gonum"] != 3 || count["numpy"] != 3 || count["mine"] != 3 || len(got.Solvers) != 6 {
		t.Errorf("jobs of %v, %d of solvers", count, len(got.Solvers))
	}
}
