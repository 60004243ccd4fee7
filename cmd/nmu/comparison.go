package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/checkpoint"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

// comparison is the command line of nmu rank or nmu consensus. Both compare many runs, of one
// rank or more.
type comparison struct {
	evaluation compare.Evaluation
	record     string                     // the file that lists the others
	names      func(ranks []int) []string // of all files

	factor.Long
}

// command completes the command of a comparison, which it returns. such is an example of its ranks.
func (c *comparison) command(cmd program.Command, such string, own ...string) factor.Resumable {
	cmd.Of = options.Rank
	if c.evaluation == compare.EvaluateStability {
		cmd.Of = options.Consensus
	}
	cmd.First = slices.Concat([]string{"ranks"}, own, []string{"method", "restarts", "iterations", "seed", "init", "tolerance", "time-limit", "out", "json", "force"})
	cmd.Needs, cmd.Such = "ranks", such
	return factor.Resumable{Command: c.Complete(cmd, c.execute), Long: &c.Long, Work: c.execute}
}

// execute runs the command with its flags.
func (c *comparison) execute(call *program.Call) error {
	if err := c.check(call.Given); err != nil {
		return exit.Misuse(err)
	}
	if err := c.Begin(call); err != nil {
		return err
	}
	return call.With(&c.Matrix, nil, func(m program.Open) error {
		return program.InPrecision(c.Precision, func() error { return run[float32](call, c, m) }, func() error { return run[float64](call, c, m) })
	})
}

// check rejects values that would stand for a default.
func (c *comparison) check(given func(flag string) bool) error {
	if given("tolerance") && c.Tolerance == 0 && !given("iterations") {
		return errors.New("--tolerance 0 for runs that end by their tolerance; choose their number of iterations by --iterations")
	}
	return nil
}

// report is what a comparison writes and prints.
type report interface {
	Show(out io.Writer, folder *fileset.Folder, dir string, asJSON bool) error
}

// runs is a comparison of a matrix that is open.
type runs[T lnmu.Float] struct {
	*comparison
	open  program.Open
	work  work.Comparison[T]
	begun time.Time

	found *compare.Comparison
	some  bool // something is found
}

// run is nmu rank or nmu consensus in one precision. It makes all checks before the long computation.
func run[T lnmu.Float](call *program.Call, c *comparison, m program.Open) error {
	r, ctx := runs[T]{comparison: c, open: m}, m.Context
	if err := r.plan(); err != nil {
		return exit.MarkInterrupted(ctx, err)
	}
	folder, err := record.OpenFolder(c.Out, c.names(r.work.Plan.Ranks), c.record, nil, c.Force || c.From != nil, checkpoint.Has)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := c.States.In(folder); err != nil {
		return err
	}
	if err := r.work.Read(); err != nil {
		return exit.MarkInterrupted(ctx, input.Explain(err, c.Path, c.Precision, m.File))
	}
	c.Say(call.Console, m.File)
	r.work.Plan.Settings.Checkpoint, r.work.Plan.Settings.Progress = c.States.Point(), m.Steps.Show
	r.begun = time.Now()
	var rep report
	if c.evaluation == compare.EvaluateStability {
		rep, err = stability(&r)
	} else {
		rep, err = heldOut(&r)
	}
	m.Steps.Clear()
	if err != nil && (r.found == nil || ctx.Err() == nil || errors.Is(err, matio.ErrChanged)) {
		return input.Explain(err, c.Path, c.Precision, m.File)
	}
	if !r.some {
		before := "a rank was finished"
		if c.evaluation == compare.EvaluateStability {
			before = "two runs for a rank were finished"
		}
		return exit.Nothing(ctx, ctx.Err() == nil, before, checkpoint.Hint(c.Out))
	}
	for _, text := range r.found.Notes {
		call.Note("%s", text)
	}
	if err := rep.Show(call.Out, folder, c.Out, c.JSON); err != nil {
		return err
	}
	if r.found.Stop == outcome.StopCancelled {
		return fmt.Errorf("%w: %d of %s are finished%s", exit.Interruption(ctx), r.found.Finished, render.Plural(r.found.AllRuns, "run"), checkpoint.Hint(c.Out))
	}
	m.Steps.End(r.found.Stop, math.NaN(), c.Out)
	return c.States.End(r.found.Stop == "")
}

// about returns how the runs were made, which have ended now.
func (r *runs[T]) about() record.About {
	s, how := &r.work.Plan.Settings, r.Run
	how.Ranks, how.Folds, how.Runs, how.Resample, how.Level = r.Ranks, s.Folds, s.Runs, string(s.Resample), s.Level
	about := record.About{Head: record.Head{Settings: record.NewSettings[T](how, lnmu.Settings{
		Limits: s.Limits, Start: s.Start, Threads: s.Threads, MissingSolver: s.MissingSolver,
	})}, Seconds: time.Since(r.begun).Seconds()}
	about.Settings.Method, about.Settings.Options = r.work.Plan.Method.Name(), options.Text(r.work.Plan.Method)
	about.Input = r.Path
	about.Rows, about.Cols = r.open.Dims()
	about.RowAxis, about.ColAxis = r.open.Axes()
	return about
}

// plan reads the options that depend on the matrix, and plans the runs.
func (r *runs[T]) plan() (err error) {
	w := &r.work
	w.Job, w.File, w.Evaluation, w.Settings = work.Job{Path: r.Path, Run: r.Run}, r.open.File, r.evaluation, r.Comparison()
	if w.Ranks, err = options.ParseRanks(r.Ranks, options.MostRank); err != nil {
		return exit.Misuse(fmt.Errorf("--ranks %q: %w", r.Ranks, err))
	}
	if w.Method, err = r.Options.Method(r.Method); err != nil {
		return err
	}
	if err = w.Select(options.Rank, &r.Entries, false); err == nil {
		err = w.Settle()
	}
	return err
}
