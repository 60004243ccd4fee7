package work

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// improving returns the method and the settings of Result.Improve after a run by a plan. The column Improved
// compares methods, so that it is without the penalties of the run.
func improving(p Plan) (lnmu.NMF, lnmu.Settings) {
	by, _ := p.Method.(lnmu.NMF) // another method has no solver for that
	return lnmu.NMF{Solver: by.Solver, Sweeps: by.Sweeps}, lnmu.Settings{FixedV: p.Settings.FixedV, FixedW: p.Settings.FixedW, Baseline: p.Settings.Baseline, Threads: p.Settings.Threads, MissingSolver: p.Settings.MissingSolver, Scratch: p.Settings.Scratch}
}

// Improvement is what the columns "Scaled" and "Improved" of the paper's tables show.
type Improvement struct {
	Scale       float64 `json:"scale"`        // α of the best multiple α V W
	ScaledError float64 `json:"scaled_error"` // relative error of α V W
	Error       float64 `json:"relative_error"`
}

// improve finds the improvement of what was found, in the time that is left of the run that began then. m is
// the matrix, or the part of this process.
func (r *Reply[T]) improve(ctx context.Context, j *Job, m lnmu.Matrix[T], begun time.Time) error {
	res, p := r.Result, r.Plan
	by, again := improving(p)
	m = matrix(p, m)
	if p.Settings.TimeLimit > 0 {
		left := p.Settings.TimeLimit - time.Since(begun)
		if j.All.Decide(left <= 0) {
			r.Notes = append(r.Notes, "no time was left for --improve")
			return nil
		}
		again.TimeLimit = max(left, 1) // that of process 0 counts
	}
	measures, err := lnmu.Measure(m, res.V, res.W, &again)
	if err != nil {
		return err
	}
	better, err := res.Improve(ctx, m, by, &again)
	if err != nil {
		return err
	}
	if better.Stop == outcome.StopTime {
		done := 0
		for _, b := range better.Blocks { // none if M was not read once
			done += b.IterationsDone
		}
		r.Notes = append(r.Notes, fmt.Sprintf("--improve had time for %s only", render.Plural(done, "iteration")))
		if better.V.Cols == 0 {
			return nil
		}
	}
	r.Improved = &Improvement{Scale: measures.Scale, ScaledError: measures.ScaledError, Error: better.RelativeError}
	return nil
}

// kept returns the bytes of what an improvement of factors takes beside a run: the factors, rounded
// ones, and the places of their zeros.
func (p Plan) kept(size uintptr) float64 {
	rows, cols := p.own()
	return 3 * float64(size) * float64(p.Rank) * (float64(rows) + float64(cols))
}

// improvingNeed returns the memory that the improvement of the factors of a plan takes, of a dense matrix.
func improvingNeed[T lnmu.Float](p Plan, m lnmu.Matrix[T]) (int64, error) {
	by, s := improving(p)
	m, s.Restarts = matrix(p, m), 1
	method, s, err := lnmu.Check(m, p.Rank, lnmu.Method(by), &s)
	if err != nil {
		return 0, err
	}
	s.Init = "" // it is given
	more, err := lnmu.EstimateOf(m, p.Rank, method, &s)
	return Plus(more.Memory, byteCount(p.kept(unsafe.Sizeof(T(0))))), err
}
