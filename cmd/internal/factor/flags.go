package factor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/picture"
	"nmu/cmd/internal/process"
	"nmu/cmd/internal/progress"
	"nmu/cmd/internal/record"
	"nmu/cmd/internal/solve"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// commandLine is the command line of nmu factor.
type commandLine struct {
	solve.Job
	pictures  picture.Flags
	precision string
	entries   data.Request

	method  string
	options methods.Flags
	rank    int
	init    string // a start, or a folder

	States
	write []string
	scale string
	top   int
	json  bool

	force     bool
	continued string      // folder of a result
	opened    *matio.File // the input
	progress  progress.Flags

	mpi bool
}

// add adds the flags of nmu factor.
func (f *commandLine) add(fs *pflag.FlagSet) {
	f.entries.Run = &f.Run
	recursions := strings.Join(methods.Names(methods.Recursive), ", ")
	fs.IntVarP(&f.rank, "rank", "r", 0, "number `R` of factors, mostly far below m and n")
	fs.StringVar(&f.method, methods.FlagName, lnmu.NMF{}.Describe().Name, flags.Usage("`METHOD`: "+message.Enumerate(methods.Names(methods.Any), "or")+";")+"\nsee nmu --help")
	flags.Settings(fs, &f.Run, options.Factor, "iters", "restarts", "seed", "tol", "time-limit")
	fs.StringVar(&f.Out, "out", "", "folder `DIR` for the results (default: print only)")
	fs.BoolVar(&f.Report, "report", false, "also write report.html to DIR, a page about the run;\nsee nmu report")
	flags.Group(fs, flags.Method, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.init, "init", "random", "`START`: random; nested (random, each factor by itself, see\n--continue); svd (first singular vectors); snpa or spa (pure columns\nof M, by successive nonnegative projection, or by\nsuccessive projection); or a folder with V.npy and W.npy,\nsuch as a previous DIR")
		fs.StringVar(&f.continued, "continue", "", flags.Usage(recursions+": add factors to those of `DIR`, a run of smaller rank with --init nested --restarts 1 (or --init svd, spa or snpa); options that are not given come from it; nmf: go on with new columns, the columns of INPUT"))
		flags.Settings(fs, &f.Run, options.Factor, "target-error")
		f.options.Add(fs)
		flags.Settings(fs, &f.Run, options.Factor, "fix-v", "fix-w", "baseline", "missing-solver")
		for flag, name := range map[string]string{"fix-v": record.NameV, "fix-w": record.NameW} {
			fs.Lookup(flag).Usage = flags.Usage(fs.Lookup(flag).Usage + "; a folder stands for its " + name)
		}
		fs.BoolVar(&f.Improve, "improve", false, "also measure the error after V W is multiplied by the best\nnumber, and after 100 HALS steps that keep the zeros")
		flags.AddPrecision(fs, &f.precision)
	})
	f.Matrix.Add(fs, "factor the transpose")
	flags.Group(fs, flags.Input, func(fs *pflag.FlagSet) {
		flags.Settings(fs, &f.Run, options.Factor, "dense")
		f.AddEntries(fs)
		flags.Settings(fs, &f.Run, options.Factor, "sparse-missing")
	})
	flags.Group(fs, flags.Output, func(fs *pflag.FlagSet) {
		f.pictures.Add(fs)
		fs.StringSliceVar(&f.write, "write", []string{record.FormatNpy}, "more `FORMATS` of the factors in DIR, such as csv,mat: csv\n(tables with names), mat (MATLAB), envi (W as a cube); npy\nis always written")
		fs.StringVar(&f.scale, "scale", "", flags.Usage("`SCALE`: topics scales the columns of V to add up to 1, as distributions; DIR also receives mixtures.npy, W with columns scaled likewise (default: no scaling)"))
		fs.IntVar(&f.top, "top", 0, "print the `K` largest rows and columns of each factor, by\nname")
		fs.BoolVar(&f.json, "json", false, "print result.json instead of a table")
		fs.BoolVar(&f.force, "force", false, "write to DIR even if it holds other files or a checkpoint")
		fs.DurationVar(&f.Interval, "checkpoint", 0, "write a checkpoint for nmu resume to DIR every `D`, and when\n--time-limit or a signal ends the run; 0 never (default 5m,\nonce the run has taken 10m)")
		f.progress.Add(fs)
	})
	flags.Group(fs, flags.Limits, func(fs *pflag.FlagSet) {
		flags.Settings(fs, &f.Run, options.Factor, "threads")
		f.Disk.Add(fs)
		fs.BoolVar(&f.mpi, process.FlagName, false, flags.Usage("run as one of the processes started by mpirun, which share the matrix (needs a program built with the tag mpi)"))
	})
	flags.FurtherSettings(fs, &f.Run, options.Factor)
	flags.SetWords(fs, methods.FlagName, methods.Names(methods.Any), false)
	flags.SetWords(fs, "init", lnmu.Inits(), true)
	flags.SetWords(fs, "write", record.Formats, false)
	flags.SetWords(fs, "scale", []string{record.ScaleTopics}, false)
}

// check rejects values that would stand for a default, or be ignored.
func (f *commandLine) check(given func(flag string) bool) error {
	switch {
	case given("top") && f.top < 1:
		return fmt.Errorf("--top %d; choose 1 or more", f.top)
	case f.init == "":
		return errors.New(`--init is empty; choose random, svd, spa, snpa or a folder`)
	case given("out") && f.Out == "":
		return errors.New("--out is empty; name a folder")
	case given("continue") && f.continued == "":
		return errors.New("--continue is empty; name the folder of a run")
	case given("write") && f.Out == "":
		return errors.New("--write needs --out DIR")
	case f.Report && f.Out == "":
		return errors.New("--report needs --out DIR")
	}
	return cmp.Or(f.Disk.Check(f.MaxMemory), f.progress.Check(), record.CheckFormats(f.write, record.Formats), f.checkScale(given), f.checkProcesses(given))
}

// checkScale refuses a scale that is not known, or that what is demanded of V and W would not
// survive.
func (f *commandLine) checkScale(given func(flag string) bool) error {
	if !given("scale") {
		return nil
	}
	if f.scale != record.ScaleTopics {
		return fmt.Errorf("--scale %q; choose %s", f.scale, record.ScaleTopics)
	}
	if d, err := options.Describe(f.method); err == nil && d.Underapproximates {
		return fmt.Errorf("--scale %s: V W <= M would not hold exactly after it, which %s is for; leave it out, or choose another method", f.scale, f.method)
	}
	for _, flag := range []string{"fix-v", "fix-w", "baseline", "sum-to-one"} {
		if given(flag) {
			return fmt.Errorf("--scale %s changes what --%s asks for; leave out one of them", f.scale, flag)
		}
	}
	return nil
}

// checkProcesses refuses what several processes cannot do, as far as package lnmu does
// not do so.
func (f *commandLine) checkProcesses(given func(flag string) bool) error {
	if f.All == nil {
		return nil
	}
	if f.Path == input.Stdin {
		return fmt.Errorf("--%s: standard input cannot be read in parts; name a file", process.FlagName)
	}
	if given("continue") {
		return fmt.Errorf("--continue is not for several processes (--%s); leave it out, or run one process", process.FlagName)
	}
	return nil
}

// together runs work, with --mpi in all processes.
func (f *commandLine) together(cmd *cobra.Command, work func() error) error {
	if !f.mpi {
		return work()
	}
	return process.Run(cmd, func(all *process.Group) error {
		f.All = all
		f.share()
		return work()
	})
}

// share divides memory and processors among the processes of a machine. With --memory each
// of them has been given its memory.
func (f *commandLine) share() {
	limit := &f.MaxMemory
	if given := f.Disk.Within; given != 0 {
		limit = &given
	}
	f.All.Share(limit, &f.Threads)
}

// gathers reports whether process 0 needs the whole of the longer factor, for tables, pictures,
// mixtures or the page.
func (f *commandLine) gathers(pics picture.Shown, wide bool) bool {
	shown := pics.Basis
	if wide {
		shown = pics.Maps
	}
	return f.Report || shown.Known() || wide && f.scale != "" || slices.ContainsFunc(f.write, func(format string) bool { return format != record.FormatNpy })
}
