package factor

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/process"
	"nmu/lnmu"
)

// resumeFlags are the flags of nmu factor that nmu resume has as well: what the result
// does not depend on.
var resumeFlags = []string{"threads", "time-limit", "checkpoint", flags.MaxMemory, flags.Memory, flags.Scratch, "json", "progress", "quiet", process.FlagName}

// pathFlags are the flags of nmu factor that name files or folders that are there, but for those with
// names.
var pathFlags = []string{"init", "continue", "fix-v", "fix-w", "mask", "weights", "uncertainties", "skip-rows", "skip-cols", flags.Scratch}

// ResumeCommand returns nmu resume. others go on with the states of other commands, by name.
func ResumeCommand(others map[string]func(resume *cobra.Command, dir string, from *checkpoint.State) error) *cobra.Command {
	cmd := &cobra.Command{
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
		Args: flags.Arguments(1, 1, "one DIR, got %d"),
	}
	given := newFactor()
	for _, name := range resumeFlags {
		cmd.Flags().AddFlag(given.cmd.Flags().Lookup(name))
	}
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return given.flags.together(cmd, func() error {
			from, err := checkpoint.Open(args[0], int64(cmp.Or(given.flags.MaxMemory, given.flags.Disk.Within)))
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			defer from.File.Close()
			if name := from.Note.Command; name != "" {
				other := others[name]
				if other == nil {
					return fmt.Errorf("%s: its checkpoint is of nmu %s, which this program does not resume", args[0], name)
				}
				return other(cmd, args[0], from)
			}
			run, err := resumed(from, cmd, args[0], given.flags.All)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return run.start()
		})
	}
	return cmd
}

// resumed returns the run that a state is of, with the flags of nmu resume.
func resumed(r *checkpoint.State, resume *cobra.Command, dir string, all *process.Group) (*run, error) {
	run := newFactor()
	run.flags.All = all
	given := resume.Flags().Changed
	err := Restore(run.cmd, resume, dir, r, func(name string) bool {
		switch {
		case given(name):
			return true
		case name == flags.Memory || name == flags.Scratch:
			return given(flags.MaxMemory) // the matrix comes into memory
		}
		return name == flags.MaxMemory && given(flags.Memory) // it leaves it
	})
	if err != nil {
		return nil, err
	}
	for _, name := range resumeFlags {
		if !given(name) {
			continue
		}
		if err := run.cmd.Flags().Set(name, resume.Flags().Lookup(name).Value.String()); err != nil {
			return nil, err
		}
	}
	if memory := run.cmd.Flags().Lookup(flags.Memory); memory.Changed && !given(flags.Memory) {
		// An error about memory names the limit that holds.
		if err := resume.Flags().Set(flags.Memory, memory.Value.String()); err != nil {
			return nil, err
		}
	}
	run.flags.Path = r.PathFrom(r.Note.Input)
	run.flags.From, run.flags.Resumed = r, true
	if all.Helper() {
		return run, nil // process 0 looks at all of them
	}
	return run, r.Same(inputPaths(&run.flags))
}

// Restore makes cmd go on with the state of a run in the folder dir: with the context and the output
// of nmu resume, and with the flags of the run but --force and those to skip.
func Restore(cmd, resume *cobra.Command, dir string, from *checkpoint.State, skip func(flag string) bool) error {
	cmd.SetContext(resume.Context())
	cmd.SetOut(resume.OutOrStdout())
	cmd.SetErr(resume.ErrOrStderr())
	for _, flag := range from.Note.Flags {
		name, value := flag[0], flag[1]
		switch {
		case name == "force" || skip(name):
			continue
		case name == "out":
			value = dir
		case name == "row-names" || name == "col-names":
			value = input.NamesFrom(value, from.PathFrom)
		case name == "init" && slices.Contains(lnmu.Inits(), lnmu.Init(value)): // no folder, even if there is one of that name
		case slices.Contains(pathFlags, name):
			value = from.PathFrom(value)
		}
		if err := cmd.Flags().Set(name, value); err != nil {
			return fmt.Errorf("%w: it was written by version %s of this program: --%s: %w", lnmu.ErrCheckpoint, from.Note.Version, name, err)
		}
	}
	return nil
}
