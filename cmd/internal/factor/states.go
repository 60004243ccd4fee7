package factor

import (
	"errors"
	"slices"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/mpirun"
	"nmu/cmd/internal/program"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/internal/render"
)

// Writer returns what writes the checkpoints of a run of a command, "" for nmu factor, with an input, or nil if its flags
// ask for none. It goes on from a state, if that is not nil. paths returns the paths of the files that the run reads, unless
// its input has changed.
func Writer(c *program.Call, r *options.Run, name, path string, from *checkpoint.State, paths func() ([]string, error)) (*checkpoint.Writer, error) {
	if err := checkpoint.CheckFlag(r.Every, r.Out, path == input.Stdin); err != nil {
		return nil, exit.Misuse(err)
	}
	if r.Out == "" || path == input.Stdin || c.Given("checkpoint-every") && r.Every == 0 {
		return nil, nil
	}
	return checkpoint.NewWriter(r.Every, from, func() (checkpoint.Note, error) {
		// The run goes on with any number of processes.
		flags := slices.DeleteFunc(c.Flags(), func(flag [2]string) bool { return flag[0] == mpirun.FlagName })
		note, err := checkpoint.NewNote(name, path, flags)
		if err == nil {
			note.Files, err = checkpoint.ReadInputs(paths())
		}
		return note, err
	}, func(err error) {
		if errors.Is(err, matio.ErrChanged) {
			return // the run ends with this error
		}
		c.Note("no checkpoint could be written: %s", render.OneLine(err))
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
