package factor

import (
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/process"
	"nmu/cmd/internal/record"
	"nmu/internal/data"
	"nmu/internal/matio"
)

// States says which checkpoints a run writes, and which one it goes on from.
type States struct {
	Out      string            // the folder of the results
	Interval time.Duration     // between two checkpoints; 0: see checkpoint.NewWriter
	From     *checkpoint.State // of nmu resume, or nil
}

// Writer returns what writes the checkpoints of a run of a command, "" for nmu factor, with an input, or nil if its flags
// ask for none. paths returns the paths of the files that the run reads, unless its input has changed.
func (s States) Writer(cmd *cobra.Command, name, path string, paths func() ([]string, error)) (*checkpoint.Writer, error) {
	if err := checkpoint.CheckFlag(s.Interval, s.Out, path == input.Stdin); err != nil {
		return nil, exit.Misuse(err)
	}
	if s.Out == "" || path == input.Stdin || cmd.Flags().Changed("checkpoint") && s.Interval == 0 {
		return nil, nil
	}
	return checkpoint.NewWriter(s.Interval, s.From, func() (checkpoint.Note, error) {
		note, err := checkpoint.NewNote(name, path, cmd.Flags(), process.FlagName) // the run goes on with any number of processes
		if err == nil {
			note.Files, err = checkpoint.ReadInputs(paths())
		}
		return note, err
	}, func(err error) {
		if errors.Is(err, matio.ErrChanged) {
			return // the run ends with this error
		}
		message.Note(cmd.ErrOrStderr(), "no checkpoint could be written: %s", message.OneLine(err))
	}), nil
}

// Paths returns the paths of the files that a run reads: the input, the names of its rows and columns, what is matched
// to it, and more.
func Paths(in *input.Matrix, matched *data.Request, more ...string) ([]string, error) {
	rows, cols := in.NamesPaths()
	return checkpoint.Paths(in.Path, slices.Concat([]string{rows, cols}, matched.Paths(), more)...)
}

// inputPaths returns the paths of the files that a run reads. What --init and --continue read is known to the library.
func inputPaths(f *commandLine) ([]string, error) {
	return Paths(&f.Matrix, &f.entries, record.FactorPath(f.FixV, record.NameV), record.FactorPath(f.FixW, record.NameW))
}
