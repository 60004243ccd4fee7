package factor

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/mpirun"
	"nmu/cmd/internal/program"
	"nmu/internal/checkpoint"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/process"
	"nmu/internal/record"
	"nmu/internal/release"
	"nmu/internal/render"
)

// Long is the command line of a run that writes checkpoints, from which nmu resume goes on.
type Long struct {
	input.Matrix
	Entries data.Request // what counts of M
	Options methods.Flags
	All     *process.Group    // or nil
	From    *checkpoint.State // of nmu resume, or nil
	States  checkpoint.Saver  // after Begin
}

// Complete completes a command with an INPUT, whose work is run.
func (l *Long) Complete(cmd program.Command, run func(c *program.Call) error) *program.Command {
	l.Options, l.Entries.Run = methods.NewFlags(), &l.Run
	cmd.Run, cmd.Methods, cmd.Least, cmd.Most, cmd.Takes = &l.Run, l.Options, 1, 1, "one INPUT, got %d"
	cmd.Do = func(c *program.Call) error {
		l.Path = c.Args[0]
		return run(c)
	}
	return &cmd
}

// Begin prepares the checkpoints of a run.
func (l *Long) Begin(c *program.Call) error {
	s, begun, unasked := &l.States, time.Now(), !c.Given("checkpoint-every")
	s.From, s.After, s.Every = l.From, l.Every, l.Every
	switch {
	case l.Every > 0 && l.Out == "":
		return exit.Misuse(errors.New("--checkpoint-every says how often to write; --out says where"))
	case l.Every > 0 && l.Path == input.Stdin:
		return exit.Misuse(errors.New("--checkpoint-every: standard input cannot be read again by nmu resume; name a file"))
	case unasked && l.Out != "" && l.Path != input.Stdin:
		s.After, s.Every = checkpoint.Unasked, checkpoint.Every
	}
	s.Note = func() (checkpoint.Note, error) {
		folder, err := os.Getwd()
		if err != nil {
			return checkpoint.Note{}, err
		}
		// The run goes on with any number of processes.
		flags := slices.DeleteFunc(c.Flags(), func(flag [2]string) bool { return flag[0] == mpirun.FlagName })
		short := unasked && time.Since(begun) < checkpoint.Unasked && (l.From == nil || l.From.Note.Short)
		files, err := checkpoint.ReadInputs(l.Paths())
		return checkpoint.Note{Version: release.Version(), Command: strings.TrimPrefix(c.Name, factorName), Folder: folder, Input: l.Path, Flags: flags, Files: files, Short: short}, err
	}
	s.Warn = func(err error) {
		if !errors.Is(err, matio.ErrChanged) { // with which the run ends
			c.Note("no checkpoint could be written: %s", render.OneLine(err))
		}
	}
	return nil
}

// Paths returns the paths of the files that the run reads: the input, unless it has changed, the names of its rows and
// columns, and what is matched to it. What --init and --continue read is known to the library.
func (l *Long) Paths() ([]string, error) {
	if err := l.Changed(); err != nil {
		return nil, err
	}
	rows, cols := l.NamesPaths()
	fixed := []string{record.FactorPath(l.FixV, record.NameV), record.FactorPath(l.FixW, record.NameW)}
	return checkpoint.Paths(l.Path, slices.Concat([]string{rows, cols}, l.Entries.Paths(), fixed)...)
}
