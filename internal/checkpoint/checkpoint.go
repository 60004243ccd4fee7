package checkpoint

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/regular"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// Name is the file name of the last checkpoint, see fileset.Folder.
const Name = ".nmu-checkpoint"

// Note describes the run of a state: its command line and its input files.
type Note struct {
	Version string      `json:"version"`
	Command string      `json:"command,omitempty"` // nmu factor if empty
	Folder  string      `json:"folder"`            // where the run was started
	Input   string      `json:"input"`
	Flags   [][2]string `json:"flags"` // names and values of those that were given
	Files   []Input     `json:"files"` // that the run read

	// Short says that the run was cut short before its checkpoints began. A new run in the folder
	// may discard the state.
	Short bool `json:"short,omitempty"`
}

// Input is a file that a run has read.
type Input struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// State is an open checkpoint from which a run resumes.
type State struct {
	File *os.File // at the beginning of a whole state
	Note Note
}

// Open opens the last state in the folder dir. Its note takes at most limit bytes of memory, or those that are
// free if limit is 0.
func Open(dir string, limit int64) (*State, error) {
	r, err := read(filepath.Join(dir, Name), cmp.Or(limit, memory.Free()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("no checkpoint is there: the run has ended, or was killed before its first one, or has --checkpoint-every 0; run it again")
	} else if errors.Is(err, matio.ErrTooLarge) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w; run it again from its beginning, with --force", err)
	}
	return r, nil
}

// read opens a state and reads it once to see that it is whole.
func read(path string, limit int64) (r *State, err error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	whole, note := bufio.NewReader(file), compare.ReadNote
	kind := strings.TrimRight(compare.Magic, "0123456789\n")
	if head, _ := whole.Peek(len(kind)); string(head) != kind {
		note = func(r io.Reader) ([]byte, error) { return lnmu.Checkpoint{Resume: r}.ReadNote() }
	}
	text, err := note(whole)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	if _, size, _ := render.Weigh(text); size > limit {
		return nil, &matio.MemoryError{Path: filepath.Base(path), What: "reading its note", Need: size, Limit: limit}
	}
	r = &State{File: file}
	if err := json.Unmarshal(text, &r.Note); err != nil {
		return nil, fmt.Errorf("%s is no checkpoint of nmu: %w", filepath.Base(path), err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return r, err
}

// Has reports whether the folder dir holds a state.
func Has(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, Name))
	return err == nil
}

// Keeps reports whether the folder dir holds a state that no new run may discard unasked.
func Keeps(dir string) bool {
	if !Has(dir) {
		return false
	}
	state, err := Open(dir, 0)
	if err != nil {
		return true // of a run of unknown length
	}
	defer state.File.Close()
	return !state.Note.Short
}

// Hint returns the end of an error message that names nmu resume, or nothing if the folder
// dir holds no state.
func Hint(dir string) string {
	if dir == "" || !Has(dir) {
		return ""
	}
	return "; nmu resume " + dir + " goes on from its checkpoint"
}
