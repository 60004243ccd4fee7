//go:build cgo

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"nmu/internal/matio"
	"nmu/internal/regular"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// defaultEvery is the time between two states.
const defaultEvery = 5 * time.Minute

// saver writes the states of a run to a file, and reads the one that the run goes on from.
type saver struct {
	path string
	from *os.File // or nil
	err  error    // of the last state
}

// openStates prepares what the settings say of checkpoints.
func (p *plan) openStates() {
	if p.Save == "" && p.Resume == "" {
		if p.Every > 0 {
			refuse(lnmu.ErrOption, "checkpoint-every says how often to write; checkpoint says where")
		}
		return
	}
	s := &saver{path: p.Save}
	point := &lnmu.Checkpoint{}
	if p.Save != "" {
		if _, err := os.Stat(filepath.Dir(p.Save)); err != nil {
			refuse(lnmu.ErrOption, "checkpoint: %w", err)
		}
		point.After = cmp.Or(p.Every, defaultEvery)
		point.Every, point.Save = point.After, s.save
	}
	if p.Resume != "" {
		var err error
		if s.from, err = regular.Open(p.Resume); err != nil {
			refuse(lnmu.ErrOption, "resume: %w", err)
		}
		point.Resume = s.from
	}
	p.state, p.Settings.Checkpoint = s, point
}

// save writes a state in place of the one before.
func (s *saver) save(state io.WriterTo) {
	s.err = matio.WriteFile(s.path, func(w io.Writer) error {
		_, err := state.WriteTo(w)
		return err
	})
}

// saved removes the state of a run that ended by itself. Otherwise it returns a warning if the
// last state could not be written.
func (p *plan) saved(stop outcome.Stop) error {
	s := p.state
	switch {
	case s == nil || s.path == "":
		return nil
	case stop != outcome.StopTime && stop != outcome.StopCancelled:
		if err := os.Remove(s.path); err != nil && !os.IsNotExist(err) {
			return warning{fmt.Errorf("the checkpoint of the finished run is still there: %w", err)}
		}
	case s.err != nil:
		return warning{fmt.Errorf("no checkpoint could be written: %w", s.err)}
	}
	return nil
}
