package factor

import (
	"cmp"
	"fmt"
	"slices"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/mpirun"
	"nmu/cmd/internal/program"
	"nmu/internal/options"
	"nmu/internal/process"
	"nmu/lnmu"
)

// resumeFlags are the flags of nmu factor that nmu resume has as well: what the result
// does not depend on.
var resumeFlags = []string{"threads", "time-limit", "checkpoint-every", "max-memory", "memory", "scratch", "json", "progress", "quiet", mpirun.FlagName}

// ResumeCommand returns nmu resume. others go on with the states of other commands, by name.
func ResumeCommand(others map[string]func(resume *program.Call, dir string, from *checkpoint.State) error) *program.Command {
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
				if name := from.Note.Command; name != "" {
					other := others[name]
					if other == nil {
						return fmt.Errorf("%s: its checkpoint is of nmu %s, which this program does not resume", dir, name)
					}
					return other(resume, dir, from)
				}
				run, c, err := resumed(from, resume, dir, given.All)
				if err != nil {
					return fmt.Errorf("%s: %w", dir, err)
				}
				return run.start(c)
			})
		},
	}
}

// resumed returns the run that a state is of, and its command line, with the flags of nmu resume.
func resumed(r *checkpoint.State, resume *program.Call, dir string, all *process.Group) (*commandLine, *program.Call, error) {
	cmd, f := newFactor()
	f.All = all
	c := cmd.Call(resume)
	given := resume.Given
	err := Restore(c, dir, r, func(name string) bool {
		switch {
		case given(name):
			return true
		case name == "memory" || name == "scratch":
			return given("max-memory") // the matrix comes into memory
		}
		return name == "max-memory" && given("memory") // it leaves it
	})
	if err != nil {
		return nil, nil, err
	}
	for _, name := range resumeFlags {
		if given(name) {
			if err := c.Set(name, resume.Text(name)); err != nil {
				return nil, nil, err
			}
		}
	}
	if c.Given("memory") && !given("memory") {
		// An error about memory names the limit that holds.
		if err := resume.Set("memory", c.Text("memory")); err != nil {
			return nil, nil, err
		}
	}
	f.Path = r.PathFrom(r.Note.Input)
	f.From, f.resumed = r, true
	if all.Helper() {
		return f, c, nil // process 0 looks at all of them
	}
	return f, c, r.Same(inputPaths(f))
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
