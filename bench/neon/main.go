// Neon prints what a model says of the loops of the NEON bodies of package kernel: of each loop
// that multiplies and adds, the cycles of an iteration on Neoverse V1, and the share of that
// core's peak.
//
//	go run ./bench/neon [-mca llvm-mca-19] [-loops 'contract|sweep']
//
// The machine code is that of go build for arm64, and the model is llvm-mca's. A model has no
// caches and predicts all branches: a share is an upper bound for data in L1, and no measurement.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
)

const (
	cpu  = "neoverse-v1"
	unit = "V1Unit" // what LLVM's model calls a unit of this core; LLVM 16 and before have no such model
	peak = 4        // multiply-adds of 128 bits in a cycle
)

func main() {
	mca := flag.String("mca", "llvm-mca-19", "llvm-mca of LLVM 17 or later; its llvm-mc must lie beside it")
	names := flag.String("loops", ".", "regular expression: the functions to print")
	flag.Parse()
	if err := run(os.Stdout, *mca, *names); err != nil {
		fmt.Fprintln(os.Stderr, "neon:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, mca, names string) error {
	wanted, err := regexp.Compile(names)
	if err != nil {
		return fmt.Errorf("-loops: %w", err)
	}
	build := exec.Command("go", "build", "-trimpath", "-asmflags=-S", "nmu/kernel")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "GOFLAGS=")
	listing, err := build.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, listing)
	}
	loops := find(string(listing), wanted)
	if err := disassemble(strings.Replace(mca, "llvm-mca", "llvm-mc", 1), loops); err != nil {
		return err
	}
	if err := model(mca, loops); err != nil {
		return err
	}
	fmt.Fprintf(w, "A model, not a measurement: llvm-mca for %s, data in L1. The peak is %d multiply-adds of 128 bits a cycle.\n\n", cpu, peak)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "function\tloop\tprecision\tmultiply-adds\tloads\tcycles\tof the peak\t")
	for _, l := range loops {
		if fused, loads, precision := l.count(); fused > 0 {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%.2f\t%.0f %%\t\n", l.function, l.place, precision, fused, loads, l.cycles, 100*float64(fused)/peak/l.cycles)
		}
	}
	return table.Flush()
}

// loop is an innermost loop of a function.
type loop struct {
	function, place string   // place: file and line of the first instruction
	code            []string // bytes of an instruction, in hexadecimal
	assembly        []string // the same in the syntax of GNU
	cycles          float64  // of one iteration
}

var (
	symbol      = regexp.MustCompile(`^(\S+) STEXT`)
	instruction = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \((.+?)\)\t(\w+)\t?(.*)$`)
	hexadecimal = regexp.MustCompile(`^\t0x[0-9a-f]+((?: [0-9a-f]{2})+)  `)
	branch      = regexp.MustCompile(`^(B..|T?CBN?Z|TBN?Z)$`)
)

// find returns the innermost loops of the functions that are wanted, from the listing of the assembler.
func find(listing string, wanted *regexp.Regexp) []*loop {
	type jump struct{ from, to int } // backwards
	var (
		loops    []*loop
		function string
		places   = map[int]string{} // by the offset of the instruction
		jumps    []jump
		code     []string // bytes
	)
	end := func() {
		for i, j := range jumps {
			if i > 0 && jumps[i-1].from >= j.to || !wanted.MatchString(function) {
				continue // it has a loop inside
			}
			l := &loop{function: function, place: places[j.to]}
			for at := j.to; at <= j.from; at += 4 {
				l.code = append(l.code, "0x"+strings.Join(code[at:at+4], " 0x"))
			}
			loops = append(loops, l)
		}
		places, jumps, code = map[int]string{}, nil, nil
	}
	for line := range strings.Lines(listing) {
		line = strings.TrimSuffix(line, "\n")
		if m := symbol.FindStringSubmatch(line); m != nil {
			end()
			function = m[1]
		} else if m := instruction.FindStringSubmatch(line); m != nil {
			from, _ := strconv.Atoi(m[1])
			places[from] = m[2]
			if to, err := strconv.Atoi(m[4][strings.LastIndex(m[4], " ")+1:]); err == nil && branch.MatchString(m[3]) && to < from {
				jumps = append(jumps, jump{from, to})
			}
		} else if m := hexadecimal.FindStringSubmatch(line); m != nil {
			code = append(code, strings.Fields(m[1])...)
		}
	}
	end()
	return loops
}

// disassemble sets the assembly of the loops.
func disassemble(mc string, loops []*loop) error {
	var all strings.Builder
	for _, l := range loops {
		all.WriteString(strings.Join(l.code, "\n") + "\n")
	}
	out, err := filter(all.String(), mc, "-disassemble", "-triple=aarch64", "-mcpu="+cpu)
	if err != nil {
		return err
	}
	var lines []string
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '.' {
			lines = append(lines, line)
		}
	}
	for _, l := range loops {
		if len(lines) < len(l.code) {
			return fmt.Errorf("%s has not disassembled every instruction", mc)
		}
		l.assembly, lines = lines[:len(l.code)], lines[len(l.code):]
	}
	return nil
}

// model sets the cycles of the loops.
func model(mca string, loops []*loop) error {
	var all strings.Builder
	for i, l := range loops {
		fmt.Fprintf(&all, "# LLVM-MCA-BEGIN %d\n%s\n# LLVM-MCA-END %d\n", i, strings.Join(l.assembly, "\n"), i)
	}
	out, err := filter(all.String(), mca, "-mtriple=aarch64", "-mcpu="+cpu, "-iterations=1000", "-json")
	if err != nil {
		return err
	}
	var report struct {
		CodeRegions []struct {
			Name        string
			SummaryView struct{ Iterations, TotalCycles float64 }
		}
		TargetInfo struct{ Resources []string }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		return fmt.Errorf("%s: %w", mca, err)
	}
	if len(report.TargetInfo.Resources) == 0 || !strings.HasPrefix(report.TargetInfo.Resources[0], unit) {
		return fmt.Errorf("%s has no model of %s: take that of LLVM 17 or later", mca, cpu)
	}
	for _, r := range report.CodeRegions {
		i, err := strconv.Atoi(r.Name)
		if err != nil || i >= len(loops) {
			return fmt.Errorf("%s reports on a loop %q that it was not given", mca, r.Name)
		}
		loops[i].cycles = r.SummaryView.TotalCycles / r.SummaryView.Iterations
	}
	return nil
}

// filter returns what a program of LLVM makes of the input.
func filter(input, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, &stderr)
	}
	return string(out), nil
}

var (
	multiplyAdd = regexp.MustCompile(`^fml[as]\s+v\d+\.(2d|4s)`)
	load        = regexp.MustCompile(`^ld(r|p|1r?)\s+\{? ?[qdsv]\d`)
)

// count returns the multiply-adds of vectors in an iteration, its loads of vectors and elements,
// and the precision.
func (l *loop) count() (fused, loads int, precision string) {
	for _, line := range l.assembly {
		if m := multiplyAdd.FindStringSubmatch(line); m != nil {
			fused++
			precision = map[string]string{"2d": "float64", "4s": "float32"}[m[1]]
		} else if m := load.FindStringSubmatch(line); m != nil {
			loads++
			if m[1] == "p" {
				loads++
			}
		}
	}
	return fused, loads, precision
}
