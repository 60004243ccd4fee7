package factor

import (
	"errors"
	"os"
	"slices"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/mpirun"
	"nmu/cmd/internal/program"
	"nmu/internal/checkpoint"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/internal/release"
	"nmu/internal/render"
)

// States returns what keeps the states of a run of a command, "" for nmu factor, with an input. It goes on from a state, if
// that is not nil. paths returns the paths of the files that the run reads, unless its input has changed.
func States(c *program.Call, r *options.Run, name, path string, from *checkpoint.State, paths func() ([]string, error)) (*checkpoint.Saver, error) {
	s := &checkpoint.Saver{From: from, After: r.Every, Every: r.Every}
	begun, unasked := time.Now(), !c.Given("checkpoint-every")
	switch {
	case r.Every > 0 && r.Out == "":
		return nil, exit.Misuse(errors.New("--checkpoint-every says how often to write; --out says where"))
	case r.Every > 0 && path == input.Stdin:
		return nil, exit.Misuse(errors.New("--checkpoint-every: standard input cannot be read again by nmu resume; name a file"))
	case unasked && r.Out != "" && path != input.Stdin:
		s.After, s.Every = checkpoint.Unasked, checkpoint.Every
	}
	s.Note = func() (checkpoint.Note, error) {
		folder, err := os.Getwd()
		if err != nil {
			return checkpoint.Note{}, err
		}
		// The run goes on with any number of processes.
		flags := slices.DeleteFunc(c.Flags(), func(flag [2]string) bool { return flag[0] == mpirun.FlagName })
		short := unasked && time.Since(begun) < checkpoint.Unasked && (from == nil || from.Note.Short)
		files, err := checkpoint.ReadInputs(paths())
		return checkpoint.Note{Version: release.Version(), Command: name, Folder: folder, Input: path, Flags: flags, Files: files, Short: short}, err
	}
	s.Warn = func(err error) {
		if !errors.Is(err, matio.ErrChanged) { // with which the run ends
			c.Note("no checkpoint could be written: %s", render.OneLine(err))
		}
	}
	return s, nil
}

// Paths returns the paths of the files that a run reads: the input, unless it has changed, the names of its rows and
// columns, what is matched to it, and more.
func Paths(in *input.Matrix, matched *data.Request, more ...string) ([]string, error) {
	if err := in.Changed(); err != nil {
		return nil, err
	}
	rows, cols := in.NamesPaths()
	return checkpoint.Paths(in.Path, slices.Concat([]string{rows, cols}, matched.Paths(), more)...)
}

// paths returns the paths of the files that the run reads. What --init and --continue read is known to the library.
func (f *commandLine) paths() ([]string, error) {
	return Paths(&f.Matrix, &f.entries, record.FactorPath(f.FixV, record.NameV), record.FactorPath(f.FixW, record.NameW))
}
