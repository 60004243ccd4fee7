package solve

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"nmu/cmd/internal/record"
	"nmu/internal/render"
	"nmu/lnmu"
)

// improving returns the method and the settings of lnmu.Improve after a run by a plan. The column Improved
// compares methods, so that it is without the penalties of the run.
func improving(p Plan) (lnmu.NMF, lnmu.Settings) {
	by, _ := p.Method.(lnmu.NMF) // another method has no solver for that
	return lnmu.NMF{Solver: by.Solver, Sweeps: by.Sweeps}, lnmu.Settings{Fixed: p.Settings.Fixed, Threads: p.Settings.Threads, MissingSolver: p.Settings.MissingSolver, Scratch: p.Settings.Scratch}
}

// improve adds to the report what the columns "Scaled" and "Improved" of the
// paper's tables show, in the time that is left of the run that began then. m is the matrix, or the
// part of this process.
func improve[T lnmu.Float](ctx context.Context, j *Job, rep *record.Factor, m lnmu.Matrix[T], res *lnmu.Result[T], p Plan, begun time.Time) error {
	by, again := improving(p)
	m = matrix(p, m)
	if p.Settings.TimeLimit > 0 {
		left := p.Settings.TimeLimit - time.Since(begun)
		if j.All.Decide(left <= 0) {
			rep.Notes = append(rep.Notes, "no time was left for --improve")
			return nil
		}
		again.TimeLimit = max(left, 1) // that of process 0 counts
	}
	measures, err := lnmu.Measure(m, res.V, res.W, &again)
	if err != nil {
		return err
	}
	better, err := lnmu.Improve(ctx, m, res.V, res.W, by, &again)
	if err != nil {
		return err
	}
	if better.Stop == lnmu.StopTime {
		done := 0
		for _, b := range better.Blocks { // none if M was not read once
			done += b.Iterations
		}
		rep.Notes = append(rep.Notes, fmt.Sprintf("--improve had time for %s only", render.Plural(done, "iteration")))
		if better.V.Cols == 0 {
			return nil
		}
	}
	rep.Improved = &record.Improvement{Scale: measures.Scale, ScaledError: measures.ScaledError, Error: better.RelativeError}
	return nil
}

// kept returns the bytes of what an improvement of factors takes beside a run: the factors, rounded
// ones, and the places of their zeros.
func (p Plan) kept(size uintptr) float64 {
	rows, cols := p.own()
	return 3 * float64(size) * float64(p.Rank) * (float64(rows) + float64(cols))
}

// improvingNeed returns the memory that the improvement of the factors of a plan takes, of a dense matrix that stays
// in its file.
func improvingNeed[T lnmu.Float](p Plan, m lnmu.Matrix[T]) (int64, error) {
	by, again := improving(p)
	again.Restarts = 1
	method, again, err := lnmu.WithDefaults(shape[T](p, p.rows, p.cols), p.Rank, by, &again)
	if err != nil {
		return 0, err
	}
	again.Init = "" // it is given
	more, err := lnmu.EstimateOf(matrix(p, m), p.Rank, method, again)
	return Plus(Plus(more.Memory, Process()), byteCount(p.kept(unsafe.Sizeof(T(0))))), err
}
