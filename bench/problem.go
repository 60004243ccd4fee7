package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// benched is a method that is measured, with what its limit follows from: the rate of
// multiply-adds or the bandwidth.
type benched struct {
	lnmu.Method
	title string // in a text

	// streams says that the limit of an iteration is the bandwidth, not the rate of
	// multiply-adds.
	streams bool

	few, some int // iterations on large problems, and on small ones
}

// methods are those measured, in the order of the report.
var methods = []benched{
	{Method: lnmu.NMF{}, title: "NMF", few: 20, some: 100},
	{Method: withSteps(lnmu.GNMU{}, inner), title: "G-NMU", few: 10, some: 50},
	{Method: withSteps(lnmu.RNMU{}, inner), title: "R-NMU", streams: true, few: 5, some: 20},
}

// inner is T, the HALS steps per iteration of G-NMU and R-NMU.
const inner = 2

// benchedBy returns the method of that name.
func benchedBy(name string) (benched, error) {
	var names []string
	for _, b := range methods {
		if nameOf(b) == name {
			return b, nil
		}
		names = append(names, nameOf(b))
	}
	return benched{}, fmt.Errorf("%w: no method %q; there are %v", ErrOption, name, names)
}

// nameOf returns the name of a method.
func nameOf(method lnmu.Method) string { return method.Describe().Name }

// perFactor reports whether an iteration of the method is one of a single factor.
func perFactor(method lnmu.Method) bool { return method.Describe().Recursive }

// Numbers of iterations of the problems: those of section 4.3 of the paper, or fewer.
func (b benched) ofPaper() int { return b.Describe().Iterations }
func (b benched) ofFew() int   { return b.few }
func (b benched) ofSome() int  { return b.some }

// types are the precisions measured.
var types = []Type{Float64, Float32}

// Names of the problems of a run.
const (
	problemCBCL    = "cbcl"
	problemSwimmer = "swimmer"
	problemDense   = "dense"
	problemMiB     = "1MiB" // the least that counts as large
	problemTiny    = "tiny" // a pass over it takes less than a hand-over between threads may
)

// largeBytes is the size of a matrix from which on threads must pay off.
const largeBytes = 1 << 20

// problem is a matrix to factor.
type problem struct {
	name       string
	rank       int
	m          lnmu.Dense[float64]
	single     lnmu.Dense[float32] // m rounded
	iterations func(benched) int
}

// newProblem rounds m to float32 as well.
func newProblem(name string, rank int, m lnmu.Dense[float64], iterations func(benched) int) *problem {
	p := &problem{name: name, rank: rank, m: m, iterations: iterations}
	p.single = lnmu.NewDense[float32](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		dst := p.single.Row(i)
		for j, x := range m.Row(i) {
			dst[j] = float32(x)
		}
	}
	return p
}

// bytes is the size of M in the given precision.
func (p *problem) bytes(t Type) int { return p.m.Rows * p.m.Cols * t.Size() }

// shape describes the problem.
func (p *problem) shape() string {
	return fmt.Sprintf("%d x %d, r = %d", p.m.Rows, p.m.Cols, p.rank)
}

// generated returns a dense problem that needs no file.
func generated(name string, rows, cols, rank int, iterations func(benched) int) (*problem, error) {
	data, err := dataset.Random[float64](rows, cols, rank, 1)
	if err != nil {
		return nil, fmt.Errorf("%w: the problem %s: %w", ErrOption, name, err)
	}
	return newProblem(name, rank, lnmu.NewDense(rows, cols, data), iterations), nil
}

// swimmer returns the embedded set.
func swimmer() *problem {
	set := dataset.Swimmer()
	return newProblem(problemSwimmer, 8, lnmu.NewDense(set.Rows, set.Cols, set.Data), benched.ofPaper)
}

// cbcl reads the faces of the paper from a file, or from CBCL.mat in a folder.
// Without a path that is dataset.Folder; if there is no such file, the problem is
// nil and why says so.
func cbcl(path string) (p *problem, why string, err error) {
	looked := path == ""
	if looked {
		path = dataset.Folder()
	}
	if info, err := os.Stat(path); looked || err == nil && info.IsDir() {
		path = filepath.Join(path, "CBCL.mat")
	}
	file, err := matio.Open(path, matio.Options{Var: "X"})
	if looked && errors.Is(err, fs.ErrNotExist) {
		return nil, path + " is not there; --data or NMU_DATA tells where it is", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	rows, cols, data, err := matio.Dense[float64](file)
	if err != nil {
		return nil, "", err
	}
	const rank = 49
	if rows < rank || cols < rank {
		return nil, "", fmt.Errorf("%w: %s holds a %d x %d matrix; the faces are 361 x 2429", ErrOption, path, rows, cols)
	}
	m := lnmu.NewDense(rows, cols, slices.Clone(data)) // data goes with the file
	return newProblem(problemCBCL, rank, m, benched.ofPaper), "", nil
}
