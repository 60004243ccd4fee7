package checkpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"time"

	"nmu/internal/fileset"
	"nmu/lnmu"
)

// Writer writes the states of a run to a folder.
type Writer struct {
	folder *fileset.Folder
	note   func() (Note, error) // reads the input files, so it is called only for the first state
	point  *lnmu.Checkpoint
	warn   func(err error)
	failed bool
}

// When the states are written if no interval is given.
const (
	firstAfter = 10 * time.Minute
	thenEvery  = 5 * time.Minute
)

// NewWriter returns a writer of states, at an interval. If that is 0, the first state
// follows after ten minutes, the others every five. The last one follows when the run is cut short.
// The run has begun now, or goes on from a state. The function note describes it. At the first failure
// to write a state, warn is called with the error; later failures are silent.
func NewWriter(interval time.Duration, from *State, note func() (Note, error), warn func(err error)) *Writer {
	c := &Writer{warn: warn, point: &lnmu.Checkpoint{After: interval, Every: interval}}
	if interval == 0 {
		c.point.After, c.point.Every = firstAfter, thenEvery
	}
	begun := time.Now()
	c.note = func() (Note, error) {
		note, err := note()
		note.Short = interval == 0 && time.Since(begun) < firstAfter && (from == nil || from.Note.Short)
		return note, err
	}
	c.point.Save = c.save
	return c
}

// CheckFlag returns an error if --checkpoint-every cannot hold: states are wanted without a folder out, or of a run that
// reads standard input.
func CheckFlag(interval time.Duration, out string, stdin bool) error {
	switch {
	case interval > 0 && out == "":
		return errors.New("--checkpoint-every says how often to write; --out says where")
	case interval > 0 && stdin:
		return errors.New("--checkpoint-every: standard input cannot be read again by nmu resume; name a file")
	}
	return nil
}

// save writes a state. The run continues if that fails; only the first failure is reported.
func (c *Writer) save(state io.WriterTo) {
	err := c.write(state)
	if err != nil && !c.failed {
		c.failed = true
		c.warn(err)
	}
}

func (c *Writer) write(state io.WriterTo) (err error) {
	if c.point.Note == nil {
		note, err := c.note()
		if err != nil {
			return err
		}
		if c.point.Note, err = json.Marshal(note); err != nil {
			return err
		}
	}
	return c.folder.Replace(Name, func(w io.Writer) error {
		_, err := state.WriteTo(w)
		return err
	})
}

// Settings returns the checkpoint options for package lnmu: states are written to the folder, and from is
// the state to resume. The writer and from may be nil; the result is nil if both are.
func (c *Writer) Settings(folder *fileset.Folder, from *State) *lnmu.Checkpoint {
	var point *lnmu.Checkpoint
	if c != nil {
		c.folder, point = folder, c.point
	}
	if from != nil {
		point = cmp.Or(point, &lnmu.Checkpoint{})
		point.Resume = from.File
	}
	return point
}
