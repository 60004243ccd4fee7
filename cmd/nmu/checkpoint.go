package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"nmu/internal/fileset"
	"nmu/internal/regular"
	"nmu/lnmu"
)

// checkpoints writes the states of a run to a folder.
type checkpoints struct {
	folder string
	note   func() (checkpointNote, error) // it reads the files, and so is called when it is needed
	point  *lnmu.Checkpoint
	warn   func(err error)
	failed bool
}

// checkpointsTo writes states to a folder: the first one once the run has taken the time
// after, then one in the time every. Note describes the run, warn says the first time why a
// state could not be written.
func checkpointsTo(folder string, after, every time.Duration, note func() (checkpointNote, error), warn func(err error)) *checkpoints {
	c := &checkpoints{folder: folder, note: note, warn: warn, point: &lnmu.Checkpoint{After: after, Every: every}}
	c.point.Save = c.save
	return c
}

// save writes a state. If that fails, the run goes on, and says so once.
func (c *checkpoints) save(state io.WriterTo) {
	err := c.write(state)
	if err != nil && !c.failed {
		c.failed = true
		c.warn(err)
	}
}

func (c *checkpoints) write(state io.WriterTo) (err error) {
	if c.point.Note == nil {
		note, err := c.note()
		if err != nil {
			return err
		}
		if c.point.Note, err = json.Marshal(note); err != nil {
			return err
		}
	}
	return fileset.Rotate(c.folder, nameCheckpoint, nameCheckpointOld, func(w io.Writer) error {
		_, err := state.WriteTo(w)
		return err
	})
}

// settings returns what the library is asked for, or nil.
func (c *checkpoints) settings(from *resumption) *lnmu.Checkpoint {
	var point *lnmu.Checkpoint
	if c != nil {
		point = c.point
	}
	if from != nil {
		point = cmp.Or(point, &lnmu.Checkpoint{})
		point.Resume = from.file
	}
	return point
}

// inputFileOf reads a file to the end that it has now: one that grows meanwhile is none that
// a run goes on with.
func inputFileOf(path string) (inputFile, error) {
	file, err := regular.Open(path)
	if err != nil {
		return inputFile{}, err
	}
	defer file.Close()
	sum := sha256.New()
	info, err := file.Stat()
	if err != nil {
		return inputFile{}, err
	}
	n, err := io.Copy(sum, io.LimitReader(file, info.Size()))
	return inputFile{Path: path, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}
