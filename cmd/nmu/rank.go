package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/rank"
)

// rankFlags is the command line of nmu rank.
type rankFlags struct {
	input
	precision string
	seen      missingFlags

	method     string
	options    methodFlags
	ranks      string
	folds      int
	restarts   int
	iterations int
	seed       uint64
	init       string
	threads    int
	tolerance  float64
	timeLimit  time.Duration

	out  string
	json bool
}

func rankCommand() *cobra.Command {
	f := rankFlags{options: newMethodFlags()}
	cmd := &cobra.Command{
		Use:   "rank INPUT --ranks 2:20",
		Short: "Compare ranks by held-out error and stability, and advise one",
		Long: `Compare ranks for the factorization of the nonnegative matrix M in INPUT, and say
which one to choose, and why.

` + inputHelp + `
A sparse matrix is made dense.

The observed entries of M are shared out at random to K folds. For each fold and
rank M is factored without what the fold holds out, and the error there is measured:
it falls while further factors find what is in M, and rises when they find noise. The
advice is the smallest rank that is within one standard error of the best one. The
training error is that of a run of all entries, and its elbow is named as well.

How stable the factors are is measured between N runs of all entries (--restarts), or
with N = 1 between those of the folds: by the mean cosine of matched columns of V, and
by the cophenetic correlation and the dispersion of the consensus matrix, as by
package NMF of R.

Of a recursion (` + enumerate(methodNames(recursive), "or") + `) one run gives the factors of all ranks, so that the
work is that of K + N factorizations. With --out, DIR receives rank.json, rank.svg (a
plot) and rank.html (a page with both). Ctrl-C prints and writes what is finished and
exits with status 130, SIGTERM does so with 143 and SIGHUP with 129.`,
		Example: `  nmu rank faces.mat --ranks 2:20
  nmu rank faces.mat --ranks 5:50:5 --method rnmu --out ranks
  nmu rank counts.csv --ranks 2:8,10,12 --restarts 30 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("rank wants one INPUT, got %d; see nmu rank --help", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.path = args[0]
			if err := f.check(cmd.Flags().Changed); err != nil {
				return misuse(err)
			}
			switch f.precision {
			case "float32":
				return runRank[float32](cmd, &f)
			case "float64":
				return runRank[float64](cmd, &f)
			}
			return misuse(fmt.Errorf("unknown precision %q; choose float32 or float64", f.precision))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.ranks, "ranks", "", "the `RANKS` to compare: 2:20, 5:50:5 (every fifth), or a list\nsuch as 2:8,10,12")
	fs.StringVar(&f.method, "method", lnmu.NMF{}.Describe().Name, usage("`METHOD`: "+enumerate(methodNames(anyMethod), "or")+";")+"\nsee nmu --help")
	fs.IntVar(&f.folds, "folds", 5, "number `K` of parts of the entries, of which each is held out\nonce; with 1 nothing is held out")
	fs.IntVar(&f.restarts, "restarts", 1, "`N` runs of all entries for each rank, from the seeds S,\nS+1, ...")
	fs.IntVar(&f.iterations, "iters", 0, usage("`I` iterations of a run, of a recursion for each factor (default: "+iterationList()+")"))
	fs.Uint64Var(&f.seed, "seed", 0, "seed `S` of the folds and of the random starts")
	fs.StringVar(&f.init, "init", string(lnmu.InitRandom), "`START`: random, or svd (first singular vectors)")
	fs.Float64Var(&f.tolerance, "tol", 0, "end a run when the relative error changes by no more than\n`X` times itself in 10 iterations (default 0, never)")
	fs.DurationVar(&f.timeLimit, "time-limit", 0, "end after `D`, such as 90s or 2h, with what is finished\n(default none)")
	f.options.add(fs)
	fs.IntVar(&f.threads, "threads", 0, "number `P` of threads; the result does not depend on it\n(default: all processors)")
	fs.StringVar(&f.precision, "precision", "float64", "`TYPE`: float32 or float64")
	f.input.add(fs, "factor the transpose")
	f.seen.addMask(fs)
	fs.StringVar(&f.out, "out", "", "folder `DIR` for rank.json, a plot and a page (default:\nprint only)")
	fs.BoolVar(&f.json, "json", false, "print rank.json instead of a table")
	knows(fs, nameMethod, methodNames(anyMethod), false)
	knows(fs, "init", lnmu.Inits(), false)
	knows(fs, "precision", precisions, false)
	if err := cmd.MarkFlagRequired("ranks"); err != nil {
		panic(err) // there is such a flag
	}
	return cmd
}

// check rejects values that would stand for a default.
func (f *rankFlags) check(given func(flag string) bool) error {
	if err := checkCounts(given, f.threads, count{flag: "folds", value: f.folds}, count{flag: "restarts", value: f.restarts}, count{flag: "iters", value: f.iterations}); err != nil {
		return err
	}
	switch {
	case f.init == "":
		return errors.New("--init is empty; choose random or svd")
	case given("out") && f.out == "":
		return errors.New("--out is empty; name a folder")
	}
	return nil
}

// parseRanks reads ranks from 1 to most: numbers, ranges a:b and a:b:step, separated by
// commas.
func parseRanks(text string, most int) ([]int, error) {
	bad := func() error {
		return fmt.Errorf("--ranks %q; choose ranks from 1 to %d, such as 2:20, 5:50:5 or 2:8,10,12", text, most)
	}
	var ranks []int
	for part := range strings.SplitSeq(text, ",") {
		var ends []int
		for word := range strings.SplitSeq(part, ":") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 || len(ends) == 3 {
				return nil, bad()
			}
			ends = append(ends, n)
		}
		first, last, step := ends[0], ends[0], 1
		if len(ends) > 1 {
			last = ends[1]
		}
		if len(ends) > 2 {
			step = ends[2]
		}
		if first > last {
			return nil, bad()
		}
		if last > most {
			return nil, fmt.Errorf("--ranks %q: rank %d is more than the matrix can have; choose 1 to %d", text, last, most)
		}
		for r := first; ; r += step {
			ranks = append(ranks, r)
			if r > last-step {
				break
			}
		}
	}
	return ranks, nil
}

// runRank is nmu rank in one precision. Everything that can be checked is checked
// before the long computation.
func runRank[T lnmu.Float](cmd *cobra.Command, f *rankFlags) error {
	file, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, cols := file.Dims()
	if rows == 0 || cols == 0 {
		return fmt.Errorf("%s: the matrix is empty (%d x %d)", f.path, rows, cols)
	}
	ranks, err := parseRanks(f.ranks, min(rows, cols))
	if err != nil {
		return misuse(err)
	}
	method, err := f.options.method(f.method)
	if err != nil {
		return err
	}
	seen, err := f.seen.read(&f.input, file)
	if err != nil {
		return err
	}
	asked := rank.Settings{Folds: f.folds, Settings: lnmu.Settings{
		Iterations: f.iterations, Restarts: f.restarts, Seed: f.seed, Init: lnmu.Init(f.init),
		Threads: f.threads, Tolerance: f.tolerance, TimeLimit: f.timeLimit, Observed: seen.mask,
	}}
	ranks, used, settings, err := rank.WithDefaults(rows, cols, ranks, method, &asked)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := fileset.Check(f.out, rankNames); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := fitRanks[T](file, matio.DenseSize[T](file), ranks, used, &settings); err != nil {
		return err // before anything is read
	}
	m, err := readMatrix[T](file)
	if err != nil {
		return err
	}
	if seen.gaps {
		asked.Observed = seen.mask.And(lnmu.MaskOf[T](m))
		if ranks, used, settings, err = rank.WithDefaults(rows, cols, ranks, method, &asked); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	if err := fitRanks[T](file, 0, ranks, used, &settings); err != nil {
		return err
	}

	f.say(cmd, file)
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	line := newProgressLine(cmd.ErrOrStderr())
	settings.Report = func(p rank.Progress) {
		line.say(fmt.Sprintf("run %d/%d  %s left", min(p.Finished+1, p.Runs), p.Runs, p.Remaining.Round(time.Second)))
	}
	begun := time.Now()
	var res *rank.Result
	err = file.Guard(func() (err error) {
		res, err = rank.Curve(ctx, m, ranks, used, &settings)
		return err
	})
	line.clear()
	if err != nil && (res == nil || ctx.Err() == nil || errors.Is(err, matio.ErrChanged)) {
		return matrixError(err, f.path, f.precision, file)
	}
	if !slices.ContainsFunc(res.Points, func(p rank.Point) bool { return p.Training != nil || p.HeldOut != nil }) {
		if ctx.Err() == nil {
			return errors.New("--time-limit: the time was over before a rank was finished; nothing is written")
		}
		return fmt.Errorf("%w before a rank was finished; nothing is written", interruption(ctx))
	}
	rep := newRankReport(f, res, used, settings, time.Since(begun))
	if failed := rep.show(cmd.OutOrStdout(), f.out, f.json); failed != nil {
		return failed
	}
	if res.Stop == lnmu.StopCancelled {
		return fmt.Errorf("%w: %d of %s are finished", interruption(ctx), res.Finished, render.Plural(res.Runs, "run"))
	}
	return nil
}

// newRankReport describes what was found.
func newRankReport(f *rankFlags, res *rank.Result, method lnmu.Method, s rank.Settings, took time.Duration) *rankReport {
	return &rankReport{
		Schema: rankSchema, Version: release.Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Input: f.path, Variable: f.variable, Transpose: f.transpose,
		Iterations: s.Iterations, Init: string(s.Init), Tolerance: s.Tolerance, Options: optionsOf(method),
		Threads: s.Threads, Precision: f.precision, Seconds: took.Seconds(), Result: res,
	}
}

// fitRanks returns an error if the runs need more memory than there is beside so many
// bytes of M that are not read yet. It lets as many runs be side by side as fit.
func fitRanks[T lnmu.Float](file *matio.File, unread int64, ranks []int, method lnmu.Method, s *rank.Settings) error {
	rows, cols := file.Dims()
	last := ranks[len(ranks)-1]
	s.SideBySide = min(s.SideBySide, s.Threads)
	for {
		p := plan{rank: last, method: method, settings: s.Settings, gaps: true}
		p.settings.Restarts, p.settings.Threads = 1, s.Threads/s.SideBySide
		err := file.Fits(plus(unread, rankMemory[T](rows, cols, len(ranks), s, p)), fmt.Sprintf("comparing ranks up to %d by %s", last, method.Describe().Name))
		if err == nil || s.SideBySide == 1 {
			return err
		}
		s.SideBySide--
	}
}
