package factor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/program"
	"nmu/cmd/internal/progress"
	"nmu/internal/checkpoint"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/picture"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// factorName is the name of the command.
const factorName = "factor"

// commandLine is the command line of nmu factor.
type commandLine struct {
	Long
	method lnmu.Method
	there  []byte // the result.json of --out, if the run goes on from there
}

// Command returns nmu factor.
func Command() *program.Command {
	cmd, _ := newFactor()
	return cmd
}

func newFactor() (*program.Command, *commandLine) {
	f := new(commandLine)
	return f.Complete(program.Command{
		Of:    options.Factor,
		First: []string{"rank", "method", "iterations", "restarts", "seed", "tolerance", "time-limit", "out", "report"},
		Needs: "rank", Such: "10", Unless: "continue",
		Use:   factorName + " INPUT --rank R",
		Short: "Factor a matrix from a file or a folder of images",
		Long: `Factor the nonnegative m x n matrix M in INPUT into V W, V (m x r) and W (r x n).

` + input.Help() + `

A sparse matrix (.mtx by coordinates, sparse .mat, .npz of SciPy) is never made
dense. All its zeros share one multiplier, which grows with the iterations. Methods
and options that need a dense matrix report an error; see --dense.

With --out, DIR receives V.npy, W.npy and result.json. If the size of the images is
known, basis.png shows the columns of V. --map or an ENVI cube adds weights.png. A
folder of images adds manifest.csv, which names the image of each column. --report
adds report.html, a page about the result. Files are written atomically and replace
those of the previous run. A folder with other files needs --force. A folder given to
--init, --fix-v or --fix-w stands for the V.npy or W.npy in it. Ctrl-C writes the
finished factors and exits with status 130, SIGTERM with 143, SIGHUP with 129. A run
that is cut short, or takes long, writes checkpoints to DIR: see nmu resume.`,
		Example: `  nmu factor faces.mat --var X --rank 49 --method gnmu --image 19x19 --out g-out
  nmu factor images/ --rank 20 --out parts
  nmu factor m.npy --rank 50 --target-error 0.1 --restarts 1 --json
  nmu factor m.npy --rank 10 --method nmf --init previous-out --iterations 100
  nmu factor m.npy --rank 10 --method gnmu --feasible final --feasible-steps 5
  nmu factor m.npy --rank 10 --method snmf --sparsity-v 0.9 --sparsity-w 0.6 --improve
  nmu factor m.npy --rank 10 --method hoyer --hoyer-v 0.8
  nmu factor new-columns.npy --continue parts --out parts`,
	}, func(c *program.Call) error { return f.together(c, func() error { return f.start(c) }) }), f
}

// start runs the command in each of the processes.
func (f *commandLine) start(c *program.Call) (err error) {
	f.share()
	if err := f.check(c.Given); err != nil {
		return exit.Misuse(err)
	}
	if f.there, err = record.TextIn(f.Out, f.Continued, f.Command.Start, f.FixV, f.FixW); err != nil {
		return err
	}
	if f.Continued != "" {
		rec, err := record.ReadFactor(f.Continued, f.MaxMemory)
		if err != nil {
			return fmt.Errorf("--continue: %w", err)
		}
		if rec.Factor.Settings.Method == (lnmu.NMF{}).Name() { // which goes on with new columns
			return f.extend(c, rec.Factor)
		}
		if err := f.inherit(c, rec.Factor); err != nil {
			return err
		}
	}
	if f.method, err = f.Options.Method(f.Method); err != nil {
		return exit.Misuse(err)
	}
	if err := f.Begin(c); err != nil {
		return err
	}
	f.MaxMemory = cmp.Or(f.Memory, f.MaxMemory)
	return c.With(&f.Matrix, f.All, func(m program.Open) error {
		pics, err := f.prepare(m.File)
		if err != nil {
			return exit.MarkInterrupted(m.Context, err)
		}
		return program.InPrecision(f.Precision, func() error { return runFactor[float32](c, f, m, pics) }, func() error { return runFactor[float64](c, f, m, pics) })
	})
}

// prepare checks what the flags say against the file, reads the fixed parts of the factors, and returns the pictures.
func (f *commandLine) prepare(file *matio.File) (pics picture.Shown, err error) {
	pics, err = picture.Of(&f.Run, file)
	switch {
	case err != nil:
	case f.StoredOnly && (f.Dense || !file.Sparse()):
		err = errors.New("--sparse-missing is for a sparse matrix that is not made dense; --mask says what is missing of others")
	case slices.Contains(f.Write, record.FormatENVI) && !pics.Maps.Known():
		err = errors.New("--write envi: the columns are the pixels of no image as far as is known; --map says its size")
	default:
		err = f.Options.Suggest(f.method, picture.ShapeOf(pics.Basis), picture.ShapeOf(pics.Maps))
	}
	if err != nil {
		return pics, exit.Misuse(err)
	}
	if err := f.alike(file.Dims()); err != nil {
		return pics, err
	}
	f.Settings.FixedV, f.Settings.FixedW, err = record.ReadFixed(&f.Run, file)
	return pics, err
}

// givesStart reports whether --init gives a start, and does not name one.
func (f *commandLine) givesStart() bool { return !slices.Contains(options.Inits(), f.Command.Start) }

// ask sets what is asked of the library, and the start, which shares the memory with the input if it is given.
func ask[T lnmu.Float](f *commandLine, t *work.Task[T]) (err error) {
	t.Plan = work.Plan{Rank: f.Rank, Method: f.method, Settings: f.Settings, StoredOnly: f.StoredOnly}
	s := &t.Plan.Settings
	s.Record = f.Report // the page shows it, and looks at M again
	s.Init, s.Scratch = lnmu.Choice(f.Command.Start), ""
	if err := t.Select(options.Factor, &f.Entries, f.Continued != "" || f.givesStart() || f.FixV != "" || f.FixW != ""); err != nil {
		return err
	}
	switch {
	case f.Continued != "":
		t.From.Known, err = readResult[T](f.Continued, t.File)
	case f.givesStart():
		s.Init, t.From.Given = "", true
		t.From.V, t.From.W, err = readStart[T](f.Command.Start, t.File)
	}
	return err
}

// runFactor is nmu factor in one precision. Everything that can be checked is
// checked before the long computation.
func runFactor[T lnmu.Float](c *program.Call, f *commandLine, m program.Open, pics picture.Shown) error {
	ctx := m.Context
	rows, cols := m.Dims()
	t := work.Task[T]{Call: work.Call[T]{File: m.File, Job: work.Job{Path: f.Path, Run: f.Run, Resumed: f.From != nil, All: f.All}}}
	t.Note = func(text string) error { return c.Note("%s", text) }
	if err := ask(f, &t); err != nil {
		return exit.MarkInterrupted(ctx, err)
	}
	t.Plan.Gathers = f.gathers(pics, rows < cols)
	if err := t.Settle(); err != nil {
		if bad := (*lnmu.ValueError)(nil); errors.As(err, &bad) && strings.HasPrefix(bad.Matrix, "fixed ") {
			return inputError(f, m.File, err)
		}
		if t.From.Given && !errors.Is(err, lnmu.ErrOption) {
			return fmt.Errorf("--init %s: %w%s", f.Command.Start, err, input.TransposeHint(rows, cols, t.From.V.Rows, f.Transpose))
		}
		return t.Plan.Blame(err)
	}
	out := f.Out
	if f.All.Helper() {
		out = ""
	}
	folder, err := record.OpenFolder(out, record.Names, record.NameResult, f.there, f.Force || f.From != nil, checkpoint.Keeps)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := f.States.In(folder); err != nil {
		return err
	}
	t.Plan.Settings.Checkpoint, t.Plan.Settings.Progress = f.States.Point(), m.Steps.Show
	f.Say(c.Console, m.File)
	if !c.Given("restarts") && f.From == nil && !f.All.Helper() {
		t.Plan.Settings.Progress = m.Steps.Several(c.Console, t.Plan.Settings.Restarts)
	}
	if err := f.All.Agree(nil, ""); err != nil {
		return err
	}
	r, err := t.Run(ctx)
	m.Steps.Clear()
	if r != nil && (f.All.Helper() || ctx.Err() != nil) {
		err = nil // process 0 says how it has ended
	}
	if err != nil {
		if errors.Is(err, lnmu.ErrCheckpoint) && f.Continued != "" && f.From == nil {
			err = fmt.Errorf("--continue %s: %w", f.Continued, err)
		}
		err = inputError(f, m.File, err)
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = fmt.Errorf("%w before the matrix was read; nothing is written", exit.Interruption(ctx))
		}
	}
	if err := f.All.Agree(err, ""); err != nil {
		return err
	}
	if r.V.Cols == 0 {
		return exit.Nothing(ctx, r.Stop == outcome.StopTime, "a factor was finished", checkpoint.Hint(f.Out))
	}
	if err := r.Finish(f.Scale == record.ScaleTopics); err != nil || f.All.Helper() {
		return err
	}
	defer r.Release()
	rep := record.FactorOf(rows, cols, r)
	f.describe(rep, m.File, pics)
	if f.Top > 0 {
		if rep.Top, err = topOf(r, f.Top, rep.RowNames, rep.ColNames); err != nil {
			return err
		}
	}
	if picture.Torn(r.V, pics.Basis) || pics.Maps.Known() && picture.Torn(r.W.Transposed(), pics.Maps) {
		rep.Notes = append(rep.Notes, "the pictures look torn; try the other --image-order, or height and width in the other order")
	}
	written, err := writeResults(folder, f.Write, rep, r, pics, f.Report)
	if err == nil {
		err = f.States.End(ctx.Err() == nil && r.Stop != outcome.StopTime)
	}
	if err != nil {
		return err
	}
	for _, text := range rep.Notes {
		c.Note("%s", text)
	}
	err = rep.Show(c.Out, f.JSON, f.Out, written)
	if r.Stop == outcome.StopCancelled || ctx.Err() != nil && f.Improve && rep.Improved == nil {
		return errors.Join(interruptedError(ctx, rep, f.Out), err)
	}
	m.Steps.End(r.Stop, r.RelativeError, f.Out)
	if err == nil && f.Out != "" && progress.IsTerminal(c.Err) {
		fmt.Fprintf(c.Err, "next: nmu report %s\n", render.Printable(message.ShellWord(f.Out)))
	}
	return cmp.Or(err, exit.Unconverged(f.Tolerance > 0, r.Stop))
}

// describe adds to a report the entries that come from the command line and the input.
func (f *commandLine) describe(r *record.Factor, file *matio.File, pics picture.Shown) {
	r.Input = f.Path
	r.RowNames, r.ColNames = file.RowNames(), file.ColNames()
	r.RowAxis, r.ColAxis = file.Axes()
	r.Image, r.Map = pics.Basis, pics.Maps
	how := &r.Settings
	how.Take(f.Run)
	how.SetInit(f.Command.Start)
	how.Given, how.Processes = f.Options.Given(), f.All.Count()
}

// inputError names the input in an error about a matrix, or the flag of another one.
func inputError(f *commandLine, file *matio.File, err error) error {
	bad := (*lnmu.ValueError)(nil)
	if !errors.Is(err, lnmu.ErrValue) || !errors.As(err, &bad) || bad.Matrix == "M" {
		return input.Explain(err, f.Path, f.Precision, file)
	}
	flag, path := "init", f.Command.Start
	switch {
	case bad.Matrix == "fixed V":
		flag, path = "fix-v", f.FixV
	case bad.Matrix == "fixed W":
		flag, path = "fix-w", f.FixW
	case f.Continued != "":
		flag, path = "continue", f.Continued
	}
	return fmt.Errorf("--%s %s: %w", flag, path, err)
}

// interruptedError returns the error of an interrupted run, which says where its factors
// are.
func interruptedError(ctx context.Context, rep *record.Factor, out string) error {
	where := "not written, for want of --out"
	if out != "" {
		where = "written to " + out + checkpoint.Hint(out)
	}
	if d, _ := options.Describe(rep.Settings.Method); !d.Recursive {
		return fmt.Errorf("%w: the factors as they were are %s", exit.Interruption(ctx), where)
	}
	return fmt.Errorf("%w: %d of %d factors are finished and %s", exit.Interruption(ctx), rep.Rank, rep.Settings.Rank, where)
}

// readStart reads the factors that --init names.
func readStart[T lnmu.Float](dir string, file *matio.File) (v, w lnmu.Dense[T], err error) {
	if v, w, err = record.ReadFactors[T](dir, file); err == nil {
		if left := data.Unblank(v, w); left != nil {
			err = fmt.Errorf("its run left out %s, for which it has no start; choose the result of a run on all rows and columns", left)
		}
	}
	if err != nil {
		err = fmt.Errorf("--init %s (none of random, svd, spa, snpa and nested, so a folder): %w", dir, err)
	}
	return v, w, err
}
