package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu"
)

// report is what result.json holds.
type report struct {
	Version   string `json:"version"`
	Go        string `json:"go"`
	Platform  string `json:"platform"`
	Input     string `json:"input"`
	Variable  string `json:"var,omitempty"`
	Transpose bool   `json:"transpose"`
	Dense     bool   `json:"dense,omitempty"` // made dense by --dense
	Rows      int    `json:"rows"`
	Cols      int    `json:"cols"`
	Entries   int    `json:"entries,omitempty"` // stored, if the matrix is sparse
	Absent    string `json:"missing,omitempty"` // what was done with cells that are empty
	Mask      string `json:"mask,omitempty"`    // the files
	Weights   string `json:"weights,omitempty"`
	partly

	Rank        int       `json:"rank"`       // of the result
	RankAsked   int       `json:"rank_asked"` // more than rank after an early end
	Method      string    `json:"method"`
	Block       int       `json:"block"`
	Iterations  int       `json:"iterations"` // at most, per block
	Inner       int       `json:"inner"`
	Init        string    `json:"init"`
	Continued   string    `json:"continued,omitempty"` // folder of the run with the first factors
	Restarts    int       `json:"restarts"`            // asked for
	Begun       int       `json:"restarts_begun"`      // fewer after an early end
	Finished    int       `json:"restarts_finished"`   // of these V and W are the best
	BestRestart int       `json:"best_restart"`
	Seed        uint64    `json:"seed"`      // of the first restart
	BestSeed    uint64    `json:"best_seed"` // of the best one
	Tolerance   float64   `json:"tol"`
	TargetError float64   `json:"target_error"`
	Norm        lnmu.Norm `json:"norm"`
	imposed
	FixV      string            `json:"fix_v,omitempty"` // the files of what is fixed
	FixW      string            `json:"fix_w,omitempty"`
	Baseline  bool              `json:"baseline,omitempty"`
	Options   map[string]string `json:"options,omitempty"`       // all those of the method, as on the command line
	Given     []string          `json:"given_options,omitempty"` // those that the command line named
	Processes int               `json:"processes,omitempty"`     // with --mpi
	Threads   int               `json:"threads"`                 // of each
	Precision string            `json:"precision"`
	Level     string            `json:"level"`

	Seconds       float64   `json:"seconds"` // of the factorization alone
	Stop          lnmu.Stop `json:"stop"`
	RelativeError float64   `json:"relative_error"`     // a fraction
	Violation     float64   `json:"relative_violation"` // a fraction: ||max(0, V W - M)|| / ||M||
	MaxViolation  float64   `json:"max_violation"`
	LargestEntry  float64   `json:"largest_entry"` // of M
	Bound         bool      `json:"max_violation_is_bound,omitempty"`
	RelativeL1    float64   `json:"relative_l1,omitempty"` // with the norm l1
	SparsityV     float64   `json:"sparsity_v"`
	SparsityW     float64   `json:"sparsity_w"`
	HoyerV        float64   `json:"hoyer_v"`
	HoyerW        float64   `json:"hoyer_w"`

	Feasible      lnmu.Feasible  `json:"feasible,omitempty"`
	FeasibleSteps []feasibleStep `json:"feasible_steps,omitempty"`

	Revived  int          `json:"revived,omitempty"`  // factors that vanished, and were re-initialised
	Lowered  int          `json:"lowered,omitempty"`  // factors whose penalty would have left nothing, and was lowered
	Improved *improvement `json:"improved,omitempty"` // with --improve

	ErrorPerRank       []float64   `json:"error_per_rank,omitempty"`
	RankOfError        []int       `json:"rank_of_error,omitempty"`
	IterationsPerBlock []int       `json:"iterations_per_block,omitempty"`
	StopPerBlock       []lnmu.Stop `json:"stop_per_block,omitempty"`
	History            [][]float64 `json:"history,omitempty"`
	CheckEvery         int         `json:"check_every"`           // iterations between two errors of History
	L1PerRank          []float64   `json:"l1_per_rank,omitempty"` // with the norm l1

	Notes []string `json:"notes,omitempty"` // what a reader might not expect

	Image *imageSize `json:"image,omitempty"` // of the columns of M
	Map   *imageSize `json:"map,omitempty"`   // of which the columns of M are the pixels

	RowNames []string    `json:"row_names,omitempty"`
	ColNames []string    `json:"col_names,omitempty"`
	Top      []topFactor `json:"top,omitempty"` // with --top

	inexact  bool           // --feasible is not for it
	html     bool           // the report is asked for,
	distance *page.Distance // and shows this

	SHA256V string `json:"sha256_v"`
	SHA256W string `json:"sha256_w"`

	Files map[string]string `json:"files,omitempty"` // SHA-256 of those beside result.json
}

// imposed is what the sparse methods impose.
type imposed struct {
	PenaltyV  float64 `json:"penalty_v,omitempty"`
	PenaltyW  float64 `json:"penalty_w,omitempty"`
	SparsityV float64 `json:"target_sparsity_v,omitempty"`
	SparsityW float64 `json:"target_sparsity_w,omitempty"`
	HoyerV    float64 `json:"target_hoyer_v,omitempty"`
	HoyerW    float64 `json:"target_hoyer_w,omitempty"`
}

// feasibleStep is a lnmu.ExactStep.
type feasibleStep struct {
	Factors   int     `json:"factors"`
	Renewed   string  `json:"renewed"`
	Kept      bool    `json:"kept"`
	Before    float64 `json:"relative_error_before"`
	After     float64 `json:"relative_error_after"`
	Violation float64 `json:"max_violation_before"`
	KKT       float64 `json:"kkt_residual"`
}

// newReport describes a run that is about to start, by a plan with all defaults.
func newReport[T lnmu.Float](rows, cols int, p plan) *report {
	s := p.settings
	rep := &report{
		Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Rows: rows, Cols: cols,
		RankAsked: p.rank, Method: p.method.Describe().Name, Block: p.rank, Iterations: s.Iterations, Inner: 1,
		Init: string(s.Init), Restarts: s.Restarts, Seed: s.Seed,
		Tolerance: s.Tolerance, TargetError: s.TargetError, Threads: s.Threads, CheckEvery: s.CheckEvery,
		Norm: lnmu.L2, Options: optionsOf(p.method),
		Precision: fmt.Sprintf("%T", T(0)),
		partly:    partlyOf(s.Observed, s.Weights),
	}
	rep.partly.Solver, rep.partly.Sparse = s.MissingSolver, s.SparseMissing
	for name, field := range map[string]any{ // which keep their values if the method lacks the option
		"block": &rep.Block, "inner": &rep.Inner, "norm": &rep.Norm, "feasible": &rep.Feasible,
		"penalty-v": &rep.PenaltyV, "penalty-w": &rep.PenaltyW,
		"sparsity-v": &rep.imposed.SparsityV, "sparsity-w": &rep.imposed.SparsityW,
		"hoyer-v": &rep.imposed.HoyerV, "hoyer-w": &rep.imposed.HoyerW,
	} {
		if text, ok := rep.Options[name]; ok {
			fmt.Sscan(text, field) // an option of that name and another kind is in Options alone
		}
	}
	known := p.settings.Fixed
	rep.inexact = known.V.Cols > 0 || known.W.Rows > 0 || known.Baseline || rep.description().Recursive && slices.ContainsFunc(
		[]string{"penalty-v", "penalty-w", "sparsity-v", "sparsity-w", "smooth-v", "smooth-w"},
		func(name string) bool { return rep.Options[name] != "" })
	return rep
}

// fill adds the result.
func fill[T lnmu.Float](rep *report, res *lnmu.Result[T], took time.Duration) {
	rep.Rank = res.V.Cols
	rep.BestRestart, rep.BestSeed, rep.Level = res.BestRestart, res.Seed, res.Level
	rep.Seconds, rep.Stop = took.Seconds(), res.Stop
	rep.RelativeError, rep.MaxViolation = res.RelativeError, res.MaxViolation
	rep.Violation = res.RelativeViolation
	rep.Bound, rep.LargestEntry = res.ViolationBound, res.LargestEntry
	rep.Begun, rep.Finished = res.RestartsBegun, res.RestartsFinished
	rep.RelativeL1, rep.Revived = res.RelativeL1, res.Revived
	for _, b := range res.Blocks {
		rep.addBlock(b)
	}
	rep.note()
}

// measure adds what is said of the factors, of which there is one at least.
func measure[T lnmu.Float](rep *report, r joinedRun[T]) {
	v, w := r.v.Sparsity(), r.w.Sparsity()
	rep.SparsityV, rep.HoyerV = v.Zeros, v.Hoyer
	rep.SparsityW, rep.HoyerW = w.Zeros, w.Hoyer
	rep.SHA256V, rep.SHA256W = r.v.SHA256(), r.w.SHA256()
}

// addBlock adds what was found about a block of factors.
func (r *report) addBlock(b lnmu.Block) {
	r.IterationsPerBlock, r.StopPerBlock = append(r.IterationsPerBlock, b.Iterations), append(r.StopPerBlock, b.Stop)
	if b.History != nil {
		r.History = append(r.History, b.History)
	}
	if b.Lowered {
		r.Lowered++
	}
	for _, s := range b.Exact {
		r.FeasibleSteps = append(r.FeasibleSteps, feasibleStep{s.Factors, s.Renewed, s.Kept, s.Before, s.After, s.Violation, s.KKT})
	}
	if !r.description().Recursive {
		return
	}
	r.ErrorPerRank, r.RankOfError = append(r.ErrorPerRank, b.Error), append(r.RankOfError, b.Rank)
	if r.Norm == lnmu.L1 {
		r.L1PerRank = append(r.L1PerRank, b.L1)
	}
}

// description returns that of the method.
func (r *report) description() lnmu.Description {
	d, _ := lnmu.Describe(r.Method)
	return d
}

// muchExceeded is the part of the largest entry of M up to which V W > M is passed
// over in silence.
const muchExceeded = 0.01

// note adds what a reader might not expect.
func (r *report) note() {
	if r.Feasible != "" && len(r.FeasibleSteps) == 0 && r.Rank > 0 && r.MaxViolation > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("the factors were not made feasible, since the run was %s", r.ending()))
	}
	if x := r.MaxViolation; r.description().Underapproximates && x > muchExceeded*r.LargestEntry {
		most := "up to"
		if r.Bound {
			most = "perhaps up to"
		}
		way := "; --feasible final prevents that"
		switch {
		case r.inexact:
			way = ""
		case r.Entries > 0:
			way = "; --dense --feasible final prevents that"
		}
		r.Notes = append(r.Notes, fmt.Sprintf("V W exceeds M by %s %.3g, %.0f %% of the largest entry of M%s", most, x, 100*x/r.LargestEntry, way))
	}
	if r.Lowered > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("the penalty would have left nothing of %s, and was lowered there; choose a smaller one", render.Plural(r.Lowered, "factor")))
	}
	for k := 1; k < len(r.ErrorPerRank); k++ {
		if before, e := r.ErrorPerRank[k-1], r.ErrorPerRank[k]; e > before {
			r.Notes = append(r.Notes, fmt.Sprintf("the error rises from %s at rank %d to %s at rank %d", percent(before), r.RankOfError[k-1], percent(e), r.RankOfError[k]))
			break
		}
	}
}

// ending says what ended a run early.
func (r *report) ending() string {
	if r.Stop == lnmu.StopTime {
		return "ended by the time limit"
	}
	return "interrupted"
}

// describe adds what only the command line says.
func (r *report) describe(f *factorFlags) {
	r.Input, r.Variable, r.Transpose, r.Init = f.path, f.variable, f.transpose, f.init
	r.Dense, r.Continued = f.dense, f.continued
	r.Absent, r.Mask, r.Weights = f.missing, f.seen.mask, f.seen.weights
	r.FixV, r.FixW, r.Baseline = f.fixed.v, f.fixed.w, f.fixed.baseline
	r.Given, r.html, r.Processes = f.options.names(), f.report, f.all.size()
}

func (r *report) writeJSON(w io.Writer) error { return render.WriteJSON(w, r) }

// writeTable prints the report for people.
func (r *report) writeTable(out io.Writer, dir string, written []string) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, f := range r.facts() {
		fmt.Fprintf(t, "%s\t%s\n", f.Name, render.Printable(f.Value))
	}
	if len(written) > 0 {
		fmt.Fprintf(t, "written\t%s in %s\n", strings.Join(written, ", "), render.Printable(dir))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeTop(out, r.Top)
}

// facts are the lines of the table.
func (r *report) facts() (list []page.Fact) {
	row := func(name, format string, args ...any) {
		list = append(list, page.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	input := r.Input
	if r.Variable != "" {
		input += ", variable " + r.Variable
	}
	if r.Transpose {
		input += ", transposed"
	}
	if r.Entries > 0 {
		row("input", "%s, %d x %d, sparse, %d entries", input, r.Rows, r.Cols, r.Entries)
	} else {
		row("input", "%s, %d x %d", input, r.Rows, r.Cols)
	}
	if s := r.partly.text(r.Rows, r.Cols); s != "" {
		row("observed", "%s", s)
	}
	row("method", "%s", r.howText())
	row("start", "%s", r.startText())
	row("relative error", "%s", percent(r.RelativeError))
	row("relative violation", "%s", percent(r.Violation))
	if r.Bound {
		row("largest violation", "at most %.3g", r.MaxViolation)
	} else {
		row("largest violation", "%.3g", r.MaxViolation)
		if x := r.Improved; x != nil {
			row("improved", "%s with the same zeros, %s by the factor %.4g alone", percent(x.Error), percent(x.ScaledError), x.Scale)
		}
	}
	if r.Norm == lnmu.L1 {
		row("relative l1 error", "%s", percent(r.RelativeL1))
	}
	if r.Feasible == lnmu.FeasibleFinal && len(r.FeasibleSteps) > 0 {
		s := r.FeasibleSteps[0]
		row("before that", "%s, largest violation %.3g", percent(s.Before), s.Violation)
	}
	row("sparsity of V", "s %s, sh %s", percent(r.SparsityV), percent(r.HoyerV))
	row("sparsity of W", "s %s, sh %s", percent(r.SparsityW), percent(r.HoyerW))
	row("ended by", "%s", r.Stop)
	threads := render.Plural(r.Threads, "thread")
	if r.Processes > 1 {
		threads = fmt.Sprintf("%d processes of %s", r.Processes, threads)
	}
	row("time", "%.3g s, %s, %s kernels, %s", r.Seconds, threads, r.Level, r.Precision)
	return list
}

func (r *report) howText() string {
	d := r.description()
	s := r.Method
	for _, name := range r.Given {
		if name != "block" && name != "inner" { // these follow in words
			s += ", " + strings.ReplaceAll(name, "-", " ") + " " + r.Options[name]
		}
	}
	for _, x := range []struct{ what, file string }{{"fix v", r.FixV}, {"fix w", r.FixW}} {
		if x.file != "" {
			s += ", " + x.what + " " + x.file
		}
	}
	if r.Baseline {
		s += ", baseline"
	}
	s += fmt.Sprintf(", rank %d", r.Rank)
	if r.Rank != r.RankAsked {
		s += fmt.Sprintf(" of %d", r.RankAsked)
	}
	if d.Recursive && r.Block > 1 {
		s += fmt.Sprintf(" in blocks of %d", r.Block)
	}
	s += fmt.Sprintf(", %d iterations", r.Iterations)
	if d.Recursive {
		s += " each"
	}
	if d.Underapproximates {
		s += fmt.Sprintf(", T = %d", r.Inner)
	}
	if r.Revived > 0 {
		s += fmt.Sprintf(", %s re-initialised", render.Plural(r.Revived, "factor"))
	}
	return s
}

func (r *report) startText() string {
	if r.Init != string(lnmu.InitRandom) && r.Init != string(lnmu.InitNested) {
		return r.Init
	}
	s := fmt.Sprintf("%s, seed %d", r.Init, r.BestSeed)
	switch {
	case r.Finished == r.Restarts:
		return s + ", the best of " + render.Plural(r.Restarts, "run")
	case r.Finished > 0:
		return s + fmt.Sprintf(", the best of the %d that were finished of %s", r.Finished, render.Plural(r.Restarts, "run"))
	}
	return s + fmt.Sprintf(", not finished; %d of %s begun", r.Begun, render.Plural(r.Restarts, "run"))
}

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
