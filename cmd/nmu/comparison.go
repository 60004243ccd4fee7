package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/program"
	"nmu/cmd/internal/progress"
	"nmu/internal/checkpoint"
	"nmu/internal/data"
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

	input.Matrix
	entries  data.Request
	options  methods.Flags
	settings compare.Settings
	From     *checkpoint.State // of nmu resume, or nil
}

// command completes the command of a comparison, which it returns. such is an example of its ranks.
func (c *comparison) command(cmd program.Command, such string, own ...string) (*program.Command, *comparison) {
	c.options, c.entries.Run = methods.NewFlags(), &c.Run
	cmd.Of = options.Rank
	if c.evaluation == compare.EvaluateStability {
		cmd.Of = options.Consensus
	}
	cmd.Run, cmd.Methods = &c.Run, c.options
	cmd.First = slices.Concat([]string{"ranks"}, own, []string{"method", "restarts", "iterations", "seed", "init", "tolerance", "time-limit", "out", "json", "force"})
	cmd.Needs, cmd.Such = "ranks", such
	cmd.Least, cmd.Most, cmd.Takes = 1, 1, "one INPUT, got %d"
	cmd.Do = func(call *program.Call) error {
		c.Path = call.Args[0]
		return c.execute(call)
	}
	return &cmd, c
}

// comparing returns the command alone.
func comparing(of func() (*program.Command, *comparison)) *program.Command {
	cmd, _ := of()
	return cmd
}

// execute runs the command with its flags.
func (c *comparison) execute(call *program.Call) error {
	if err := c.check(call.Given); err != nil {
		return exit.Misuse(err)
	}
	return program.InPrecision(c.Precision, func() error { return run[float32](call, c) }, func() error { return run[float64](call, c) })
}

// check rejects values that would stand for a default.
func (c *comparison) check(given func(flag string) bool) error {
	c.settings = c.Comparison()
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
	call  *program.Call
	ctx   context.Context
	file  *matio.File
	work  work.Comparison[T]
	begun time.Time

	found *compare.Comparison
	some  bool // something is found
}

// run is nmu rank or nmu consensus in one precision. It makes all checks before the long computation.
func run[T lnmu.Float](call *program.Call, c *comparison) error {
	defer work.ReadWithin(c.MaxMemory)()
	defer c.Limit(call.Context, c.settings.TimeLimit)()
	r := runs[T]{comparison: c, call: call}
	states, err := factor.States(call, &c.Run, call.Name, c.Path, c.From, c.paths)
	if err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	defer r.file.Close()
	ctx, stop := exit.Interruptible(call.Context) // a signal now leaves no temporary folder
	defer stop()
	defer c.Until(ctx, r.file)()
	r.ctx = ctx
	var folder *fileset.Folder
	if c.Out != "" {
		if folder, err = record.OpenFolder(c.Out, c.names(r.work.Plan.Ranks), c.record, c.Force || c.From != nil, checkpoint.Has); err != nil {
			return err
		}
		defer folder.Close()
		if err := states.In(folder); err != nil {
			return err
		}
	}
	if err := r.work.Read(); err != nil {
		return exit.MarkInterrupted(ctx, input.Explain(err, c.Path, c.Precision, r.file))
	}
	c.Say(call.Console, r.file)
	line := progress.NewLine(call.Err)
	r.work.Plan.Settings.Checkpoint = states.Point()
	r.work.Plan.Settings.Progress = func(p lnmu.Progress) {
		line.Say(fmt.Sprintf("run %d/%d  %s left", p.Restart, p.Restarts, p.Remaining.Round(time.Second)))
	}
	r.begun = time.Now()
	var rep report
	if c.evaluation == compare.EvaluateStability {
		rep, err = stability(&r)
	} else {
		rep, err = heldOut(&r)
	}
	line.Clear()
	if err != nil && (r.found == nil || ctx.Err() == nil || errors.Is(err, matio.ErrChanged)) {
		return input.Explain(err, c.Path, c.Precision, r.file)
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
	if r.found.Stop == "" {
		return states.End(true)
	}
	if r.found.Stop == outcome.StopCancelled {
		return fmt.Errorf("%w: %d of %s are finished%s", exit.Interruption(ctx), r.found.Finished, render.Plural(r.found.AllRuns, "run"), checkpoint.Hint(c.Out))
	}
	return nil
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
	about.Rows, about.Cols = r.file.Dims()
	about.RowAxis, about.ColAxis = r.file.Axes()
	return about
}

// open opens the matrix, reads the options that depend on it, and plans the runs.
func (r *runs[T]) open() (err error) {
	if r.file, err = r.Open(r.call.Console); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			r.file.Close()
		}
	}()
	w := &r.work
	w.Job, w.File, w.Evaluation, w.Settings = work.Job{Path: r.Path, Run: r.Run}, r.file, r.evaluation, r.settings
	if w.Ranks, err = options.ParseRanks(r.Ranks, options.MostRank); err != nil {
		return exit.Misuse(fmt.Errorf("--ranks %q: %w", r.Ranks, err))
	}
	if w.Method, err = r.options.Method(r.Method); err != nil {
		return err
	}
	if err = w.Select(options.Rank, &r.entries, false); err == nil {
		err = w.Settle()
	}
	return err
}

// paths returns the paths of the files that the run reads.
func (c *comparison) paths() ([]string, error) { return factor.Paths(&c.Matrix, &c.entries) }

// resumes returns the command lines that go on with states of a command.
func resumes(command func() (*program.Command, *comparison)) func(from *checkpoint.State) factor.Resumable {
	return func(from *checkpoint.State) factor.Resumable {
		cmd, c := command()
		c.From = from
		return factor.Resumable{Command: cmd, Input: &c.Matrix, Paths: c.paths, Run: c.execute}
	}
}
