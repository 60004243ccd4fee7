package factor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/mpirun"
	"nmu/cmd/internal/program"
	"nmu/internal/options"
	"nmu/internal/picture"
	"nmu/internal/process"
	"nmu/internal/record"
)

// check rejects values that would stand for a default, or be ignored.
func (f *commandLine) check(given func(flag string) bool) error {
	switch {
	case given("write") && f.Out == "":
		return errors.New("--write needs --out DIR")
	case f.Report && f.Out == "":
		return errors.New("--report needs --out DIR")
	case f.Memory == 0 && f.Scratch != "":
		return errors.New("--scratch says where files lie that --memory makes; give that too")
	case f.Memory != 0 && f.MaxMemory != 0:
		return errors.New("--memory and --max-memory; choose one: the first goes to the disk where memory is not enough, the second refuses")
	}
	return cmp.Or(f.checkScale(given), f.checkProcesses(given))
}

// checkScale refuses a scale that what is demanded of V and W would not survive.
func (f *commandLine) checkScale(given func(flag string) bool) error {
	if !given("scale") {
		return nil
	}
	if d, err := options.Describe(f.Method); err == nil && d.Underapproximates {
		return fmt.Errorf("--scale %s: V W <= M would not hold exactly after it, which %s is for; leave it out, or choose another method", f.Scale, f.Method)
	}
	for _, flag := range []string{"fix-v", "fix-w", "baseline", "sum-to-one"} {
		if given(flag) {
			return fmt.Errorf("--scale %s changes what --%s asks for; leave out one of them", f.Scale, flag)
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
		return fmt.Errorf("--%s: standard input cannot be read in parts; name a file", mpirun.FlagName)
	}
	if given("continue") {
		return fmt.Errorf("--continue is not for several processes (--%s); leave it out, or run one process", mpirun.FlagName)
	}
	return nil
}

// together runs work, with --mpi in all processes.
func (f *commandLine) together(c *program.Call, work func() error) error {
	if !f.MPI {
		return work()
	}
	return mpirun.Run(c.Context, c.Console, func(all *process.Group) error {
		f.All = all
		f.share()
		return work()
	})
}

// share divides memory and processors among the processes of a machine. With --memory each
// of them has been given its memory.
func (f *commandLine) share() {
	limit := &f.MaxMemory
	if given := f.Memory; given != 0 {
		limit = &given
	}
	mpirun.Share(f.All, limit, &f.Threads)
}

// gathers reports whether process 0 needs the whole of the longer factor, for tables, pictures,
// mixtures or the page.
func (f *commandLine) gathers(pics picture.Shown, wide bool) bool {
	shown := pics.Basis
	if wide {
		shown = pics.Maps
	}
	return f.Report || shown.Known() || wide && f.Scale != "" || slices.ContainsFunc(f.Write, func(format string) bool { return format != record.FormatNpy })
}
