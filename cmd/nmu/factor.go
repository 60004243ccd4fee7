package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nmu/internal/matio"
	"nmu/internal/render"
	"nmu/lnmu"
)

// maxThreads is more than any machine has, and few enough for goroutines.
const maxThreads = 4096

// factorFlags is the command line of nmu factor.
type factorFlags struct {
	input
	dense     bool
	pictures  pictureFlags
	fixed     fixedFlags
	disk      diskFlags
	precision string
	seen      missingFlags
	way       string // to deal with missing entries
	sparse    bool   // what a sparse matrix does not store is missing

	method      string
	options     methodFlags
	rank        int
	iterations  int
	restarts    int
	seed        uint64
	init        string
	threads     int
	tolerance   float64
	targetError float64
	timeLimit   time.Duration

	improve bool

	out   string
	write []string
	top   int
	json  bool

	force      bool
	checkpoint time.Duration
	continued  string // folder of a result
	resume     *resumption
	progressFlags
	report bool

	mpi bool
	all *processes // or nil
}

// factorRun is nmu factor with its flags.
type factorRun struct {
	cmd   *cobra.Command
	flags factorFlags
}

func factorCommand() *cobra.Command { return newFactor().cmd }

func newFactor() *factorRun {
	r := &factorRun{flags: factorFlags{options: newMethodFlags()}}
	f := &r.flags
	cmd := &cobra.Command{
		Use:   "factor INPUT --rank R",
		Short: "Factor the matrix in a file or a folder of images",
		Long: `Factor the nonnegative m x n matrix M in INPUT into V W, V (m x r) and W (r x n).

` + inputHelp + `

A sparse matrix (.mtx by coordinates, sparse .mat, .npz of SciPy) is never made
dense, and the multipliers of its zeros are one number that grows with the
iterations. Methods and options that need a dense matrix say so; see --dense.

With --out, DIR receives V.npy, W.npy, result.json and, if the size of the images
is known, basis.png, which shows the columns of V; with --map or for an ENVI cube
also weights.png, for a folder of images manifest.csv, which says which image is which
column, and with --report report.html, a page that tells and shows what was found.
All of them are written, or none; those of an earlier run go; a folder with other
files needs --force. Ctrl-C writes the factors finished by then and exits with status
130, SIGTERM does so with 143 and SIGHUP with 129. A long run leaves checkpoints in
DIR: see nmu resume.`,
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
		RunE: func(_ *cobra.Command, args []string) error {
			f.path = args[0]
			return r.execute()
		},
	}
	r.cmd = cmd
	recursions := strings.Join(methodNames(recursive), ", ")
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.IntVar(&f.rank, "rank", 0, "number `R` of factors, from 1 to min(m, n)")
	fs.StringVar(&f.method, nameMethod, lnmu.RNMU{}.Describe().Name, usage("`METHOD`: "+enumerate(methodNames(anyMethod), "or")+";")+"\nsee nmu --help")
	fs.IntVar(&f.iterations, "iters", 0, usage("`K` iterations, for "+recursions+" of each factor or block (default: "+iterationList()+")"))
	fs.IntVar(&f.restarts, "restarts", 0, "`N` runs, from the seeds S, S+1, ...; the one of least\nerror wins (default: 10 from random starts, else 1)")
	fs.Uint64Var(&f.seed, "seed", 0, "seed `S` of the random starts")
	fs.StringVar(&f.init, "init", "random", "`START`: random; nested (random, each factor by itself, see\n--continue); svd (first singular vectors); or a folder with\nV.npy and W.npy, such as a previous DIR")
	fs.StringVar(&f.continued, "continue", "", usage(recursions+": add factors to those of `DIR`, a run of smaller rank with --init nested --restarts 1 (or --init svd); its options hold where none are given"))
	fs.Float64Var(&f.tolerance, "tol", 0, "stop when the relative error changes by no more than `X`\ntimes itself in 10 iterations (default 0, never)")
	fs.Float64Var(&f.targetError, "target-error", 0, usage("stop when the relative error is at most `E`, a fraction, in steps of 10 iterations; "+recursions+": of factors or blocks (default 0, never)"))
	fs.DurationVar(&f.timeLimit, "time-limit", 0, "stop after `D`, such as 90s or 2h, with what is there\n(default none)")
	f.options.add(fs)
	f.fixed.add(fs)
	fs.BoolVar(&f.improve, "improve", false, "measure also how far the error falls by one factor on V W,\nand by 100 HALS steps that keep the zeros")
	fs.IntVar(&f.threads, "threads", 0, "number `P` of threads; the result does not depend on it\n(default: all processors)")
	fs.StringVar(&f.precision, "precision", "float64", "`TYPE`: float32 or float64")
	fs.BoolVar(&f.dense, "dense", false, "make a sparse matrix dense")
	f.input.add(fs, "factor the transpose")
	f.disk.add(fs)
	f.seen.add(fs)
	fs.StringVar(&f.way, "missing-solver", "", usage("with missing entries or weights: `WAY` majorize (one product more for each step, the default) or exact (fewer steps, which cost much more unless little is missing)"))
	fs.BoolVar(&f.sparse, "sparse-missing", false, usage("the entries that a sparse matrix does not store are missing, not zero"))
	f.pictures.add(fs)
	fs.StringVar(&f.out, "out", "", "folder `DIR` for the results (default: print only)")
	fs.StringSliceVar(&f.write, "write", []string{formatNpy}, "`FORMATS` of the factors in DIR beside npy, which is always\nthere: csv (tables with names), mat (MATLAB), envi (W as a\ncube), such as csv,mat")
	fs.IntVar(&f.top, "top", 0, "show the `K` rows and columns of M that are largest in each\nfactor, by name")
	fs.BoolVar(&f.report, "report", false, "write report.html to DIR as well: a page that shows the run;\nsee nmu report")
	fs.BoolVar(&f.json, "json", false, "print result.json instead of a table")
	fs.BoolVar(&f.force, "force", false, "write to DIR although it holds files that are not of an\nearlier run, or a checkpoint")
	fs.DurationVar(&f.checkpoint, "checkpoint", 0, "write a state to DIR every `D`, from which nmu resume goes\non; 0 never (default 5m, once the run has taken 10m)")
	f.progressFlags.add(fs)
	fs.BoolVar(&f.mpi, nameMPI, false, usage("this is one of the processes that mpirun has started, each of which takes a part of the matrix (only if this program was built for that)"))
	knows(fs, nameMethod, methodNames(anyMethod), false)
	knows(fs, "init", lnmu.Inits(), true)
	knows(fs, "precision", precisions, false)
	knows(fs, "write", resultFormats, false)
	if err := cmd.MarkFlagRequired("rank"); err != nil {
		panic(err) // there is such a flag
	}
	return r
}

// execute runs the command with its flags.
func (r *factorRun) execute() error { return r.flags.together(r.cmd, r.start) }

// start is execute in each of the processes.
func (r *factorRun) start() error {
	f := &r.flags
	f.share()
	if err := f.check(r.cmd.Flags().Changed); err != nil {
		return misuse(err)
	}
	if f.continued != "" {
		if err := f.inherit(r.cmd); err != nil {
			return err
		}
	}
	switch f.precision {
	case "float32":
		return runFactor[float32](r.cmd, f)
	case "float64":
		return runFactor[float64](r.cmd, f)
	}
	return misuse(fmt.Errorf("unknown precision %q; choose float32 or float64", f.precision))
}

// count is a flag whose value is a number from 1 on.
type count struct {
	flag  string
	value int
}

// checkCounts rejects counts below 1 that were given, and the same for the number of
// threads, of which there may also be too many.
func checkCounts(given func(flag string) bool, threads int, counts ...count) error {
	for _, x := range append(counts, count{"threads", threads}) {
		if given(x.flag) && x.value < 1 {
			return fmt.Errorf("--%s %d; choose 1 or more", x.flag, x.value)
		}
	}
	if threads > maxThreads {
		return fmt.Errorf("--threads %d; choose 1 to %d", threads, maxThreads)
	}
	return nil
}

// check rejects values that would stand for a default, or be ignored.
func (f *factorFlags) check(given func(flag string) bool) error {
	if err := checkCounts(given, f.threads, count{"iters", f.iterations}, count{"restarts", f.restarts}, count{"top", f.top}); err != nil {
		return err
	}
	switch {
	case f.init == "":
		return errors.New(`--init is empty; choose random, svd or a folder`)
	case given("out") && f.out == "":
		return errors.New("--out is empty; name a folder")
	case given("continue") && f.continued == "":
		return errors.New("--continue is empty; name the folder of a run")
	case given("write") && f.out == "":
		return errors.New("--write says how to write; --out says where")
	case f.mpi && f.disk.within != 0:
		return errors.New("--memory is not for several processes (--mpi), which have the matrix in memory; leave it out (--max-memory says what each may take), or run one process")
	case f.report && f.out == "":
		return errors.New("--report writes report.html; --out says where")
	}
	return cmp.Or(f.disk.check(f.maxMemory), f.fixed.check(given), f.progressFlags.check(), checkFormats(f.write, resultFormats), f.checkProcesses(given))
}

// planOf returns what is asked of the library, and the start, which shares the memory
// with the input if it is given.
func planOf[T lnmu.Float](f *factorFlags, file *matio.File) (plan, start[T], error) {
	method, err := f.options.method(f.method)
	if err != nil {
		return plan{}, start[T]{}, misuse(err)
	}
	p := plan{rank: f.rank, method: method, settings: lnmu.Settings{
		Record:      f.report, // the page shows it, and looks at M again
		Iterations:  f.iterations,
		Restarts:    f.restarts,
		Seed:        f.seed,
		Init:        lnmu.Init(f.init),
		Threads:     f.threads,
		Tolerance:   f.tolerance,
		TargetError: f.targetError,
		TimeLimit:   f.timeLimit,

		MissingSolver: lnmu.MissingSolver(f.way), SparseMissing: f.sparse,
	}}
	if p.settings.Fixed, err = f.fixed.read(file); err != nil {
		return plan{}, start[T]{}, err
	}
	seen, err := f.seen.read(&f.input, file)
	if err != nil {
		return plan{}, start[T]{}, err
	}
	p.settings.Observed, p.settings.Weights, p.gaps = seen.mask, seen.weights, seen.gaps
	switch p.settings.Init {
	case lnmu.InitRandom, lnmu.InitSVD, lnmu.InitNested:
		if f.continued == "" {
			return p, start[T]{}, nil
		}
		known, err := readResult[T](f.continued, file)
		return p, start[T]{known: known}, err
	}
	if f.continued != "" {
		return p, start[T]{}, misuse(fmt.Errorf("--continue: what began with the start %s cannot be continued, only what began with --init nested", f.init))
	}
	p.settings.Init = ""
	v, w, err := readStart[T](f.init, file)
	return p, start[T]{v: v, w: w, given: true}, err
}

// runFactor is nmu factor in one precision. Everything that can be checked is
// checked before the long computation.
func runFactor[T lnmu.Float](cmd *cobra.Command, f *factorFlags) error {
	points, err := newCheckpoints(cmd, f)
	if err != nil {
		return err
	}
	if f.disk.within != 0 {
		f.maxMemory = f.disk.within
	}
	file, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, cols := file.Dims()
	if rows == 0 || cols == 0 {
		return fmt.Errorf("%s: the matrix is empty (%d x %d)", f.path, rows, cols)
	}
	pics, err := f.pictures.of(file)
	if err != nil {
		return misuse(err)
	}
	if slices.Contains(f.write, formatENVI) && !pics.maps.known() {
		return misuse(errors.New("--write envi: the columns are the pixels of no image as far as is known; --map says its size"))
	}
	if err := f.options.suggest(f.method, pics); err != nil {
		return misuse(err)
	}
	p, from, err := planOf[T](f, file)
	if err != nil {
		return err
	}
	p, err = from.withDefaults(p, rows, cols)
	if err == nil && f.all != nil {
		f.all.divide(&p, rows, cols)
		p.gathers = f.gathers(pics, rows < cols)
		from = partOf(f.all, from, rows, cols)
		p, err = from.withDefaults(p, rows, cols)
	}
	if err != nil {
		if from.given && !errors.Is(err, lnmu.ErrOption) {
			return fmt.Errorf("--init %s: %w%s", f.init, err, turned(rows, cols, from.v.Rows, f.transpose))
		}
		return err
	}
	p = p.recorded()
	if f.out != "" && !f.all.helper() {
		err := checkFolder(f.out, resultNames, f.force || f.resume != nil)
		if err == nil && f.resume == nil {
			err = removeCheckpoint(f.out)
		}
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	p.settings.Checkpoint = points.settings(f.resume)

	steps := f.progressFlags.watch(cmd)
	f.say(cmd, file)
	ctx, stop := f.all.interruptible(cmd.Context())
	defer stop()
	p.settings.Progress = steps.show
	if err := f.alike(rows, cols); err != nil {
		return err
	}
	rep, res, err := factorFile(ctx, cmd.ErrOrStderr(), file, f, p, from)
	steps.clear()
	if res != nil && (f.all.helper() || ctx.Err() != nil) {
		err = nil // process 0 says how it has ended
	}
	if err != nil {
		if errors.Is(err, lnmu.ErrCheckpoint) && f.continued != "" && f.resume == nil {
			err = fmt.Errorf("--continue %s: %w", f.continued, err)
		}
		err = inputError(f, file, err)
	}
	if err := f.all.agree(err, ""); err != nil {
		return err
	}
	if res.V.Cols == 0 {
		return nothingError(ctx, res.Stop, f.out)
	}
	r, err := finish(f.all, res, p)
	if err != nil {
		return err
	}
	measure(rep, r)
	if f.all.helper() {
		return r.lend()
	}
	defer r.release()
	if p.gathers {
		if err := r.gather(); err != nil {
			return err
		}
	}
	rep.describe(f)
	rep.showing(pics)
	rep.RowNames, rep.ColNames = file.RowNames(), file.ColNames()
	if f.top > 0 {
		if rep.Top, err = topOf(r, f.top, rep.RowNames, rep.ColNames); err != nil {
			return err
		}
	}
	if torn(res.V, pics.basis) || pics.maps.known() && torn(lnmu.Transposed(res.W), pics.maps) {
		rep.Notes = append(rep.Notes, "the pictures look torn; try the other --image-order, or height and width in the other order")
	}
	var written []string
	if f.out != "" {
		if written, err = writeResults(f.out, f.write, rep, r, pics); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		if ctx.Err() == nil && res.Stop != lnmu.StopTime {
			if err := removeCheckpoint(f.out); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
	}
	for _, text := range rep.Notes {
		note(cmd.ErrOrStderr(), "%s", text)
	}
	if f.json {
		err = rep.writeJSON(cmd.OutOrStdout())
	} else {
		err = rep.writeTable(cmd.OutOrStdout(), f.out, written)
	}
	if res.Stop == lnmu.StopCancelled || ctx.Err() != nil && f.improve && rep.Improved == nil {
		return errors.Join(interruptedError(ctx, rep, f.out), err)
	}
	steps.end(res.Stop, res.RelativeError, f.out)
	if err == nil && f.out != "" && isTerminal(cmd.ErrOrStderr()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "next: nmu report %s\n", render.Printable(shellWord(f.out)))
	}
	return cmp.Or(err, unconverged(f.tolerance > 0, res.Stop))
}
