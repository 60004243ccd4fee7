package bench

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/peer"
	"nmu/internal/scaling"
	"nmu/lnmu"
)

// Part names a section of a run.
type Part string

// The parts, in the order in which they run.
const (
	PartMachine    Part = "machine"
	PartKernels    Part = "kernels"
	PartAlgorithms Part = "algorithms"
	PartPeers      Part = "peers"
	PartSolvers    Part = "solvers"
	PartGrowth     Part = "growth"
	PartMemory     Part = "memory"
	PartSparse     Part = "sparse"
	PartBLAS       Part = "blas"
	PartScale      Part = "scale"
)

// Parts returns all parts.
func Parts() []Part {
	return []Part{PartMachine, PartKernels, PartAlgorithms, PartPeers, PartSolvers, PartGrowth, PartMemory, PartSparse, PartBLAS, PartScale}
}

// Plan says what a run measures. The zero value of a field stands for the
// default.
type Plan struct {
	Parts       []Part   // nil means all
	Data        string   // file of the CBCL faces; "" looks in NMU_DATA, then in ../shared/data
	Rows, Cols  int      // of the generated dense matrix; default 4000 x 2000
	Rank        int      // of its factors; default 20
	Threads     int      // maximum number of threads; default GOMAXPROCS
	Repetitions int      // samples of each quantity; default 5
	Short       bool     // a twentieth of the iterations and short samples: a rough look
	Size        int      // bytes of the largest matrix of the memory part; default 512e6
	Peers       []string // names of the peers to run; nil means all

	// Planned is the matrix that the part scale plans for; default 100 000 000 x 1250
	// numbers in float64. Kind is the kind of machine; default scaling.Server.
	Planned scaling.Problem
	Kind    scaling.Kind

	// Child is the command line of a process that calls Child. The memory part measures
	// the peak memory of a factorization there. An empty Child leaves it unmeasured.
	Child []string

	// Processes are the processes that the part scale measures. Parts must then be scale alone,
	// and this process must be the first. The other processes call Serve, which ends when Run ends.
	// Local is the number of processes on this machine, which share its threads; 0 means all.
	Processes lnmu.Processes
	Local     int

	// Progress receives a line before each measurement; it may be nil.
	Progress func(string)

	cache int  // bytes of the working set in memory; 0 means several times the last cache
	small bool // tiny problems, for tests
}

// check fills in the defaults. The error wraps ErrOption.
func (p Plan) check() (Plan, error) {
	bad := func(format string, args ...any) (Plan, error) {
		return p, fmt.Errorf("%w: %s", machine.ErrOption, fmt.Sprintf(format, args...))
	}
	if p.Parts == nil {
		p.Parts = Parts()
	}
	for _, part := range p.Parts {
		if !slices.Contains(Parts(), part) {
			return bad("no part %q; there are %v", part, Parts())
		}
	}
	if p.Processes != nil && (p.Processes.Rank() != 0 || len(p.Parts) != 1 || p.Parts[0] != PartScale) {
		return bad("several processes measure the part %s alone, and the first one reports", PartScale)
	}
	var names []string
	for _, p := range peer.All() {
		names = append(names, p.Name())
	}
	for _, name := range p.Peers {
		if !slices.Contains(names, name) {
			return bad("no peer %q; there are %v", name, names)
		}
	}
	for _, x := range []struct {
		name  string
		value *int
		def   int
	}{
		{"rows", &p.Rows, 4000}, {"columns", &p.Cols, 2000}, {"rank", &p.Rank, 20},
		{"threads", &p.Threads, runtime.GOMAXPROCS(0)}, {"repetitions", &p.Repetitions, 5}, {"bytes of the largest matrix", &p.Size, 512e6},
	} {
		if *x.value < 0 {
			return bad("%d %s", *x.value, x.name)
		}
		if *x.value == 0 {
			*x.value = x.def
		}
	}
	if p.Rank > min(p.Rows, p.Cols) {
		return bad("rank %d for a %d x %d matrix; choose 1 to %d", p.Rank, p.Rows, p.Cols, min(p.Rows, p.Cols))
	}
	if p.Rows > math.MaxInt/8/p.Cols {
		return bad("a %d x %d matrix is larger than the address space", p.Rows, p.Cols)
	}
	if p.Size < 8*leastRows*p.sizeCols() {
		return bad("a largest matrix of %d bytes; choose at least %d", p.Size, 8*leastRows*p.sizeCols())
	}
	if p.Kind == (scaling.Kind{}) {
		p.Kind = scaling.Server()
	}
	if p.Planned == (scaling.Problem{}) {
		p.Planned = scaling.Problem{Rows: 100_000_000, Cols: scaleCols, Size: 8}
	}
	if min(p.Planned.Rows, p.Planned.Cols) < scaleRank {
		return bad("a plan for a %d x %d matrix; choose at least %d rows and columns", p.Planned.Rows, p.Planned.Cols, scaleRank)
	}
	if p.Progress == nil {
		p.Progress = func(string) {}
	}
	return p, nil
}

// leastRows is the minimum number of rows of a matrix of the memory part.
const leastRows = 100

// sizeCols returns the number of columns of the matrices of the memory part.
func (p Plan) sizeCols() int {
	if p.small {
		return 50
	}
	return 2000
}

// scaleRows, scaleCols and scaleRank are m, n and r of the problems of the part scale.
const scaleRows, scaleCols, scaleRank = 16_384, 1250, 20
