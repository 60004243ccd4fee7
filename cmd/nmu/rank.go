package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/progress"
	"nmu/cmd/internal/record"
	"nmu/cmd/internal/solve"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/rank"
)

// rankFlags is the command line of nmu rank.
type rankFlags struct {
	comparison
	folds int
	force bool
}

func rankCommand() *cobra.Command {
	var f rankFlags
	cmd := &cobra.Command{
		Use:   "rank INPUT --ranks 2:20",
		Short: "Compare ranks by held-out error and stability, and advise one",
		Long: `Compare ranks for the factorization of the nonnegative matrix M in INPUT, and advise
one, with the reason.

` + input.Help() + `
A sparse matrix is made dense.

The observed entries of M are divided at random into K folds. For each fold and rank,
M is factored without the entries of the fold, and the error on these entries is
measured, with --method kl the divergence. With --weights it is the weighted error. This
held-out error falls while further factors find structure, and rises when they fit
noise. The advice is the smallest rank within one standard error of the best one. The
training error comes from a run on all entries; its elbow is reported as well. If the
held-out error is least at one of the last two ranks, the advice is the elbow, provided
that it is clear and that stability falls from there. Otherwise there is none.

Stability compares N runs on all entries (--restarts), or for N = 1 the runs of the
folds. It is measured by the mean cosine of matched columns of V, and by the cophenetic
correlation and the dispersion of the consensus matrix, as in package NMF of R.

One run of a recursion (` + message.Enumerate(methods.Names(methods.Recursive), "or") + `) gives the factors of all ranks, so the comparison takes
K + N factorizations in all. With --out, DIR receives rank.json, rank.svg (a plot) and
rank.html (a page with both). Ctrl-C prints and writes what is finished and
exits with status 130, SIGTERM does so with 143 and SIGHUP with 129.`,
		Example: `  nmu rank faces.mat --ranks 2:20
  nmu rank faces.mat --ranks 5:50:5 --method rnmu --out ranks
  nmu rank counts.csv --ranks 2:8,10,12 --restarts 30 --json`,
		Args: flags.OneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Path = args[0]
			return flags.Run(f.check(cmd.Flags().Changed, flags.Count{Flag: "folds", Value: f.folds}), f.precision,
				func() error { return runRank[float32](cmd, &f) }, func() error { return runRank[float64](cmd, &f) })
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.ranks, "ranks", "", "the `RANKS` to compare: 2:20, 5:50:5 (every fifth), or a list\nsuch as 2:8,10,12")
	fs.IntVar(&f.folds, "folds", 5, "number `K` of folds, the parts of the entries that are held\nout in turn; with 1 nothing is held out")
	fs.BoolVar(&f.force, "force", false, "write to DIR even if it has a checkpoint or other files")
	f.add(cmd, comparisonTexts{
		restarts: "`N` runs on all entries for each rank, with seeds S, S+1,\n...",
		seed:     "seed `S` of the folds and of the random starts",
		init:     "`START`: random, svd (first singular vectors), snpa or spa\n(pure columns of M, by successive nonnegative projection,\nor by successive projection), or nested",
		out:      "folder `DIR` for rank.json, a plot and a page (default:\nprint only)",
		json:     "print rank.json instead of a table",
	}, func(*pflag.FlagSet) {})
	flags.Require(cmd, "ranks", "2:20")
	return cmd
}

// runRank is nmu rank in one precision. It makes all checks before the long computation.
func runRank[T lnmu.Float](cmd *cobra.Command, f *rankFlags) error {
	defer solve.ReadWithin(f.MaxMemory)()
	defer f.Limit(cmd.Context(), f.timeLimit)()
	of, err := f.open(cmd, "ranks")
	if err != nil {
		return err
	}
	defer of.file.Close()
	file, rows, cols, ranks, method, observed := of.file, of.rows, of.cols, of.ranks, of.method, of.observed
	var left *input.Lines // the rows and columns of a scene with an observed entry
	counted := func(m lnmu.Matrix[T]) lnmu.Observed[T] {
		return lnmu.Observed[T]{Matrix: m, Mask: left.Mask(observed.Mask), Weights: left.Weights(observed.Weights)}
	}
	asked := rank.Settings{Folds: f.folds, Settings: f.settings()}
	var used lnmu.Method
	var settings rank.Settings
	withDefaults := func() error {
		if f.entries.Empty {
			left = input.LinesOf(rows, cols, observed.Mask, observed.Weights)
		}
		keptRows, keptCols := left.Dims(rows, cols)
		ranks, used, settings, err = rank.WithDefaults(counted(lnmu.Unread[T]{Rows: keptRows, Cols: keptCols}), ranks, method, &asked)
		return err
	}
	err = withDefaults()
	if err != nil && observed.Gaps && observed.Mask == nil { // with missing entries other options may go together
		observed.Mask = solve.OneGap(rows, cols)
		err = withDefaults()
		observed.Mask = nil
	}
	if err != nil {
		return err
	}
	var folder *fileset.Folder
	if f.out != "" {
		if folder, err = record.OpenFolder(f.out, record.RankNames, record.NameRank, f.force, checkpoint.Has); err != nil {
			return err
		}
		defer folder.Close()
	}
	if _, err := fitRanks[T](file, solve.Unread[T](file), observed, ranks, used, &settings); err != nil {
		return err // before anything is read
	}
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	defer f.Until(ctx, file)()
	m, err := input.Dense[T](file)
	if err != nil {
		return exit.MarkInterrupted(ctx, err)
	}
	if observed.Gaps {
		observed.Mask = observed.Mask.And(lnmu.MaskOf[T](m))
		if err := withDefaults(); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	if m, err = input.Kept(file, left, m, "comparing ranks"); err != nil {
		return err
	}
	need, err := fitRanks[T](file, solve.Pages[T](file), observed, ranks, used, &settings)
	if err != nil {
		return err
	}

	f.Say(cmd, file)
	line := progress.NewLine(cmd.ErrOrStderr())
	settings.Report = func(p rank.Progress) {
		sayRun(line, p.Finished, p.Runs, p.Remaining)
	}
	begun := time.Now()
	var res *rank.Result
	err = file.Guard(func() (err error) {
		kept := counted(m)
		defer solve.KeepWithin(need)()
		res, err = rank.Curve(ctx, kept, ranks, used, &settings)
		left.Locate(err)
		return err
	})
	line.Clear()
	if err != nil && (res == nil || ctx.Err() == nil || errors.Is(err, matio.ErrChanged)) {
		return input.Explain(err, f.Path, f.precision, file)
	}
	if !slices.ContainsFunc(res.Points, func(p rank.Point) bool { return p.Training != nil || p.HeldOut != nil }) {
		return exit.Nothing(ctx, ctx.Err() == nil, "a rank was finished", "")
	}
	if left != nil {
		res.Rows, res.Cols = rows, cols
		message.Note(cmd.ErrOrStderr(), "%s without an observed entry are left out", left)
	}
	f.note(cmd, res.Notes)
	rep := record.Rank{
		Schema: record.RankSchema, Origin: record.NewOrigin(f.Path, f.Variable, f.Transpose), Iterations: settings.Iterations, Init: string(settings.Init),
		Manner: f.manner(used, settings.Settings, begun), Result: res,
	}
	if failed := rep.Show(cmd.OutOrStdout(), folder, f.out, f.json); failed != nil {
		return failed
	}
	if res.Stop == lnmu.StopCancelled {
		return fmt.Errorf("%w: %d of %s are finished", exit.Interruption(ctx), res.Finished, render.Plural(res.Runs, "run"))
	}
	return nil
}

// fitRanks fits runs for a comparison of ranks into memory, and returns what they need.
func fitRanks[T lnmu.Float](file *matio.File, unread int64, observed input.Observed, ranks []int, method lnmu.Method, s *rank.Settings) (int64, error) {
	rows, cols := file.Dims()
	work := fmt.Sprintf("comparing ranks up to %d by %s", ranks[len(ranks)-1], method.Describe().Name)
	return fits(file, unread, 0, &s.SideBySide, s.Threads, work, func() (int64, error) {
		return rank.EstimateOf(lnmu.Unread[T]{Rows: rows, Cols: cols, Missing: observed.Missing(), Weighted: observed.Weights != nil}, ranks, method, *s)
	})
}
