package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"nmu/internal/isa"
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
	Threads     int      // most threads; default GOMAXPROCS
	Repetitions int      // samples of each quantity; default 5
	Short       bool     // a twentieth of the iterations and short samples: a rough look
	Size        int      // bytes of the largest matrix of the memory part; default 512e6
	Peers       []string // names of the peers to run; nil means all

	// Planned is the matrix that the part scale plans for, on machines of a kind; default
	// 100 000 000 x 1250 numbers in float64, and those of scaling.Server.
	Planned scaling.Problem
	Kind    scaling.Kind

	// Child is the command line of a process that calls Child, in which the
	// memory part measures how much memory a factorization needs. Without it
	// that is not measured.
	Child []string

	// Processes are those that the part scale measures, of which this is the first; the
	// others call Serve. Local is how many of them are on this machine, 0 for all; they
	// share its threads. The only part is then scale. Run lets the others go in any case.
	Processes lnmu.Processes
	Local     int

	// Progress is told what is measured next; it may be nil.
	Progress func(string)

	cache int // bytes of the working set in memory; 0 follows the last cache
	small bool
}

// session is a run on its way.
type session struct {
	plan     Plan
	ctx      context.Context
	machine  Options // with the defaults filled in
	vectors  []isa.Level
	probes   int           // samples of a limit before each repetition
	least    time.Duration // least duration of a sample of an algorithm
	problems []*problem
	report   *Report
	crew     *crew // or nil
	places   map[place]scaling.Kind
}

// check fills in the defaults and rejects what is impossible.
func (p Plan) check() (Plan, error) {
	bad := func(format string, args ...any) (Plan, error) {
		return p, fmt.Errorf("%w: %s", ErrOption, fmt.Sprintf(format, args...))
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
	for _, peer := range Peers() {
		names = append(names, peer.Name())
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
	if p.Rows > maxInt/8/p.Cols {
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

const maxInt = int(^uint(0) >> 1)

// Run measures what the plan says and returns a report. If ctx is cancelled, or
// a measurement fails, the report holds what was measured by then. Errors wrap
// ErrOption, ErrUnmeasured or that of ctx. Nothing else should compute on the
// machine meanwhile.
func Run(ctx context.Context, plan Plan) (*Report, error) {
	var c *crew
	if plan.Processes != nil && plan.Processes.Size() > 1 {
		c = &crew{Processes: plan.Processes}
		defer c.end()
	}
	plan, err := plan.check()
	if err != nil {
		return nil, err
	}
	s := &session{crew: c, plan: plan, ctx: ctx, vectors: vectorLevels(), probes: 3, least: 100 * time.Millisecond}
	opts := Options{Threads: plan.Threads, Repetitions: plan.Repetitions, Memory: plan.cache, Progress: plan.Progress}
	if plan.Short {
		opts.Sample, s.probes, s.least = time.Millisecond, 1, 0
	}
	if s.machine, err = opts.withDefaults(); err != nil {
		return nil, err
	}
	if c != nil {
		c.hasty = plan.small
	}
	s.report = NewReport(plan.Threads, plan.Repetitions, Limits{CPU: isa.CPU()})
	if plan.Short {
		s.note("a short run: these figures are rough")
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	for _, part := range Parts() {
		if err := s.part(part); err != nil {
			s.note("%s: ended early: %v", part, err)
			return s.report, err
		}
	}
	return s.report, nil
}

// part runs one part if it is planned.
func (s *session) part(part Part) (err error) {
	planned := slices.Contains(s.plan.Parts, part)
	if part == PartMachine {
		o := s.machine
		if !planned {
			if !slices.Contains(s.plan.Parts, PartKernels) {
				return nil
			}
			o.Threads = 1 // all that the ceilings of the kernels need
		}
		lim, err := Machine(s.ctx, o)
		if err == nil {
			s.report.Limits = lim
		}
		return err
	}
	if !planned {
		return nil
	}
	return map[Part]func() error{
		PartKernels: s.kernels, PartAlgorithms: s.algorithms, PartPeers: s.peers, PartSolvers: s.solvers,
		PartGrowth: s.growth, PartMemory: s.memory, PartSparse: s.sparse, PartBLAS: s.blas, PartScale: s.scale,
	}[part]()
}

// load gets the problems of the parts that are planned.
func (s *session) load() error {
	if !slices.ContainsFunc(s.plan.Parts, func(p Part) bool {
		return p == PartAlgorithms || p == PartPeers || p == PartSolvers || p == PartMemory
	}) {
		return nil
	}
	s.say("reading and generating matrices")
	if !s.plan.small {
		faces, why, err := cbcl(s.plan.Data)
		if err != nil {
			return fmt.Errorf("bench: the CBCL faces: %w", err)
		}
		if faces == nil {
			s.note("cbcl: not measured: %s", why)
		} else {
			s.problems = append(s.problems, faces)
		}
	}
	s.problems = append(s.problems, swimmer())
	for _, g := range []struct {
		name             string
		rows, cols, rank int
		iterations       func(benched) int
	}{
		{problemDense, s.plan.Rows, s.plan.Cols, s.plan.Rank, benched.ofFew},
		{problemMiB, 512, 256, 16, benched.ofSome},
		{problemTiny, 60, 50, 5, benched.ofSome},
	} {
		p, err := generated(g.name, g.rows, g.cols, g.rank, g.iterations)
		if err != nil {
			return err
		}
		s.problems = append(s.problems, p)
	}
	return nil
}

// iterations is how many of full a run makes.
func (s *session) iterations(full int) int {
	if s.plan.Short {
		return max(full/20, leastIterations+1)
	}
	return max(full, leastIterations+1)
}

// problem returns the one of a name, or nil.
func (s *session) problem(name string) *problem {
	for _, p := range s.problems {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (s *session) say(format string, args ...any) { s.plan.Progress(fmt.Sprintf(format, args...)) }

func (s *session) note(format string, args ...any) {
	s.report.Notes = append(s.report.Notes, fmt.Sprintf(format, args...))
}
