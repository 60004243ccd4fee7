package factor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/program"
	"nmu/internal/checkpoint"
	"nmu/internal/data"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/picture"
	"nmu/internal/record"
	"nmu/internal/work"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// updateFlags are the flags of a run that goes on with new columns, beside those of the input.
var updateFlags = []string{"rank", "method", "iterations", "tolerance", "out", "continue", "precision", "write", "json", "force", "threads", "progress", "quiet"}

// updateTurns is the default of --iterations with new columns: alternations between their weights and the basis.
const updateTurns = 10

// extend goes on with new columns after a run.
func (f *commandLine) extend(c *program.Call, of *record.Factor) error {
	how := &of.Settings
	if err := f.checkUpdate(c, of); err != nil {
		return exit.Misuse(err)
	}
	if !c.Given("precision") {
		f.Precision = how.Precision
	}
	if !c.Given("transpose") {
		f.Transpose = how.Run.Transpose
	}
	f.Rank, f.Method, f.Command.Start = of.Rank, how.Method, how.InitText()
	return c.With(&f.Matrix, nil, func(m program.Open) error {
		return program.InPrecision(f.Precision, func() error { return update[float32](c, f, of, m) }, func() error { return update[float64](c, f, of, m) })
	})
}

// checkUpdate refuses what sums of products do not keep.
func (f *commandLine) checkUpdate(c *program.Call, run *record.Factor) error {
	if c.Given("rank") && f.Rank != run.Rank {
		return fmt.Errorf("--rank %d, and %s has %d factors: method %s finds all factors at once, so that none can be added; leave --rank out to go on with new columns", f.Rank, f.Continued, run.Rank, run.Settings.Method)
	}
	if c.Given("method") && f.Method != run.Settings.Method {
		return fmt.Errorf("--method %s, and %s was made with %s; leave it out, or do not --continue", f.Method, f.Continued, run.Settings.Method)
	}
	for _, flag := range c.Flags() {
		reads := func(s options.Setting) bool { return s.Flag && s.Name == flag[0] && s.Calls&options.Inspect != 0 }
		if !slices.Contains(updateFlags, flag[0]) && !slices.ContainsFunc(options.Settings(&f.Run), reads) {
			return fmt.Errorf("--%s does not go with --continue and new columns of method %s; leave it out", flag[0], run.Settings.Method)
		}
	}
	if slices.Contains(f.Write, record.FormatENVI) {
		return errors.New("--write envi does not go with --continue and new columns; choose csv or mat")
	}
	method, err := options.Method(run.Settings.Method, run.Settings.Options)
	if err != nil {
		return err
	}
	by, ok := method.(*lnmu.NMF)
	if !ok {
		return fmt.Errorf("--continue: %s is of method %s", f.Continued, run.Settings.Method)
	}
	plain := lnmu.NMF{Solver: by.Solver, Sweeps: by.Sweeps}
	if *by != plain || run.Settings.FixV != "" || run.Settings.FixW != "" || run.Settings.Baseline || run.Missing > 0 || run.Weighted || run.Sparse {
		return fmt.Errorf("--continue: %s has penalties, sums of one, fixed factors, missing entries or weights, and new columns continue the squared error alone; find weights by nmu transform, or factor all columns", f.Continued)
	}
	return nil
}

// past is what a run goes on from with new columns.
type past[T lnmu.Float] struct {
	lnmu.Updated[T]
	cols int // that the sums have
}

// readPast reads the basis and the sums of a folder. Without sums, the new columns are those of its run.
func readPast[T lnmu.Float](f *commandLine, run *record.Factor, file *matio.File, m lnmu.Matrix[T]) (p past[T], err error) {
	if run.Past > 0 {
		p.cols = run.Past
		p.Updated, err = record.ReadSums[T](f.Continued, file)
	} else {
		var w lnmu.Dense[T]
		begin := fmt.Errorf("it has no sums of products (%s, %s), since nothing has continued it yet; begin with its own columns, nmu factor %s --continue %s, then come new ones", record.NameWW, record.NameMW, message.ShellWord(run.Input), message.ShellWord(f.Continued))
		if _, cols := file.Dims(); cols != run.Cols {
			return p, begin
		}
		if p.V, w, err = record.ReadFactors[T](f.Continued, file); err != nil {
			return p, err
		}
		if left := data.Unblank(p.V, w); left != nil {
			return p, fmt.Errorf("the run left out %s; begin a new one without them", left)
		}
		if rows, _ := file.Dims(); rows == p.V.Rows {
			now, err := lnmu.Measure(m, p.V, w, &lnmu.Settings{Threads: f.Processors()})
			if err != nil {
				return p, err
			}
			if !(math.Abs(now.RelativeError-run.RelativeError) <= 1e-3*run.RelativeError+1e-6) {
				return p, begin
			}
		}
	}
	if rows, cols := file.Dims(); err == nil && rows != p.V.Rows {
		err = fmt.Errorf("%w: %s is %d x %d and V has %d rows%s", lnmu.ErrShape, file.Path(), rows, cols, p.V.Rows, input.TransposeHint(rows, cols, p.V.Rows, f.Transpose))
	}
	return p, err
}

// update is a run that goes on with new columns, in one precision.
func update[T lnmu.Float](c *program.Call, f *commandLine, run *record.Factor, open program.Open) error {
	file, ctx := open.File, open.Context
	rows, cols := file.Dims()
	folder, err := record.OpenFolder(f.Out, record.Names, record.NameResult, f.there, f.Force, checkpoint.Has)
	if err != nil {
		return err
	}
	defer folder.Close()
	x := work.Call[T]{Job: work.Job{Path: f.Path, Run: f.Run}, File: file}
	if err := x.Select(options.Transform, &f.Entries, true); err != nil {
		return err
	}
	settings := x.Weighing()
	settings.Iterations = cmp.Or(f.Iterations, updateTurns)
	m, err := x.ReadColumns(f.Rank)
	if err != nil {
		return exit.MarkInterrupted(ctx, inputError(f, file, err))
	}
	f.Say(c.Console, file)
	begun := time.Now()
	var before past[T]
	var now *lnmu.Updated[T]
	var res *lnmu.Result[T]
	err = x.Do(func() (err error) {
		if before, err = readPast(f, run, file, m); err != nil {
			return fmt.Errorf("--continue %s: %w", f.Continued, err)
		}
		if now, err = lnmu.Update(ctx, m, before.Updated, &settings); err == nil {
			res, err = resultOf(ctx, m, now, settings.Threads)
		}
		return err
	})
	if err != nil {
		return exit.MarkInterrupted(ctx, inputError(f, file, err))
	}

	p := work.Plan{Rank: f.Rank, Method: lnmu.NMF{}, Settings: lnmu.Settings{Limits: lnmu.Limits{Iterations: settings.Iterations, Tolerance: f.Tolerance}, Start: lnmu.Start{Restarts: 1, Init: run.Settings.Init, Seed: run.Settings.Seed}, Threads: settings.Threads}}
	r, err := work.ReplyOf(p, res, time.Since(begun))
	if err != nil {
		return err
	}
	if sparse, ok := m.Matrix.(lnmu.CSR[T]); ok {
		r.Entries = len(sparse.Val)
	}
	rep := record.FactorOf(rows, cols, r)
	rep.BestSeed, rep.Past = run.BestSeed, before.cols+cols
	pics, err := picture.Of(&f.Run, file)
	if err != nil {
		return exit.Misuse(err)
	}
	f.describe(rep, file, pics)
	rep.Settings.Given = nil
	rep.SHA256WW, rep.SHA256MW = factors.SHA256(now.WW), factors.SHA256(now.MW)
	written, err := writeResults(folder, f.Write, rep, r, pics, false, sumsFile(record.NameWW, now.WW), sumsFile(record.NameMW, now.MW))
	if err != nil {
		return err
	}
	err = rep.Show(c.Out, f.JSON, f.Out, written)
	return errors.Join(err, exit.Unconverged(f.Tolerance > 0, res.Stop))
}

// sumsFile returns the file of sums of products.
func sumsFile[T lnmu.Float](name string, d lnmu.Dense[T]) fileset.File {
	return fileset.File{Name: name, Write: func(w io.Writer) error { return matio.EncodeNpy(w, d.Rows, d.Cols, d.Data, d.Stride) }}
}

// resultOf returns the basis after new columns with the weights that they have in it.
func resultOf[T lnmu.Float](ctx context.Context, m lnmu.Matrix[T], now *lnmu.Updated[T], threads int) (*lnmu.Result[T], error) {
	found, err := lnmu.Transform(ctx, m, now.V, lnmu.Dense[T]{}, &lnmu.TransformSettings{Threads: threads})
	if err != nil {
		return nil, err
	}
	measured, err := lnmu.Measure(m, now.V, found.W, &lnmu.Settings{Threads: threads})
	if err != nil {
		return nil, err
	}
	return &lnmu.Result[T]{V: now.V, W: found.W, Report: outcome.Report{
		RelativeError: found.RelativeError, MaxViolation: found.MaxViolation, ViolationBound: found.ViolationBound,
		RelativeViolation: measured.RelativeViolation, LargestEntry: measured.LargestEntry,
		Stop: now.Stop, RestartsBegun: 1, RestartsFinished: 1, Level: kernel.Level(),
		Blocks: []outcome.Block{{Rank: now.V.Cols, IterationsDone: now.IterationsDone, Stop: now.Stop, Error: found.RelativeError}},
	}}, nil
}
