package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// maxThreads is more than any machine has, and few enough for goroutines.
const maxThreads = 4096

// factorFlags is the command line of nmu factor.
type factorFlags struct {
	input     string
	variable  string
	transpose bool
	dense     bool
	image     string
	precision string

	method      string
	rank, block int
	iterations  int
	inner       int
	restarts    int
	seed        uint64
	init        string
	threads     int
	tolerance   float64
	targetError float64
	timeLimit   time.Duration

	norm          string
	feasible      string
	feasibleSteps int

	sparsity sparsityFlags
	improve  bool

	maxMemory memoryLimit

	out  string
	json bool
}

func factorCommand() *cobra.Command {
	var f factorFlags
	cmd := &cobra.Command{
		Use:   "factor INPUT --rank R",
		Short: "Factor the matrix in a file or a folder of images",
		Long: `Factor the nonnegative m x n matrix M in INPUT into V W, V (m x r) and W (r x n).

INPUT is .npy, .npz, .mat (MATLAB v5 to v7), .csv, .tsv, .mtx, or a folder of PGM
or PNG images of one size, of which each becomes one column (pixels column by
column, scaled to [0, 1]).

A sparse matrix (.mtx by coordinates, sparse .mat, .npz of SciPy) is never made
dense, and the multipliers of its zeros are one number that grows with the
iterations. Methods and options that need a dense matrix say so; see --dense.

With --out, DIR receives V.npy, W.npy, result.json and, if the size of the images
is known, basis.png, which shows the columns of V. All of them are written, or
none; those of an earlier run go. Ctrl-C writes the factors finished by then and
exits with status 130, SIGTERM does so with 143 and SIGHUP with 129.`,
		Example: `  nmu factor faces.mat --var X --rank 49 --method gnmu --image 19x19 --out g-out
  nmu factor images/ --rank 20 --out parts
  nmu factor m.npy --rank 50 --target-error 0.1 --restarts 1 --json
  nmu factor m.npy --rank 10 --method nmf --init previous-out --iters 100
  nmu factor m.npy --rank 10 --method gnmu --feasible final --feasible-steps 5
  nmu factor m.npy --rank 10 --method snmf --sparsity-v 0.9 --sparsity-w 0.6 --improve
  nmu factor m.npy --rank 10 --method hoyer --hoyer-v 0.8`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("factor wants one INPUT, got %d; see nmu factor --help", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.input = args[0]
			if err := f.check(cmd.Flags().Changed); err != nil {
				return err
			}
			switch f.precision {
			case "float32":
				return runFactor[float32](cmd, &f)
			case "float64":
				return runFactor[float64](cmd, &f)
			}
			return fmt.Errorf("unknown precision %q; choose float32 or float64", f.precision)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.IntVar(&f.rank, "rank", 0, "number `R` of factors, from 1 to min(m, n)")
	fs.StringVar(&f.method, "method", "rnmu", "`METHOD`: nmf, gnmu, rnmu, snmf (NMF with l1 penalties) or\nhoyer (NMF with a given sparseness)")
	fs.IntVar(&f.block, "block", 0, "rnmu: number `B` of factors computed together (default 1)")
	fs.IntVar(&f.iterations, "iters", 0, "`K` iterations, for rnmu of each factor or block\n(default: nmf, snmf 600, gnmu 240, rnmu 180, hoyer 1000)")
	fs.IntVar(&f.inner, "inner", 0, "gnmu, rnmu: `T` HALS steps between two updates of the\nmultipliers (default 2)")
	fs.IntVar(&f.restarts, "restarts", 0, "`N` runs, from the seeds S, S+1, ...; the one of least\nerror wins (default: 10 from random starts, else 1)")
	fs.Uint64Var(&f.seed, "seed", 0, "seed `S` of the random starts")
	fs.StringVar(&f.init, "init", "random", "`START`: random; svd (first singular vectors); or a folder\nwith V.npy and W.npy, such as a previous DIR")
	fs.Float64Var(&f.tolerance, "tol", 0, "stop when the relative error changes by no more than `X`\ntimes itself in 10 iterations (default 0, never)")
	fs.Float64Var(&f.targetError, "target-error", 0, "rnmu: stop adding factors when the relative error is at\nmost `E`, a fraction (default 0)")
	fs.DurationVar(&f.timeLimit, "time-limit", 0, "stop after `D`, such as 90s or 2h, with what is there\n(default none)")
	fs.StringVar(&f.norm, "norm", "l2", "rnmu: `NORM` that is minimised, l2 or l1 (robust against\nsingle large entries)")
	fs.StringVar(&f.feasible, "feasible", "", "gnmu, rnmu: make V W <= M hold without any tolerance, in\nfloating point: `WAY` final (at the end) or each (every\nfactor or block); cheap on binary data, costly on dense\ndata, where V W can else exceed M by up to its largest\nentry")
	fs.IntVar(&f.feasibleSteps, "feasible-steps", 0, "with --feasible: at most `N` exact steps, which take\nturns between V and W while the error falls (default 1)")
	f.sparsity.add(fs)
	fs.BoolVar(&f.improve, "improve", false, "measure also how far the error falls by one factor on V W,\nand by 100 HALS steps that keep the zeros")
	fs.IntVar(&f.threads, "threads", 0, "number `P` of threads; the result does not depend on it\n(default: all processors)")
	fs.StringVar(&f.precision, "precision", "float64", "`TYPE`: float32 or float64")
	fs.StringVar(&f.variable, "var", "", "`NAME` of the variable in a file that holds several")
	fs.BoolVar(&f.transpose, "transpose", false, "factor the transpose")
	fs.BoolVar(&f.dense, "dense", false, "make a sparse matrix dense")
	f.maxMemory.add(fs)
	fs.StringVar(&f.image, "image", "", "the columns are images of height x width pixels: `HxW`")
	fs.StringVar(&f.out, "out", "", "folder `DIR` for the results (default: print only)")
	fs.BoolVar(&f.json, "json", false, "print result.json instead of a table")
	if err := cmd.MarkFlagRequired("rank"); err != nil {
		panic(err) // there is such a flag
	}
	return cmd
}

// check rejects values that would stand for a default, or be ignored.
func (f *factorFlags) check(given func(flag string) bool) error {
	for _, x := range []struct {
		flag  string
		value int
	}{{"block", f.block}, {"iters", f.iterations}, {"inner", f.inner}, {"restarts", f.restarts}, {"threads", f.threads}, {"feasible-steps", f.feasibleSteps}} {
		if given(x.flag) && x.value < 1 {
			return fmt.Errorf("--%s %d; choose 1 or more", x.flag, x.value)
		}
	}
	switch {
	case f.threads > maxThreads:
		return fmt.Errorf("--threads %d; choose 1 to %d", f.threads, maxThreads)
	case slices.Contains([]lnmu.Method{lnmu.NMF, lnmu.SNMF, lnmu.Hoyer}, lnmu.Method(f.method)) && given("inner"):
		return fmt.Errorf("--inner is for gnmu and rnmu; %s has no multipliers", f.method)
	case given("feasible-steps") && !given("feasible"):
		return errors.New("--feasible-steps is for --feasible")
	case given("feasible") && f.feasible == "":
		return errors.New("--feasible is empty; choose final or each")
	case f.init == "":
		return errors.New(`--init is empty; choose random, svd or a folder`)
	case given("out") && f.out == "":
		return errors.New("--out is empty; name a folder")
	}
	return f.sparsity.check(given)
}

// options returns the options of the library, with the start if it is given, which
// shares the memory with the input.
func options[T lnmu.Float](f *factorFlags, file *matio.File) (lnmu.Options[T], error) {
	opt := lnmu.Options[T]{
		Method:      lnmu.Method(f.method),
		Rank:        f.rank,
		Block:       f.block,
		Iterations:  f.iterations,
		Inner:       f.inner,
		Restarts:    f.restarts,
		Seed:        f.seed,
		Init:        lnmu.Init(f.init),
		Threads:     f.threads,
		Tolerance:   f.tolerance,
		TargetError: f.targetError,
		TimeLimit:   f.timeLimit,

		Norm:          lnmu.Norm(f.norm),
		Feasible:      lnmu.Feasible(f.feasible),
		FeasibleSteps: f.feasibleSteps,

		PenaltyV: f.sparsity.PenaltyV, PenaltyW: f.sparsity.PenaltyW,
		SparsityV: f.sparsity.SparsityV, SparsityW: f.sparsity.SparsityW,
		HoyerV: f.sparsity.HoyerV, HoyerW: f.sparsity.HoyerW,
	}
	if opt.Init == lnmu.InitRandom || opt.Init == lnmu.InitSVD {
		return opt, nil
	}
	opt.Init = lnmu.InitGiven
	var err error
	opt.V, opt.W, err = readStart[T](f.init, file)
	return opt, err
}

// runFactor is nmu factor in one precision. Everything that can be checked is
// checked before the long computation.
func runFactor[T lnmu.Float](cmd *cobra.Command, f *factorFlags) error {
	file, err := openInput(f.input, f.variable, f.transpose, f.maxMemory)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, cols := file.Dims()
	if rows == 0 || cols == 0 {
		return fmt.Errorf("%s: the matrix is empty (%d x %d)", f.input, rows, cols)
	}
	size, err := imageSize(f.image, file)
	if err != nil {
		return err
	}
	opt, err := options[T](f, file)
	if err != nil {
		return err
	}
	if opt, err = opt.WithDefaults(rows, cols); err != nil {
		if opt.Init == lnmu.InitGiven && !errors.Is(err, lnmu.ErrOption) {
			return fmt.Errorf("--init %s: %w", f.init, err)
		}
		return err
	}
	if f.out != "" {
		if err := fileset.Check(f.out, resultNames); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}

	ctx, stop := interruptible(cmd.Context())
	defer stop()
	line := newProgressLine(cmd.ErrOrStderr())
	opt.Progress = line.show
	rep, res, err := factorFile(ctx, file, f, opt)
	line.clear()
	if err != nil && (res == nil || ctx.Err() == nil) {
		return inputError(f, err)
	}
	switch {
	case res.V.Cols > 0:
	case res.Stop == lnmu.StopTime:
		return errors.New("--time-limit: the time was over before a factor was finished; nothing is written")
	default:
		return fmt.Errorf("%w before a factor was finished; nothing is written", interruption(ctx))
	}
	rep.describe(f)
	var written []string
	if f.out != "" {
		if written, err = writeResults(f.out, rep, res, size); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	for _, note := range rep.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "nmu: note: %s\n", note)
	}
	if f.json {
		err = rep.writeJSON(cmd.OutOrStdout())
	} else {
		err = rep.writeTable(cmd.OutOrStdout(), f.out, written)
	}
	if res.Stop == lnmu.StopCancelled || ctx.Err() != nil && f.improve && rep.Improved == nil {
		return errors.Join(interruptedError(ctx, rep, f.out), err)
	}
	return err
}

// inputError names the input in an error about the matrix.
func inputError(f *factorFlags, err error) error {
	var bad *lnmu.ValueError
	switch {
	case !errors.Is(err, lnmu.ErrValue):
		return err
	case errors.As(err, &bad) && math.IsInf(bad.Value, 1) && f.precision == "float32":
		return fmt.Errorf("%s: %w (float32 holds no number above %.2g; try --precision float64)", f.input, err, math.MaxFloat32)
	}
	return fmt.Errorf("%s: %w", f.input, err)
}

// factorFile reads the matrix and factors it.
func factorFile[T lnmu.Float](ctx context.Context, file *matio.File, f *factorFlags, opt lnmu.Options[T]) (*report, *lnmu.Result[T], error) {
	switch {
	case !file.Sparse() || f.dense:
		return factorDense(ctx, file, f.improve, opt)
	case f.improve:
		return nil, nil, errors.New("--improve needs a dense matrix (--dense makes it one)")
	}
	return factorSparse(ctx, file, opt)
}

// factorSparse factors a sparse matrix as it is.
func factorSparse[T lnmu.Float](ctx context.Context, file *matio.File, opt lnmu.Options[T]) (*report, *lnmu.Result[T], error) {
	work := factoring(opt)
	rows, cols := file.Dims()
	if err := file.Fits(factorSparseMemory(rows, cols, 0, opt), work); err != nil {
		return nil, nil, err // before anything is read
	}
	rows, cols, ptr, idx, val, err := matio.Sparse[T](file)
	if err == nil {
		err = file.Reserve(factorSparseMemory(rows, cols, len(val), opt), work)
	}
	if err != nil {
		return nil, nil, err
	}
	rep := newReport(rows, cols, opt)
	rep.Entries = len(val)
	begun := time.Now()
	res, err := lnmu.FactorSparse(ctx, lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Val: val}, opt)
	if errors.Is(err, lnmu.ErrOption) {
		return nil, nil, fmt.Errorf("%w (--dense does that)", err)
	}
	if res == nil {
		return nil, nil, err
	}
	fill(rep, res, time.Since(begun))
	return rep, res, err
}

// factorDense factors the matrix, in its own memory where that may be written.
func factorDense[T lnmu.Float](ctx context.Context, file *matio.File, improved bool, opt lnmu.Options[T]) (*report, *lnmu.Result[T], error) {
	work := factoring(opt)
	rows, cols := file.Dims()
	if err := file.Fits(factorMemory(rows, cols, opt, true, improved), work); err != nil {
		return nil, nil, err // before anything is read
	}
	m, err := readMatrix[T](file)
	if err != nil {
		return nil, nil, err
	}
	opt.Overwrite = !file.Mapped() && !improved
	if err := file.Reserve(factorMemory(rows, cols, opt, !opt.Overwrite, improved), work); err != nil {
		return nil, nil, err
	}
	rep := newReport(m.Rows, m.Cols, opt)
	begun := time.Now()
	var res *lnmu.Result[T]
	err = file.Guard(func() (err error) {
		if res, err = lnmu.Factor(ctx, m, opt); res == nil {
			return err
		}
		fill(rep, res, time.Since(begun))
		if err == nil && improved {
			err = improve(ctx, rep, m, res, opt, begun)
		}
		return err
	})
	if errors.Is(err, matio.ErrChanged) {
		res = nil // of nothing that there is
	}
	if res == nil {
		return nil, nil, err
	}
	return rep, res, err
}

// factoring names the work for an error about memory.
func factoring[T lnmu.Float](opt lnmu.Options[T]) string {
	return fmt.Sprintf("factoring it at rank %d by %s", opt.Rank, opt.Method)
}

// interruptedError says what an interruption left.
func interruptedError(ctx context.Context, rep *report, out string) error {
	where := "not written, for want of --out"
	if out != "" {
		where = "written to " + out
	}
	if rep.ErrorPerRank == nil {
		return fmt.Errorf("%w: the factors as they were are %s", interruption(ctx), where)
	}
	return fmt.Errorf("%w: %d of %d factors are finished and %s", interruption(ctx), rep.Rank, rep.RankAsked, where)
}

// parseImage reads a size such as 19x19.
func parseImage(s string) (h, w int, err error) {
	hs, ws, ok := strings.Cut(strings.ToLower(s), "x")
	h, herr := strconv.Atoi(hs)
	w, werr := strconv.Atoi(ws)
	if !ok || herr != nil || werr != nil || h < 1 || w < 1 {
		return 0, 0, fmt.Errorf("--image %q; want height x width in pixels, such as 19x19", s)
	}
	return h, w, nil
}
