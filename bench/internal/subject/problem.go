package subject

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"nmu/bench/internal/machine"
	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// Types are the precisions measured.
var Types = []machine.Type{machine.Float64, machine.Float32}

// Names of the problems of a run.
const (
	CBCL    = "cbcl"
	Swimmer = "swimmer"
	Dense   = "dense"
	MiB     = "1MiB"  // the smallest problem that counts as large for threads
	Tiny    = "tiny"  // a pass takes less time than handing work to another thread
	Large   = "large" // larger than every cache, with long rows
	Wide    = "wide"  // Large transposed: passes run over a transposed copy
	Text    = "text"  // sparse: words of documents
)

// ThreadedBytes is the minimum matrix size in bytes for which two threads must be faster than one.
const ThreadedBytes = 1 << 20

// Problem is a dense matrix to factor.
type Problem struct {
	Name       string
	Rank       int
	M          lnmu.Dense[float64]
	Single     lnmu.Dense[float32] // M rounded
	Iterations func(Method) int
}

// NewProblem returns a problem with the matrix m and a copy of m rounded to float32.
func NewProblem(name string, rank int, m lnmu.Dense[float64], iterations func(Method) int) *Problem {
	p := &Problem{Name: name, Rank: rank, M: m, Iterations: iterations}
	p.Single = lnmu.NewDense[float32](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		dst := p.Single.Row(i)
		for j, x := range m.Row(i) {
			dst[j] = float32(x)
		}
	}
	return p
}

// Bytes returns the size of M in the given precision.
func (p *Problem) Bytes(t machine.Type) int { return p.M.Rows * p.M.Cols * t.Size() }

// Shape describes the size and the rank.
func (p *Problem) Shape() string {
	return fmt.Sprintf("%d x %d, r = %d", p.M.Rows, p.M.Cols, p.Rank)
}

// IsLarge reports whether the problem of that name is larger than every cache.
func IsLarge(problem string) bool { return problem == Large || problem == Wide }

// MeasuredOn reports whether the method is measured on a problem. Methods bound by the bandwidth
// are not measured on large problems: the part growth measures their rates in memory.
func (m Method) MeasuredOn(problem string) bool { return !IsLarge(problem) || !m.Streams }

// Generated returns a dense problem that needs no file. The error wraps machine.ErrOption.
func Generated(name string, rows, cols, rank int, iterations func(Method) int) (*Problem, error) {
	data, err := dataset.Random[float64](rows, cols, rank, 1)
	if err != nil {
		return nil, fmt.Errorf("%w: the problem %s: %w", machine.ErrOption, name, err)
	}
	return NewProblem(name, rank, lnmu.NewDense(rows, cols, data), iterations), nil
}

// SwimmerProblem returns the problem of the embedded swimmer data set, with rank 8.
func SwimmerProblem() *Problem {
	set := dataset.Swimmer()
	return NewProblem(Swimmer, 8, lnmu.NewDense(set.Rows, set.Cols, set.Data), Method.Paper)
}

// CBCLProblem reads the faces of the paper from path: the file, or the folder of CBCL.mat.
// An empty path means dataset.Folder. If path is empty and the file is missing, CBCLProblem
// returns a nil problem and the reason why.
func CBCLProblem(path string) (p *Problem, why string, err error) {
	byDefault := path == ""
	if byDefault {
		path = dataset.Folder()
	}
	if info, err := os.Stat(path); byDefault || err == nil && info.IsDir() {
		path = filepath.Join(path, "CBCL.mat")
	}
	file, err := matio.Open(path, matio.Options{Var: "X"})
	if byDefault && errors.Is(err, fs.ErrNotExist) {
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
		return nil, "", fmt.Errorf("%w: %s holds a %d x %d matrix; the faces are 361 x 2429", machine.ErrOption, path, rows, cols)
	}
	m := lnmu.NewDense(rows, cols, slices.Clone(data)) // data goes with the file
	return NewProblem(CBCL, rank, m, Method.Paper), "", nil
}
