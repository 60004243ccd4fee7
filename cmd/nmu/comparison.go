package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/progress"
	"nmu/cmd/internal/record"
	"nmu/cmd/internal/solve"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// comparison has the flags that nmu rank and nmu consensus share. Both compare many runs, of one
// rank or more.
type comparison struct {
	input.Matrix
	precision string
	entries   input.MissingFlags

	method     string
	options    methods.Flags
	ranks      string
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

// comparisonTexts are the usages of flags that mean something else in each command.
type comparisonTexts struct{ restarts, seed, init, out, json string }

// add adds the flags to a command. limits adds further ones to the group of limits.
func (c *comparison) add(cmd *cobra.Command, texts comparisonTexts, limits func(fs *pflag.FlagSet)) {
	c.options = methods.NewFlags()
	fs := cmd.Flags()
	fs.StringVar(&c.method, methods.FlagName, lnmu.NMF{}.Describe().Name, flags.Usage("`METHOD`: "+message.Enumerate(methods.Names(methods.Any), "or")+";")+"\nsee nmu --help")
	fs.IntVar(&c.restarts, "restarts", 1, texts.restarts)
	fs.IntVar(&c.iterations, "iters", 0, flags.Usage("`I` iterations of a run, in a recursion for each factor (default: "+methods.Iterations()+")"))
	fs.Uint64Var(&c.seed, "seed", 0, texts.seed)
	fs.StringVar(&c.init, "init", string(lnmu.InitRandom), texts.init)
	fs.Float64Var(&c.tolerance, "tol", 0, "stop a run when the relative error changes by no more than\n`X` times itself in 10 iterations (default 0, never)")
	fs.DurationVar(&c.timeLimit, "time-limit", 0, "stop after `D`, such as 90s or 2h, and keep the finished\nruns (default none)")
	fs.StringVar(&c.out, "out", "", texts.out)
	fs.BoolVar(&c.json, "json", false, texts.json)
	flags.Group(fs, flags.Method, func(fs *pflag.FlagSet) {
		c.options.Add(fs)
		flags.AddPrecision(fs, &c.precision)
	})
	c.Matrix.Add(fs, "factor the transpose")
	flags.Group(fs, flags.Input, c.entries.Add)
	flags.Group(fs, flags.Limits, func(fs *pflag.FlagSet) {
		flags.AddThreads(fs, &c.threads)
		limits(fs)
	})
	flags.SetWords(fs, methods.FlagName, methods.Names(methods.Any), false)
	flags.SetWords(fs, "init", lnmu.Inits(), false)
}

// check rejects values that would stand for a default. counts are those of the command alone.
func (c *comparison) check(given func(flag string) bool, counts ...flags.Count) error {
	counts = append(counts, flags.Count{Flag: "restarts", Value: c.restarts}, flags.Count{Flag: "iters", Value: c.iterations})
	if err := flags.CheckCounts(given, c.threads, counts...); err != nil {
		return err
	}
	switch {
	case c.init == "":
		return errors.New("--init is empty; choose random, svd, spa, snpa or nested")
	case given("out") && c.out == "":
		return errors.New("--out is empty; name a folder")
	}
	return nil
}

// manner returns how runs by a method were made, which began at a time.
func (c *comparison) manner(method lnmu.Method, s lnmu.Settings, begun time.Time) record.Manner {
	return record.Manner{
		Tolerance: s.Tolerance, Options: methods.Options(method), Threads: s.Threads, Precision: c.precision, Seconds: time.Since(begun).Seconds(),
	}
}

// fits sets the number of runs side by side to the largest that fits into memory, beside the bytes of
// M that are not read yet. Reading takes so much with the program, before they begin. It returns what they
// need, and an error, about work, if a single run does not fit.
func fits(file *matio.File, unread, reading int64, sideBySide *int, threads int, work string, estimate func() (int64, error)) (need int64, err error) {
	for *sideBySide = min(*sideBySide, threads); ; *sideBySide-- {
		need, err = estimate()
		if err != nil {
			return 0, err
		}
		err = file.Fits(max(reading, solve.Plus(unread, solve.Plus(solve.Process(), need))), work)
		if err == nil || *sideBySide == 1 {
			return need, err
		}
	}
}

// sayRun says which run is under way.
func sayRun(line *progress.Line, finished, runs int, remaining time.Duration) {
	line.Say(fmt.Sprintf("run %d/%d  %s left", min(finished+1, runs), runs, remaining.Round(time.Second)))
}

// note says what the runs of a comparison note.
func (c *comparison) note(cmd *cobra.Command, notes []string) {
	for _, text := range notes {
		message.Note(cmd.ErrOrStderr(), "%s", text)
	}
}

// settings returns those of each run.
func (c *comparison) settings() lnmu.Settings {
	return lnmu.Settings{
		Iterations: c.iterations, Restarts: c.restarts, Seed: c.seed, Init: lnmu.Init(c.init),
		Threads: c.threads, Tolerance: c.tolerance, TimeLimit: c.timeLimit,
	}
}

// compared is the matrix of a comparison before its entries are read, and what is to be compared.
type compared struct {
	file       *matio.File
	rows, cols int
	ranks      []int
	method     lnmu.Method
	observed   input.Observed
}

// open opens the matrix and reads the options that depend on it. The flag with the ranks is named
// for messages.
func (c *comparison) open(cmd *cobra.Command, flag string) (_ *compared, err error) {
	file, err := c.Open(cmd)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	of := compared{file: file}
	of.rows, of.cols = file.Dims()
	if of.rows == 0 || of.cols == 0 {
		return nil, fmt.Errorf("%s: the matrix is empty (%d x %d)", c.Path, of.rows, of.cols)
	}
	if of.ranks, err = options.ParseRanks(c.ranks, options.MostRank); err != nil {
		return nil, exit.Misuse(fmt.Errorf("--%s %q: %w", flag, c.ranks, err))
	}
	if of.method, err = c.options.Method(c.method); err != nil {
		return nil, err
	}
	if note := record.AboveSize(slices.Max(of.ranks), of.rows, of.cols); note != "" {
		message.Note(cmd.ErrOrStderr(), "%s", note)
	}
	_, _, scene := file.MapSize()
	c.entries.Empty = scene || c.entries.Skips()
	of.observed, err = c.entries.Read(&c.Matrix, file)
	return &of, err
}
