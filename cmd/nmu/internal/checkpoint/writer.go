package checkpoint

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

// Writer writes the states of a run to a folder.
type Writer struct {
	folder string
	note   func() (Note, error) // it reads the files, and so is called when it is needed
	point  *lnmu.Checkpoint
	warn   func(err error)
	failed bool
}

// NewWriter returns a writer of states to a folder: of the first one once the run has taken
// the time after, then of one in each time every. The function note describes the run; warn
// is called once, with the reason why a state could not be written.
func NewWriter(folder string, after, every time.Duration, note func() (Note, error), warn func(err error)) *Writer {
	c := &Writer{folder: folder, note: note, warn: warn, point: &lnmu.Checkpoint{After: after, Every: every}}
	c.point.Save = c.save
	return c
}

// save writes a state. If that fails, the run goes on, and says so once.
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
	return fileset.Rotate(c.folder, Name, NameOld, func(w io.Writer) error {
		_, err := state.WriteTo(w)
		return err
	})
}

// Settings returns the checkpoints that the library is asked for, and the state that it
// goes on from, or nil. The writer and the state may be nil.
func (c *Writer) Settings(from *State) *lnmu.Checkpoint {
	var point *lnmu.Checkpoint
	if c != nil {
		point = c.point
	}
	if from != nil {
		point = cmp.Or(point, &lnmu.Checkpoint{})
		point.Resume = from.File
	}
	return point
}

// ReadInput reads a file to the end that it has now: one that grows meanwhile is none that
// a run goes on with.
func ReadInput(path string) (Input, error) {
	file, err := regular.Open(path)
	if err != nil {
		return Input{}, err
	}
	defer file.Close()
	sum := sha256.New()
	info, err := file.Stat()
	if err != nil {
		return Input{}, err
	}
	n, err := io.Copy(sum, io.LimitReader(file, info.Size()))
	return Input{Path: path, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}
