// Command checks runs the checks of this project from its root: `.ci/run` those that decide
// something for this machine, `.ci/full` all of them. steps.go is the list of the checks.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"nmu/internal/team"
)

const usage = `Usage: bash .ci/run [FLAG...] [PACKAGE...], bash .ci/full [FLAG...] [PACKAGE...]

.ci/run runs the checks that decide something for this machine, .ci/full all checks,
as before a release. With packages, the checks "test" and "race" run only theirs.
Missing tools are installed with apt where that works. What is left out is said.
Tests look for the paper's data in $NMU_DATA, else in ../shared/data.
`

// check is one of the checks.
type check struct {
	name  string
	needs string // the tools that it uses
	shell string // a command line for bash; "test" has none, and does without some tools
}

func main() {
	full := flag.Bool("full", false, "run all checks")
	list := flag.Bool("list", false, "print the names and commands of the checks instead")
	only := flag.String("only", "", "run only the checks whose names match this regular `expression`")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage, "\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal("--only: ", err)
	}
	chosen := slices.DeleteFunc(checks(*full), func(c check) bool { return !pattern.MatchString(c.name) })
	if *list {
		for _, c := range chosen {
			fmt.Printf("%-24s %s\n", c.name, c.shell)
		}
		return
	}
	beside := 2
	if *full { // fuzzing has a limit of time
		beside = 1
	}
	if !run(chosen, flag.Args(), beside) {
		os.Exit(1)
	}
}

// run runs the check "test" by itself and then the others, so many beside each other, since many have
// long parts that take one core. It prints the time of each and reports whether all passed. Its last
// line counts the tests of "test".
func run(chosen []check, packages []string, beside int) bool {
	work, err := os.MkdirTemp("", "nmu-checks-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(work)
	os.Setenv("WORK", work)
	os.Setenv("PACKAGES", strings.Join(packages, " "))
	os.Setenv("GOAMD64", "v1") // the least
	begun := time.Now()
	missing := install(chosen)
	times := fmt.Sprintf("%6.0f s  tools\n", time.Since(begun).Seconds())
	var tests tally
	took := make([]string, len(chosen))
	one := func(i int) {
		c, start, result, err := chosen[i], time.Now(), "ok", error(nil)
		lacks := slices.IndexFunc(missing, func(tool string) bool { return strings.Contains(c.needs, tool) })
		if c.shell == "" {
			tests, err = test(packages, missing)
		} else if lacks >= 0 {
			result = "not run, for lack of " + missing[lacks]
		} else {
			err = shell(c.shell)
		}
		said := "== " + c.name + "\n"
		if err != nil {
			said += err.Error() + "\n"
			result = "FAILED"
		}
		took[i] = fmt.Sprintf("%6.0f s  %s: %s\n", time.Since(start).Seconds(), c.name, result)
		fmt.Print(said + took[i])
	}
	first := 0
	for first < len(chosen) && chosen[first].shell == "" {
		one(first)
		first++
	}
	if rest := len(chosen) - first; rest > 0 {
		team.Share(beside-1, rest, func(i int) { one(first + i) })
	}
	times += strings.Join(took, "")
	failed := strings.Count(times, ": FAILED\n")
	fmt.Printf("== times\n%s%6.0f s  in all, %d checks failed\n", times, time.Since(begun).Seconds(), failed)
	fmt.Printf("%d passed, %d failed\n", tests.passed, tests.failed)
	return failed == 0
}

// shell runs a command line. Its error holds the end of the output.
func shell(line string) error {
	out, err := exec.Command("bash", "-euo", "pipefail", "-c", line).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s\n%s\n%w", line, out[max(0, len(out)-20000):], err)
	}
	return nil
}
