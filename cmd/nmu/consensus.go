package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/progress"
	"nmu/cmd/internal/record"
	"nmu/cmd/internal/solve"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/consensus"
)

// consensusFlags is the command line of nmu consensus.
type consensusFlags struct {
	comparison
	runs       int
	resample   string
	level      float64
	checkpoint time.Duration
	force      bool

	resume *checkpoint.State // of nmu resume
}

// consensusName is the name of the command, also in its checkpoints.
const consensusName = "consensus"

func consensusCommand() *cobra.Command {
	cmd, _ := newConsensus()
	return cmd
}

func newConsensus() (*cobra.Command, *consensusFlags) {
	var f consensusFlags
	cmd := &cobra.Command{
		Use:   consensusName + " INPUT --rank 5:12",
		Short: "Compare many runs: stable parts, and an interval for each entry",
		Long: `Make many runs for each rank and compare them: how far they find the same parts, what
the parts have in common, and how far each entry of V and W can be trusted.

` + input.Help() + `

The runs differ in their random starts. With --resample columns each run has columns
drawn from those of M with replacement, and the weights of the columns of M are fitted
to rows drawn with replacement. With --resample poisson each run has counts drawn from
the Poisson distributions with the entries of M as means. Only resampled runs show the
noise in M: intervals of other runs show how far the result depends on the start.

The parts of all runs are matched by the Hungarian method. The stability of a rank is
the mean silhouette of the matched parts, from 1 (the same in all runs) to about 0. The
consensus parts are the medians without outliers, scaled to the sum 1; the weights are
fitted to M again. The advice is the largest rank whose parts recur: a stability of 0.8
and silhouettes of 0.2. With --uncertainties, the standard deviations of the entries,
or --weights the table has Q, the weighted sum of squares, over its expectation.

With --out, DIR receives consensus.json, consensus.svg and consensus.html, a page with
the parts, their intervals and the consensus map of each rank. Of each rank R, V-R.csv
and W-R.csv have a line for each row or column of M, with the entry and its interval
for each part. V-R.npy and W-R.npy are the factors, map-R.csv is the consensus map.
Ctrl-C writes the ranks that have two runs and exits with status 130, SIGTERM does so
with 143 and SIGHUP with 129. nmu resume goes on from the last checkpoint.`,
		Example: `  nmu consensus mutations.csv --rank 2:10 --method kl --resample poisson --out sure
  nmu consensus cells/ --rank 5:12 --runs 50 --resample columns --out sure
  nmu consensus air.csv --uncertainties errors.csv --missing allow --rank 3:8 --json`,
		Args: flags.OneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Path = args[0]
			return f.execute(cmd)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.ranks, "rank", "", "the `RANKS` to compare: 5, 5:12, 5:50:5 (every fifth), or a\nlist such as 2:8,10,12")
	fs.IntVar(&f.runs, "runs", 100, "`N` runs for each rank")
	fs.StringVar(&f.resample, "resample", "", "what differs from run to run beside the start: `WAY` columns\nor poisson (counts)")
	fs.Float64Var(&f.level, "level", 0.95, "`SHARE` of the runs that an interval holds")
	fs.BoolVar(&f.force, "force", false, "write to DIR even if it has a checkpoint or other files")
	f.add(cmd, comparisonTexts{
		restarts: "`S` starts in each run, of which the best counts",
		seed:     "seed `S` of the first run",
		init:     "`START`: random or nested; with --resample also svd, snpa\nor spa",
		out:      "folder `DIR` for the tables, a plot and a page (default:\nprint only)",
		json:     "print consensus.json instead of a table",
	}, func(fs *pflag.FlagSet) {
		fs.DurationVar(&f.checkpoint, "checkpoint", 0, "write a checkpoint to DIR every `D`, 0 for never (default: 5m,\nfrom 10m on)")
	})
	flags.SetWords(fs, "resample", consensus.Resamples(), false)
	flags.Require(cmd, "rank", "5:12")
	return cmd, &f
}

// execute runs the command with its flags.
func (f *consensusFlags) execute(cmd *cobra.Command) error {
	return flags.Run(f.check(cmd.Flags().Changed), f.precision, func() error { return runConsensus[float32](cmd, f) }, func() error { return runConsensus[float64](cmd, f) })
}

// check rejects values that would stand for a default.
func (f *consensusFlags) check(given func(flag string) bool) error {
	if err := f.comparison.check(given); err != nil {
		return err
	}
	switch {
	case f.runs < 2:
		return fmt.Errorf("--runs %d; choose 2 or more", f.runs)
	case given("resample") && !slices.Contains(consensus.Resamples(), consensus.Resample(f.resample)):
		return fmt.Errorf("--resample %q; choose %s", f.resample, message.Enumerate(message.Strings(consensus.Resamples()), "or"))
	case !(f.level > 0 && f.level < 1):
		return fmt.Errorf("--level %v; choose a share between 0 and 1, such as 0.95", f.level)
	}
	return checkpoint.CheckFlag(f.checkpoint, f.out, f.Path == input.Stdin)
}

// runConsensus is nmu consensus in one precision. It makes all checks before the long computation.
func runConsensus[T lnmu.Float](cmd *cobra.Command, f *consensusFlags) error {
	defer solve.ReadWithin(f.MaxMemory)()
	defer f.Limit(cmd.Context(), f.timeLimit)()
	of, err := f.open(cmd, "rank")
	if err != nil {
		return err
	}
	defer of.file.Close()
	file, rows, cols, ranks, method, observed := of.file, of.rows, of.cols, of.ranks, of.method, of.observed
	var left *input.Lines // the rows and columns of a scene with an observed entry
	asked := consensus.Settings{
		Runs: f.runs, Resample: consensus.Resample(f.resample), Level: f.level,
		Settings: f.settings(),
	}
	partial := observed.Mask != nil || observed.Weights != nil || observed.Gaps
	sparse := file.Sparse() && !partial
	counted := func(m lnmu.Matrix[T]) lnmu.Matrix[T] {
		if !partial {
			return m
		}
		return lnmu.Observed[T]{Matrix: m, Mask: left.Mask(observed.Mask), Weights: left.Weights(observed.Weights)}
	}
	var used lnmu.Method
	var settings consensus.Settings
	withDefaults := func() error {
		if f.entries.Empty && partial {
			left = input.LinesOf(rows, cols, observed.Mask, observed.Weights)
		}
		keptRows, keptCols := left.Dims(rows, cols)
		shape := lnmu.Unread[T]{Rows: keptRows, Cols: keptCols, Sparse: sparse}
		ranks, used, settings, err = consensus.WithDefaults(counted(shape), ranks, method, &asked)
		return err
	}
	if err := withDefaults(); err != nil {
		return err
	}
	var folder *fileset.Folder
	if f.out != "" {
		if folder, err = record.OpenFolder(f.out, record.ConsensusNames(ranks), record.NameConsensus, f.force || f.resume != nil, checkpoint.Has); err != nil {
			return err
		}
		defer folder.Close()
		if f.resume == nil {
			if err := checkpoint.Remove(folder); err != nil {
				return err
			}
		}
	}
	need, err := fitConsensus[T](file, sparse, observed, ranks, used, &settings)
	if err != nil {
		return err // before anything is read
	}
	settings.Checkpoint = f.points(cmd).Settings(folder, f.resume)
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	defer f.Until(ctx, file)()
	var m lnmu.Matrix[T]
	if sparse {
		m, err = readSparse[T](file)
	} else {
		var whole lnmu.Dense[T]
		if whole, err = input.Dense[T](file); err == nil && observed.Gaps {
			observed.Mask = observed.Mask.And(lnmu.MaskOf[T](whole))
			limits := settings
			if err := withDefaults(); err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			settings.SideBySide, settings.Checkpoint = limits.SideBySide, limits.Checkpoint
		}
		if err == nil {
			m, err = input.Kept(file, left, whole, "comparing runs")
		}
	}
	if err != nil {
		return exit.MarkInterrupted(ctx, input.Hint(err))
	}
	f.Say(cmd, file)
	line := progress.NewLine(cmd.ErrOrStderr())
	settings.Report = func(p consensus.Progress) {
		sayRun(line, p.Finished, p.Runs, p.Remaining)
	}
	begun := time.Now()
	var res *consensus.Result[T]
	err = file.Guard(func() (err error) {
		m = counted(m)
		if settings.Resample == consensus.Poisson && !counts(m) {
			message.Note(cmd.ErrOrStderr(), "%s: not all entries are whole numbers, so that they are no counts; --resample poisson takes them as means of counts", f.Path)
		}
		defer solve.KeepWithin(need)()
		res, err = consensus.Find(ctx, m, ranks, used, &settings)
		left.Locate(err)
		return err
	})
	line.Clear()
	if err != nil && (res == nil || ctx.Err() == nil || errors.Is(err, matio.ErrChanged)) {
		return input.Explain(err, f.Path, f.precision, file)
	}
	if len(res.Points) == 0 {
		return exit.Nothing(ctx, ctx.Err() == nil, "two runs for a rank were finished", checkpoint.Hint(f.out))
	}
	rowNames, colNames := left.Names(file.RowNames(), file.ColNames())
	if left != nil {
		message.Note(cmd.ErrOrStderr(), "%s without an observed entry are left out; the tables name the others", left)
	}
	f.note(cmd, res.Notes)
	rep := &record.Consensus[T]{
		Schema: record.ConsensusSchema, Origin: record.NewOrigin(f.Path, f.Variable, f.Transpose), Iterations: settings.Iterations, Init: string(settings.Init),
		Restarts: settings.Restarts, Manner: f.manner(used, settings.Settings, begun), Result: res,
		RowNames: rowNames, ColNames: colNames,
	}
	if err := rep.Show(cmd.OutOrStdout(), folder, f.out, f.json); err != nil {
		return err
	}
	if res.Stop == "" && f.out != "" {
		if err := checkpoint.Remove(folder); err != nil {
			return err
		}
	}
	if res.Stop == lnmu.StopCancelled {
		return fmt.Errorf("%w: %d of %s are finished%s", exit.Interruption(ctx), res.Finished, render.Plural(res.Runs, "run"), checkpoint.Hint(f.out))
	}
	return nil
}

// readSparse reads a sparse matrix.
func readSparse[T lnmu.Float](file *matio.File) (lnmu.CSR[T], error) {
	rows, cols, ptr, idx, val, err := matio.Sparse[T](file)
	return lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Val: val}, err
}

// counts reports whether all observed entries are whole numbers.
func counts[T lnmu.Float](m lnmu.Matrix[T]) bool {
	whole := func(x T) bool { return float64(x) == math.Floor(float64(x)) }
	switch m := m.(type) {
	case lnmu.CSR[T]:
		return !slices.ContainsFunc(m.Val, func(x T) bool { return !whole(x) })
	case lnmu.Observed[T]:
		rows, cols := m.Dims()
		for i := range rows {
			for j := range cols {
				if (m.Mask == nil || m.Mask.Observed(i, j)) && !whole(m.At(i, j)) {
					return false
				}
			}
		}
		return true
	case lnmu.Dense[T]:
		return counts[T](lnmu.Observed[T]{Matrix: m})
	}
	return true
}

// fitConsensus fits runs into memory, and returns what they need.
func fitConsensus[T lnmu.Float](file *matio.File, sparse bool, observed input.Observed, ranks []int, method lnmu.Method, s *consensus.Settings) (int64, error) {
	rows, cols := file.Dims()
	unread, reading, entries := solve.Unread[T](file), int64(0), 0
	if sparse {
		unread, entries = matio.SparseSize[T](file)
		reading = solve.ReadingSparse[T](file)
	}
	work := fmt.Sprintf("comparing %d runs up to rank %d by %s", s.Runs, ranks[len(ranks)-1], method.Describe().Name)
	return fits(file, unread, reading, &s.SideBySide, s.Threads, work, func() (int64, error) {
		return consensus.EstimateOf(lnmu.Unread[T]{Rows: rows, Cols: cols, Sparse: sparse, Entries: entries, Missing: observed.Missing(), Weighted: observed.Weights != nil}, ranks, method, *s)
	})
}

// points returns the writer of checkpoints that the flags ask for, or nil.
func (f *consensusFlags) points(cmd *cobra.Command) *checkpoint.Writer {
	given := cmd.Flags().Changed("checkpoint")
	if f.out == "" || f.Path == input.Stdin || given && f.checkpoint == 0 {
		return nil
	}
	return checkpoint.NewWriter(f.checkpoint, f.resume, func() (checkpoint.Note, error) {
		note, err := checkpoint.NewNote(consensusName, f.Path, cmd.Flags())
		if err == nil {
			note.Files, err = f.files()
		}
		return note, err
	}, func(err error) {
		message.Note(cmd.ErrOrStderr(), "no checkpoint could be written: %s", message.OneLine(err))
	})
}

// files reads the files that the run reads.
func (f *consensusFlags) files() ([]checkpoint.Input, error) {
	rows, cols := f.NamesPaths()
	paths, err := checkpoint.Paths(f.Path, append([]string{rows, cols}, f.entries.Paths()...)...)
	if err != nil {
		return nil, err
	}
	return checkpoint.ReadInputs(paths)
}

// resumeConsensus goes on with a state of nmu consensus, with the flags of nmu resume.
func resumeConsensus(resume *cobra.Command, dir string, from *checkpoint.State) error {
	cmd, f := newConsensus()
	fail := func(err error) error { return fmt.Errorf("%s: %w", dir, err) }
	if err := factor.Restore(cmd, resume, dir, from, func(string) bool { return false }); err != nil {
		return fail(err)
	}
	var failed error
	resume.Flags().Visit(func(flag *pflag.Flag) {
		switch own := cmd.Flags().Lookup(flag.Name); {
		case own == nil:
			failed = exit.Misuse(fmt.Errorf("--%s is for runs of nmu factor, and %s has one of nmu consensus; leave it out", flag.Name, dir))
		case failed == nil:
			failed = cmd.Flags().Set(flag.Name, flag.Value.String())
		}
	})
	if failed != nil {
		return failed
	}
	f.Path, f.resume = from.PathFrom(from.Note.Input), from
	files, err := f.files()
	if err := from.Same(files, err); err != nil {
		return fail(err)
	}
	return f.execute(cmd)
}
