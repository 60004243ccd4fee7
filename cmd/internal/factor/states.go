package factor

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/process"
	"nmu/cmd/internal/record"
	"nmu/internal/matio"
)

// newCheckpoints returns those that the flags ask for, or nil.
func newCheckpoints(cmd *cobra.Command, f *commandLine) (*checkpoint.Writer, error) {
	if err := checkpoint.CheckFlag(f.checkpoint, f.out, f.Path == input.Stdin); err != nil {
		return nil, exit.Misuse(err)
	}
	if f.out == "" || f.Path == input.Stdin || cmd.Flags().Changed("checkpoint") && f.checkpoint == 0 {
		return nil, nil
	}
	describe := func() (checkpoint.Note, error) {
		if err := f.opened.Changed(); err != nil {
			return checkpoint.Note{}, err
		}
		return noteOf(cmd.Flags(), f)
	}
	return checkpoint.NewWriter(f.checkpoint, f.resume, describe, func(err error) {
		if errors.Is(err, matio.ErrChanged) {
			return // the run ends with this error
		}
		message.Note(cmd.ErrOrStderr(), "no checkpoint could be written: %s", message.OneLine(err))
	}), nil
}

// noteOf describes a run.
func noteOf(fs *pflag.FlagSet, f *commandLine) (checkpoint.Note, error) {
	note, err := checkpoint.NewNote("", f.Path, fs, process.FlagName) // the run goes on with any number of processes
	if err == nil {
		note.Files, err = inputFiles(f)
	}
	return note, err
}

// inputPaths returns the paths of the files that a run reads: the input, and the names of rows and
// columns. What --init and --continue read is known to the library.
func inputPaths(f *commandLine) ([]string, error) {
	rows, cols := f.NamesPaths()
	paths := append([]string{rows, cols}, f.entries.Paths()...)
	return checkpoint.Paths(f.Path, append(paths, record.FactorPath(f.FixV, record.NameV), record.FactorPath(f.FixW, record.NameW))...)
}

// inputFiles reads the files that a run reads.
func inputFiles(f *commandLine) ([]checkpoint.Input, error) {
	paths, err := inputPaths(f)
	if err != nil {
		return nil, err
	}
	return checkpoint.ReadInputs(paths)
}
