package record

import (
	"fmt"
	"io"
	"slices"
	"time"

	"nmu/cmd/internal/message"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/picture"
	"nmu/internal/data"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Factor is what result.json of nmu factor holds.
type Factor struct {
	Origin
	Dense         bool   `json:"dense,omitempty"` // made dense by --dense
	Rows          int    `json:"rows"`
	Cols          int    `json:"cols"`
	Entries       int    `json:"entries,omitempty"` // stored, if the matrix is sparse
	Absent        string `json:"missing,omitempty"` // what was done with cells that are empty
	Mask          string `json:"mask,omitempty"`    // the files
	Weights       string `json:"weights,omitempty"`
	Uncertainties string `json:"uncertainties,omitempty"`
	SkipRows      string `json:"skip_rows,omitempty"` // the lists of what was left out
	SkipCols      string `json:"skip_cols,omitempty"`
	Partial

	Rank        int       `json:"rank"`       // of the result
	RankAsked   int       `json:"rank_asked"` // more than rank after an early end
	Method      string    `json:"method"`
	Block       int       `json:"block"`
	Iterations  int       `json:"iterations"` // at most, per block
	Inner       int       `json:"inner"`
	Init        string    `json:"init"`
	Continued   string    `json:"continued,omitempty"` // folder of the run with the first factors, or columns
	Restarts    int       `json:"restarts"`            // asked for
	Begun       int       `json:"restarts_begun"`      // fewer after an early end
	Finished    int       `json:"restarts_finished"`   // of these V and W are the best
	BestRestart int       `json:"best_restart"`
	Seed        uint64    `json:"seed"`      // of the first restart
	BestSeed    uint64    `json:"best_seed"` // of the best one
	Tolerance   float64   `json:"tol"`
	TargetError float64   `json:"target_error"`
	Norm        lnmu.Norm `json:"norm"`
	Imposed
	Scale     string            `json:"scale,omitempty"` // of V and W: topics, or empty
	FixV      string            `json:"fix_v,omitempty"` // the files of what is fixed
	FixW      string            `json:"fix_w,omitempty"`
	Baseline  bool              `json:"baseline,omitempty"`
	Options   map[string]string `json:"options,omitempty"`       // all those of the method, as on the command line
	Given     []string          `json:"given_options,omitempty"` // those that the command line named
	Processes int               `json:"processes,omitempty"`     // with --mpi
	Threads   int               `json:"threads"`                 // of each
	Precision string            `json:"precision"`
	Level     string            `json:"level"`

	Seconds       float64      `json:"seconds"` // of the factorization alone
	Stop          lnmu.Stop    `json:"stop"`
	RelativeError float64      `json:"relative_error"`     // a fraction
	Violation     float64      `json:"relative_violation"` // a fraction: ||max(0, V W - M)|| / ||M||
	MaxViolation  float64      `json:"max_violation"`
	LargestEntry  float64      `json:"largest_entry"` // of M
	Bound         bool         `json:"max_violation_is_bound,omitempty"`
	RelativeL1    *float64     `json:"relative_l1,omitempty"` // with the norm l1
	Q             render.Real  `json:"q,omitempty"`           // the weighted sum of squares of M - V W, with the weights as given
	ExpectedQ     float64      `json:"expected_q,omitempty"`
	Divergence    *render.Real `json:"relative_divergence,omitempty"` // with the method kl
	SparsityV     float64      `json:"sparsity_v"`
	SparsityW     float64      `json:"sparsity_w"`
	HoyerV        float64      `json:"hoyer_v"`
	HoyerW        float64      `json:"hoyer_w"`

	Feasible      lnmu.Feasible  `json:"feasible,omitempty"`
	FeasibleSteps []FeasibleStep `json:"feasible_steps,omitempty"`

	Revived  int          `json:"revived,omitempty"`  // factors that vanished, and were re-initialised
	Lowered  int          `json:"lowered,omitempty"`  // factors whose penalty would have left nothing, and was lowered
	Improved *Improvement `json:"improved,omitempty"` // with --improve

	ErrorPerRank       []float64       `json:"error_per_rank,omitempty"`
	RankOfError        []int           `json:"rank_of_error,omitempty"`
	IterationsPerBlock []int           `json:"iterations_per_block,omitempty"`
	StopPerBlock       []lnmu.Stop     `json:"stop_per_block,omitempty"`
	History            [][]render.Real `json:"history,omitempty"`
	CheckEvery         int             `json:"check_every"`           // iterations between two errors of History
	L1PerRank          []float64       `json:"l1_per_rank,omitempty"` // with the norm l1

	Notes []string `json:"notes,omitempty"` // what a reader might not expect

	Image *picture.Size `json:"image,omitempty"` // of the columns of M
	Map   *picture.Size `json:"map,omitempty"`   // of which the columns of M are the pixels

	RowNames []string    `json:"row_names,omitempty"`
	RowAxis  string      `json:"row_axis,omitempty"` // what the names of the rows are, if they are numbers
	ColAxis  string      `json:"col_axis,omitempty"`
	Left     *data.Lines `json:"-"` // those that count, if some are left out; V and W are zero in the others
	ColNames []string    `json:"col_names,omitempty"`
	Top      []TopFactor `json:"top,omitempty"` // with --top

	inexact bool // --feasible is not for it

	Distance *page.Distance `json:"-"` // of V W from M, which the page shows

	SHA256V string `json:"sha256_v"`
	SHA256W string `json:"sha256_w"`

	Past     int    `json:"past_cols,omitempty"` // how many columns the sums of products have
	SHA256WW string `json:"sha256_ww,omitempty"` // of the sums
	SHA256MW string `json:"sha256_mw,omitempty"`

	Files map[string]string `json:"files,omitempty"` // SHA-256 of those beside result.json
}

// ScaleTopics is the Scale of a V whose columns add up to 1, beside the mixtures.
const ScaleTopics = "topics"

// Imposed has the penalties and the targets of the sparse methods.
type Imposed struct {
	PenaltyV  float64 `json:"penalty_v,omitempty"`
	PenaltyW  float64 `json:"penalty_w,omitempty"`
	SparsityV float64 `json:"target_sparsity_v,omitempty"`
	SparsityW float64 `json:"target_sparsity_w,omitempty"`
	HoyerV    float64 `json:"target_hoyer_v,omitempty"`
	HoyerW    float64 `json:"target_hoyer_w,omitempty"`
}

// Improvement is what --improve adds to a report.
type Improvement struct {
	Scale       float64 `json:"scale"`        // α of the best multiple α V W
	ScaledError float64 `json:"scaled_error"` // relative error of α V W
	Error       float64 `json:"relative_error"`
}

// FeasibleStep is a lnmu.ExactStep.
type FeasibleStep struct {
	Factors   int     `json:"factors"`
	Renewed   string  `json:"renewed"`
	Kept      bool    `json:"kept"`
	Before    float64 `json:"relative_error_before"`
	After     float64 `json:"relative_error_after"`
	Violation float64 `json:"max_violation_before"`
	KKT       float64 `json:"kkt_residual"`
}

// Partial describes missing entries and weights in a report.
type Partial struct {
	Missing  int                `json:"missing_entries,omitempty"`
	Weighted bool               `json:"weighted,omitempty"`
	Solver   lnmu.MissingSolver `json:"missing_solver,omitempty"`
	Sparse   bool               `json:"sparse_missing,omitempty"` // all that is not stored
}

// PartialOf describes a mask and weights.
func PartialOf(mask *lnmu.Mask, weights lnmu.Matrix[float64]) Partial {
	p := Partial{Weighted: weights != nil}
	if mask != nil {
		p.Missing = mask.Missing()
	}
	return p
}

// NewFactor describes a run that is about to start, by a method and settings with all
// defaults. Partial says what is observed of the matrix.
func NewFactor[T lnmu.Float](rows, cols, rank int, method lnmu.Method, s *lnmu.Settings, partial Partial) *Factor {
	rep := &Factor{
		Rows: rows, Cols: cols,
		RankAsked: rank, Method: method.Describe().Name, Block: rank, Iterations: s.Iterations, Inner: 1,
		Init: string(s.Init), Restarts: s.Restarts, Seed: s.Seed,
		Tolerance: s.Tolerance, TargetError: s.TargetError, Threads: s.Threads, CheckEvery: s.CheckEvery,
		Norm: lnmu.L2, Options: methods.Options(method),
		Precision: fmt.Sprintf("%T", T(0)),
		Partial:   partial,
	}
	rep.Partial.Solver = s.MissingSolver
	for name, field := range map[string]any{ // which keep their values if the method lacks the option
		"block": &rep.Block, "inner": &rep.Inner, "norm": &rep.Norm, "feasible": &rep.Feasible,
		"penalty-v": &rep.PenaltyV, "penalty-w": &rep.PenaltyW,
		"sparsity-v": &rep.Imposed.SparsityV, "sparsity-w": &rep.Imposed.SparsityW,
		"hoyer-v": &rep.Imposed.HoyerV, "hoyer-w": &rep.Imposed.HoyerW,
	} {
		if text, ok := rep.Options[name]; ok {
			fmt.Sscan(text, field) // an option of that name and another kind is in Options alone
		}
	}
	known := s.Fixed
	rep.inexact = known.V.Cols > 0 || known.W.Rows > 0 || known.Baseline || rep.description().Recursive && slices.ContainsFunc(
		[]string{"penalty-v", "penalty-w", "sparsity-v", "sparsity-w", "smooth-v", "smooth-w"},
		func(name string) bool { return rep.Options[name] != "" })
	return rep
}

// Fill adds the result of a run that took this time to its report.
func Fill[T lnmu.Float](rep *Factor, res *lnmu.Result[T], took time.Duration) {
	rep.Rank = res.V.Cols
	rep.BestRestart, rep.BestSeed, rep.Level = res.BestRestart, res.Seed, res.Level
	rep.Seconds, rep.Stop = took.Seconds(), res.Stop
	rep.RelativeError, rep.MaxViolation = res.RelativeError, res.MaxViolation
	rep.Violation = res.RelativeViolation
	rep.Q, rep.ExpectedQ = render.Real(res.Q), res.ExpectedQ
	rep.Bound, rep.LargestEntry = res.ViolationBound, res.LargestEntry
	rep.Begun, rep.Finished = res.RestartsBegun, res.RestartsFinished
	rep.Partial.Solver = res.MissingSolver
	rep.Revived = res.Revived
	if rep.Norm == lnmu.L1 {
		rep.RelativeL1 = &res.RelativeL1
	}
	if rep.Method == (lnmu.KL{}.Describe().Name) {
		rep.Divergence = (*render.Real)(&res.RelativeDivergence)
	}
	if slices.ContainsFunc(res.Blocks, func(b lnmu.Block) bool { return b.History != nil }) {
		for _, b := range res.Blocks { // also of blocks that ended before the first check
			errors := make([]render.Real, len(b.History))
			for i, e := range b.History {
				errors[i] = render.Real(e)
			}
			rep.History = append(rep.History, errors)
		}
	}
	for _, b := range res.Blocks {
		rep.addBlock(b)
	}
	rep.note()
	rep.Notes = append(rep.Notes, res.Notes...)
}

// Errors returns the errors of block i after every CheckEvery iterations, or nil if the history has none.
func (r *Factor) Errors(i int) []float64 {
	if i >= len(r.History) {
		return nil
	}
	errors := make([]float64, len(r.History[i]))
	for k, e := range r.History[i] {
		errors[k] = float64(e)
	}
	return errors
}

// addBlock adds what was found about a block of factors.
func (r *Factor) addBlock(b lnmu.Block) {
	r.IterationsPerBlock, r.StopPerBlock = append(r.IterationsPerBlock, b.Iterations), append(r.StopPerBlock, b.Stop)
	if b.Lowered {
		r.Lowered++
	}
	for _, s := range b.Exact {
		r.FeasibleSteps = append(r.FeasibleSteps, FeasibleStep{s.Factors, s.Renewed, s.Kept, s.Before, s.After, s.Violation, s.KKT})
	}
	if !r.description().Recursive {
		return
	}
	r.ErrorPerRank, r.RankOfError = append(r.ErrorPerRank, b.Error), append(r.RankOfError, b.Rank)
	if r.Norm == lnmu.L1 {
		r.L1PerRank = append(r.L1PerRank, b.L1)
	}
}

// description returns the description of the method.
func (r *Factor) description() lnmu.Description {
	d, _ := options.Describe(r.Method)
	return d
}

// muchExceeded is the part of the largest entry of M up to which V W > M is passed
// over in silence.
const muchExceeded = 0.01

// note adds notes on results that a reader might not expect.
func (r *Factor) note() {
	if s := AboveSize(r.RankAsked, r.Rows, r.Cols); s != "" {
		r.Notes = append(r.Notes, s)
	}
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
	for k := 1; k < len(r.ErrorPerRank); k++ {
		if before, e := r.ErrorPerRank[k-1], r.ErrorPerRank[k]; e > before {
			r.Notes = append(r.Notes, fmt.Sprintf("the error rises from %s at rank %d to %s at rank %d", message.Percent(before), r.RankOfError[k-1], message.Percent(e), r.RankOfError[k]))
			break
		}
	}
}

// AboveSize returns a note on a rank above the sides of a matrix, or "".
func AboveSize(rank, rows, cols int) string {
	if short := min(rows, cols); rank > short {
		return fmt.Sprintf("rank %d is above %d, the shorter side of the matrix: V W can equal M with fewer factors", rank, short)
	}
	return ""
}

// SetPictures records the sizes of the pictures of the factors.
func (r *Factor) SetPictures(pics picture.Shown) {
	r.Image, r.Map = pics.Basis.Size(), pics.Maps.Size()
}

// ending says what ended a run early.
func (r *Factor) ending() string {
	if r.Stop == lnmu.StopTime {
		return "ended by the time limit"
	}
	return "interrupted"
}

// WriteJSON writes the report as result.json has it.
func (r *Factor) WriteJSON(w io.Writer) error { return render.WriteJSON(w, r) }

// Transform is what result.json of nmu transform holds.
type Transform struct {
	Version       string       `json:"version"`
	Basis         string       `json:"basis"`
	Input         string       `json:"input"`
	Variable      string       `json:"var,omitempty"`
	Transpose     bool         `json:"transpose"`
	Rows          int          `json:"rows"`
	Cols          int          `json:"cols"`
	Rank          int          `json:"rank"`
	Under         bool         `json:"under"`
	SumToOne      bool         `json:"sum_to_one,omitempty"`
	ByDivergence  bool         `json:"divergence,omitempty"`          // which was minimised
	Divergence    *render.Real `json:"relative_divergence,omitempty"` // then
	Precision     string       `json:"precision"`
	Level         string       `json:"level"`
	Seconds       float64      `json:"seconds"`
	Stop          lnmu.Stop    `json:"stop"`
	Iterations    int          `json:"iterations"` // the most that a column took
	KKT           float64      `json:"kkt_residual"`
	RelativeError float64      `json:"relative_error"`
	MaxViolation  float64      `json:"max_violation"`
	ColNames      []string     `json:"col_names,omitempty"`
	SHA256W       string       `json:"sha256_w"`
	Notes         []string     `json:"notes,omitempty"` // what a reader might not expect
	Partial

	Files map[string]string `json:"files,omitempty"` // SHA-256 of those beside result.json
}

// WriteJSON writes the report as result.json has it.
func (r *Transform) WriteJSON(w io.Writer) error { return render.WriteJSON(w, r) }
