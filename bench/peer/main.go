// Command peer does one job of bench/peers.py, by this module or by gonum.
//
//	peer job METHOD RANK FILE DIR   writes a job: M of FILE and a random start
//	peer nmu JOB                    does it by lnmu
//	peer gonum JOB                  does it as a Go user would write it with gonum
//
// JOB is the job.json in DIR, as bench/peers.py describes it.
package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/matio"
	"nmu/internal/regular"
	"nmu/lnmu"
)

// job is a job in its file. The matrices lie beside it, as little-endian float64 by rows.
type job struct {
	Method     string `json:"method"`
	Rows       int    `json:"rows"`
	Cols       int    `json:"cols"`
	Rank       int    `json:"rank"`
	Iterations int    `json:"iterations"` // of each factor for rnmu
	Inner      int    `json:"inner"`      // HALS steps of an iteration
	Threads    int    `json:"threads"`
	M          string `json:"m"`
	V          string `json:"v"`
	W          string `json:"w"`

	// Solver is another solver of nmu. It stops at the error or at the violation that a run of the
	// default solver has reached.
	Solver    string  `json:"solver,omitempty"`
	Error     float64 `json:"error,omitempty"`
	Violation float64 `json:"violation,omitempty"`
}

// outcome is the result, without the time for files.
type outcome struct {
	Program    string  `json:"program"`
	Version    string  `json:"version"`
	Seconds    float64 `json:"seconds"`
	Iterations int     `json:"iterations"`
	Error      float64 `json:"relative_error"`
	Violation  float64 `json:"relative_violation,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 5 && args[0] == "job" {
		return write(args[1], args[2], args[3], args[4])
	}
	if len(args) != 2 || args[0] != "nmu" && args[0] != "gonum" {
		return errors.New("usage: peer job METHOD RANK FILE DIR, peer nmu JOB, or peer gonum JOB")
	}
	text, err := regular.ReadFile(args[1], 1<<30)
	if err != nil {
		return err
	}
	var j job
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("%s: %w", args[1], err)
	}
	m, errM := read(j.M, j.Rows, j.Cols)
	v, errV := read(j.V, j.Rows, j.Rank)
	w, errW := read(j.W, j.Rank, j.Cols)
	if err := cmp.Or(errM, errV, errW); err != nil {
		return err
	}
	do := j.nmu
	if args[0] == "gonum" {
		do = j.gonum
	}
	out, err := do(m, v, w)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// methodOf returns a method with a solver, or with the paper's. A tolerance that no residual
// reaches leaves the number of iterations of admm to the job.
func methodOf(name, solver string) (lnmu.Method, error) {
	l := lnmu.GNMU{Solver: lnmu.Choice(solver)}
	if l.Solver == lnmu.SolverADMM {
		l.ResidualTolerance = 1e-9
	}
	switch name {
	case "nmf":
		return lnmu.NMF{Solver: cmp.Or(lnmu.Choice(solver), lnmu.SolverHALS)}, nil
	case "gnmu":
		return l, nil
	case "rnmu":
		return lnmu.RNMU{GNMU: l}, nil
	}
	return nil, fmt.Errorf("method %q; choose nmf, gnmu or rnmu", name)
}

// write writes a job for the matrix in a file. The start is uniform and scaled to M.
func write(name, rankText, path, dir string) error {
	method, err := methodOf(name, "")
	if err != nil {
		return err
	}
	file, err := matio.Open(path, matio.Options{})
	if err != nil {
		return err
	}
	defer file.Close()
	rows, cols, data, err := matio.Dense[float64](file)
	if err != nil {
		return err
	}
	rank, err := strconv.Atoi(rankText)
	if err != nil || rank < 1 || rank > min(rows, cols) {
		return fmt.Errorf("rank %s for a %d x %d matrix; choose 1 to %d", rankText, rows, cols, min(rows, cols))
	}
	rng := rand.New(rand.NewPCG(1, 0))
	m, v, w := lnmu.NewDense(rows, cols, data), lnmu.NewDense[float64](rows, rank, nil), lnmu.NewDense[float64](rank, cols, nil)
	for _, x := range [][]float64{v.Data, w.Data} {
		for i := range x {
			x[i] = rng.Float64()
		}
	}
	measures, err := lnmu.Measure(m, v, w, nil)
	if err != nil {
		return err
	}
	floats.Scale(math.Sqrt(measures.Scale), v.Data)
	floats.Scale(math.Sqrt(measures.Scale), w.Data)
	_, settings, err := lnmu.Check(lnmu.Unread[float64]{Rows: rows, Cols: cols}, rank, method, nil)
	if err != nil {
		return err
	}
	j := job{
		Method: name, Rows: rows, Cols: cols, Rank: rank, Iterations: settings.Iterations, Inner: 1, Threads: runtime.NumCPU(),
		M: filepath.Join(dir, "m.bin"), V: filepath.Join(dir, "v.bin"), W: filepath.Join(dir, "w.bin"),
	}
	if method.Underapproximates() {
		j.Inner = 2
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(dir, "job.json"), text, 0o666)
	for name, x := range map[string][]float64{j.M: data, j.V: v.Data, j.W: w.Data} {
		bytes, _ := binary.Append(nil, binary.LittleEndian, x)
		err = errors.Join(err, os.WriteFile(name, bytes, 0o666))
	}
	return err
}

// read reads a matrix of a job.
func read(path string, rows, cols int) (lnmu.Dense[float64], error) {
	bytes, err := regular.ReadFile(path, 1<<30)
	if err == nil && len(bytes)/8 != rows*cols {
		err = fmt.Errorf("%s: %d bytes; a %d x %d matrix has %d", path, len(bytes), rows, cols, 8*rows*cols)
	}
	if err != nil {
		return lnmu.Dense[float64]{}, err
	}
	data := make([]float64, rows*cols)
	_, err = binary.Decode(bytes, binary.LittleEndian, data)
	return lnmu.NewDense(rows, cols, data), err
}

// nmu does the job by lnmu. If it is to stop at a violation, nmu looks for the first number of
// iterations that reaches it, and takes the time of that run alone.
func (j job) nmu(m, v, w lnmu.Dense[float64]) (outcome, error) {
	method, err := methodOf(j.Method, j.Solver)
	if err != nil {
		return outcome{}, err
	}
	settings := lnmu.Settings{Limits: lnmu.Limits{Iterations: j.Iterations}, Threads: j.Threads}
	if j.Error > 0 {
		settings.TargetError, settings.CheckEvery = j.Error, 1
	}
	k := j.Iterations
	if j.Violation > 0 {
		k = min(5, k)
	}
	for ; ; k += max(5, k/4/5*5) {
		settings.Iterations = min(k, j.Iterations)
		runtime.GC() // avoids a collection during the measurement
		begun := time.Now()
		res, err := lnmu.FactorFrom(context.Background(), m, v, w, method, &settings)
		if err != nil {
			return outcome{}, err
		}
		out := outcome{Program: "nmu", Seconds: time.Since(begun).Seconds(), Error: res.RelativeError, Violation: res.RelativeViolation}
		for _, b := range res.Blocks {
			out.Iterations += b.IterationsDone
		}
		if out.Violation <= j.Violation || k >= j.Iterations {
			return out, nil
		}
	}
}

// gonum does the job by package mat.
func (j job) gonum(ofM, ofV, ofW lnmu.Dense[float64]) (outcome, error) {
	m, v, w := gonum.To(ofM), gonum.To(ofV), gonum.To(ofW)
	if j.Solver != "" {
		return outcome{}, errors.New("gonum has one solver of each method")
	}
	runtime.GOMAXPROCS(j.Threads)
	out := outcome{Program: "gonum", Iterations: j.Iterations}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "gonum.org/v1/gonum" {
				out.Version = dep.Version
			}
		}
	}
	begun := time.Now()
	switch j.Method {
	case "nmf":
		gonumNMF(m, v, w, j.Iterations)
	case "gnmu":
		gonumGNMU(m, v, w, j.Iterations, j.Inner)
	case "rnmu":
		gonumRNMU(m, v, w, j.Iterations, j.Inner)
	default:
		return out, fmt.Errorf("method %q", j.Method)
	}
	out.Seconds = time.Since(begun).Seconds()
	var e mat.Dense
	e.Mul(v, w)
	e.Sub(m, &e)
	out.Error = mat.Norm(&e, 2) / mat.Norm(m, 2)
	return out, nil
}
