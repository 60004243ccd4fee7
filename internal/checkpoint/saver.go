package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// Every is the time between two states by default. Where nobody has asked for states, as in the folder of a run, they
// begin after Unasked.
const (
	Every   = 5 * time.Minute
	Unasked = 10 * time.Minute
)

// Place is where the states of a run lie, such as a folder.
type Place interface {
	// Replace puts a state in the place of the one before, in one step.
	Replace(name string, write func(w io.Writer) error) error

	// Discard removes the state if it is there.
	Discard(name string) error
}

// File is the path of a file as a Place, whatever the name of the state.
type File string

// Replace implements Place.
func (f File) Replace(_ string, write func(w io.Writer) error) error {
	return matio.WriteFile(string(f), write)
}

// Discard implements Place.
func (f File) Discard(string) error {
	if err := os.Remove(string(f)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Saver keeps the states of a run.
type Saver struct {
	Place                             // nil where there is none, or another process writes there
	From         *State               // that the run goes on from, or nil
	After, Every time.Duration        // when the first state follows, and the others; 0: none is written
	Note         func() (Note, error) // describes the run, or nil; it reads the input files, so it is called only for the first state
	Warn         func(err error)      // is told of the first failure to write a state, or nil: End returns the last one

	point lnmu.Checkpoint
	err   error
}

// In makes a folder, unless it is nil, the place of the states. A run that goes on from a state must find the same result there at its
// end. Any other one removes the state in the folder.
func (s *Saver) In(folder *fileset.Folder) error {
	if folder == nil {
		return nil
	}
	s.Place = folder
	if s.From == nil {
		return s.remove()
	}
	folder.Keep()
	return nil
}

// Point returns what package lnmu needs to write the states and to go on, nil if it has to do neither.
func (s *Saver) Point() *lnmu.Checkpoint {
	if s.From != nil {
		s.point.Resume = s.From.File
	}
	if s.Every > 0 {
		s.point.After, s.point.Every, s.point.Save = s.After, s.Every, s.save
	} else if s.From == nil {
		return nil
	}
	return &s.point
}

// save writes a state. The run continues if that fails.
func (s *Saver) save(state io.WriterTo) {
	s.err = s.write(state)
	if s.err != nil && s.Warn != nil {
		s.Warn(s.err)
		s.Warn = func(error) {}
	}
}

func (s *Saver) write(state io.WriterTo) error {
	if s.point.Note == nil && s.Note != nil {
		note, err := s.Note()
		if err != nil {
			return err
		}
		if s.point.Note, err = json.Marshal(note); err != nil {
			return err
		}
	}
	return s.Replace(Name, func(w io.Writer) error {
		_, err := state.WriteTo(w)
		return err
	})
}

// End removes the state of a run that is over. The state of one that was cut short stays; the error says
// that it could not be written.
func (s *Saver) End(over bool) error {
	switch {
	case s.Place == nil:
		return nil
	case over:
		return s.remove()
	case s.err != nil && s.Warn == nil:
		return fmt.Errorf("no checkpoint could be written: %w", s.err)
	}
	return nil
}

func (s *Saver) remove() error {
	if err := s.Discard(Name); err != nil {
		return fmt.Errorf("the checkpoint is still there: %w", err)
	}
	return nil
}
