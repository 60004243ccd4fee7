package factor

import (
	"cmp"
	"fmt"
	"slices"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/mpirun"
	"nmu/cmd/internal/program"
	"nmu/internal/checkpoint"
	"nmu/internal/options"
	"nmu/lnmu"
)

// resumeFlags are the flags of nmu factor that nmu resume has as well: what the result
// does not depend on.
var resumeFlags = []string{"threads", "time-limit", "checkpoint-every", "max-memory", "memory", "scratch", "json", "progress", "quiet", mpirun.FlagName}

// Resumable is a command line that can go on from a state.
type Resumable struct {
	Command *program.Command
	*Long
	Work func(c *program.Call) error
}

// ResumeCommand returns nmu resume. others are the command lines of other commands, by name.
func ResumeCommand(others map[string]func() Resumable) *program.Command {
	var given commandLine
	return &program.Command{
		Of: options.Factor, Run: &given.Run, Only: resumeFlags, First: resumeFlags,
		Least: 1, Most: 1, Takes: "one DIR, got %d",
		Use:   "resume DIR",
		Short: "Resume an interrupted run",
		Long: `Resume a run of nmu factor, nmu rank or nmu consensus from the last checkpoint in its
output folder DIR: after a crash or kill -9, after a signal, or after its time limit.
The input and the options stay the same; the number of threads and of processes may
change. The results have the same bits as those of an uninterrupted run.

The input must not have changed. Its path is relative to the folder where the run was
started. --time-limit includes the time before the checkpoint.`,
		Example: `  nmu resume parts
  nmu resume parts --threads 4 --time-limit 10h`,
		Do: func(resume *program.Call) error {
			dir := resume.Args[0]
			return given.together(resume, func() error {
				from, err := checkpoint.Open(dir, cmp.Or(given.MaxMemory, given.Memory))
				if err != nil {
					return fmt.Errorf("%s: %w", dir, err)
				}
				defer from.File.Close()
				run := others[from.Note.Command]
				if from.Note.Command == "" {
					run = func() Resumable {
						cmd, f := newFactor()
						return Resumable{cmd, &f.Long, f.start}
					}
				} else if run == nil {
					return fmt.Errorf("%s: its checkpoint is of nmu %s, which this program does not resume", dir, from.Note.Command)
				}
				r := run()
				r.All, r.From = given.All, from
				return r.resume(resume, dir)
			})
		},
	}
}

// resume goes on from the state in the folder dir, with the flags of nmu resume. A helper leaves it to process 0 to look at
// the files.
func (r Resumable) resume(resume *program.Call, dir string) error {
	c, given, from := r.Command.Call(resume), resume.Given, r.From
	err := Restore(c, dir, from, func(name string) bool {
		switch {
		case given(name):
			return true
		case name == "memory" || name == "scratch":
			return given("max-memory") // the matrix comes into memory
		}
		return name == "max-memory" && given("memory") // it leaves it
	})
	for _, flag := range resume.Flags() {
		if err == nil && !c.Has(flag[0]) {
			return exit.Misuse(fmt.Errorf("--%s is for runs of nmu factor, and %s has one of nmu %s; leave it out", flag[0], dir, c.Name))
		} else if err == nil {
			err = c.Set(flag[0], flag[1])
		}
	}
	if err == nil && c.Given("memory") && !given("memory") {
		err = resume.Set("memory", c.Text("memory")) // an error about memory names the limit that holds
	}
	r.Path = from.PathFrom(from.Note.Input)
	if err == nil && !r.All.Helper() {
		err = from.Same(r.Paths())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return r.Work(c)
}

// Restore gives a command line the flags of a run whose state is in the folder dir, but for --force and those to skip.
func Restore(c *program.Call, dir string, from *checkpoint.State, skip func(flag string) bool) error {
	for _, flag := range from.Note.Flags {
		name, value := flag[0], flag[1]
		switch {
		case name == "force" || skip(name):
			continue
		case name == "out":
			value = dir
		case name == "row-names" || name == "col-names":
			value = input.NamesFrom(value, from.PathFrom)
		case name == "init" && slices.Contains(options.Inits(), value): // no folder, even if there is one of that name
		case c.IsPath(name):
			value = from.PathFrom(value)
		}
		if err := c.Set(name, value); err != nil {
			return fmt.Errorf("%w: it was written by version %s of this program: --%s: %w", lnmu.ErrCheckpoint, from.Note.Version, name, err)
		}
	}
	return nil
}
