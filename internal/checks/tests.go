package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// tally counts tests, subtests and examples.
type tally struct{ passed, failed int }

// long is the time in seconds from which on test prints that of a package.
const long = 30

// test runs all tests in full, or those of some packages, but for those that recompute pages. Its error names each test that fails,
// and each that is left out although this machine could run it.
func test(packages, missing []string) (n tally, err error) {
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	cmd := exec.Command("go", append(strings.Fields("test -json -tags browser -vet=off -count=1 -timeout 60m -skip "+recomputing+"|"+elsewhere), packages...)...)
	cmd.Env = append(os.Environ(), "NMU_FULL=1")
	cmd.Stderr = os.Stdout
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	wrong, printed := "", map[string]string{}
	for lines := json.NewDecoder(out); err == nil; {
		var e struct {
			Action, Package, ImportPath, Test, Output string
			Elapsed                                   float64
		}
		if err = lines.Decode(&e); err != nil {
			break
		}
		name := e.Package + e.ImportPath + " " + e.Test
		printed[name] += e.Output
		if e.Test == "" && e.Elapsed >= long {
			fmt.Printf("%6.0f s  %s\n", e.Elapsed, e.Package)
		}
		switch {
		case e.Action == "pass" && e.Test != "":
			n.passed++
		case e.Action == "fail", e.Action == "build-fail":
			wrong += name + ":\n" + printed[name]
			n.failed += min(1, len(e.Test))
		case e.Action == "skip" && e.Test != "" && !excuses(printed[name], missing):
			wrong += name + ": this machine could run it:\n" + printed[name]
		}
	}
	if err == io.EOF {
		err = cmd.Wait()
	}
	if err != nil || wrong != "" {
		err = fmt.Errorf("%sgo test: %v", wrong, err)
	}
	return n, err
}

// excuses reports whether the output of a test has a reason to leave it out that is true here.
func excuses(output string, missing []string) bool {
	has := func(text string) bool { return strings.Contains(output, text) }
	for _, tool := range missing {
		if has(tool) && has("not installed") {
			return true
		}
	}
	data := "../shared/data"
	if d := os.Getenv("NMU_DATA"); d != "" {
		data = d
	}
	_, err := os.Stat(data + "/CBCL.mat")
	return has("cannot be used on this machine") || has("is no device here") || has("NMU_DATA") && err != nil
}
