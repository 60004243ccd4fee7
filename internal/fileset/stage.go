package fileset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/regular"
)

// Calls that the tests let fail, or end the process.
var (
	rename   = os.Rename
	link     = os.Link
	exchange = exchangeFolders
)

// What a temporary folder holds.
const (
	newFiles   = "new"    // a folder with the new files that are not in their places
	oldFiles   = "old"    // one with the old files that they replace
	commitMark = "commit" // the journal: the set is complete, and to be put in place
	undoMark   = "undo"   // the journal, when that has failed: the old files go back
)

// stage is a temporary folder, in the folder or beside it.
type stage struct {
	folder *folder
	path   string
	half   bool // the set is half in its place, and stays so
	held   bool // it held the files of a folder, maybe of others too
	journal
}

// journal is what has to be known to complete a set or to undo it.
type journal struct {
	Files map[string]string // the set: names and SHA-256
	Gone  map[string]string // files of the earlier set that go
	Fresh []string          // of Files, those whose names were free
	Last  string            // of Files, the record
}

// newStage makes a temporary folder in f, which only this user may look into.
func (f *folder) newStage() (*stage, error) {
	for try := 0; ; try++ {
		path := filepath.Join(f.path, fmt.Sprintf("%s%016x", prefix, rand.Uint64()))
		err := os.Mkdir(path, 0o700)
		if err == nil {
			s := &stage{folder: f, path: path, journal: journal{Files: map[string]string{}}}
			return s, errors.Join(os.Mkdir(s.in(newFiles), 0o777), os.Mkdir(s.in(oldFiles), 0o700))
		}
		if !errors.Is(err, fs.ErrExist) || try == tries {
			return nil, err
		}
	}
}

// in returns the path of something in the temporary folder.
func (s *stage) in(elem ...string) string {
	return filepath.Join(append([]string{s.path}, elem...)...)
}

// to returns the path of a file in the folder.
func (s *stage) to(name string) string { return filepath.Join(s.folder.path, name) }

// fill writes the files, the record last.
func (s *stage) fill(files []File, record string) error {
	s.Last = record
	for _, last := range []bool{false, true} {
		for _, file := range files {
			if (file.Name == record) != last {
				continue
			}
			path := s.in(newFiles, file.Name)
			err := file.Write(path)
			if err == nil && last {
				err = list(path, s.Files)
			}
			if err == nil {
				s.Files[file.Name], err = sumOf(path)
			}
			if err != nil {
				return err
			}
		}
	}
	syncFolder(s.in(newFiles))
	return nil
}

// mark writes the journal: from now on the set is to be put in place.
func (s *stage) mark() error {
	text, err := json.Marshal(s.journal)
	if err != nil {
		return err
	}
	if err := writeSynced(s.in("journal"), text); err != nil {
		return err
	}
	if err := rename(s.in("journal"), s.in(commitMark)); err != nil {
		return err
	}
	syncFolder(s.path)
	return nil
}

// load reads the journal, if it is there under this name.
func (s *stage) load(mark string) bool {
	text, err := regular.ReadFile(s.in(mark))
	return err == nil && json.Unmarshal(text, &s.journal) == nil
}

// commit puts the set in place by journal.
func (s *stage) commit() error {
	for name := range s.Files {
		if !exists(s.to(name)) {
			s.Fresh = append(s.Fresh, name)
		}
	}
	if err := s.mark(); err != nil {
		return err
	}
	return s.place()
}

// place puts a set with a journal in its place. If that fails, the old files go
// back.
func (s *stage) place() error {
	err := s.forward()
	if err == nil {
		os.Remove(s.in(commitMark))
		return nil
	}
	if failed := rename(s.in(commitMark), s.in(undoMark)); failed != nil {
		s.half = true
		return errors.Join(err, failed)
	}
	return errors.Join(err, s.undo())
}

// forward keeps the old files and renames the new ones. What a process that was
// killed has done of it is not done again.
func (s *stage) forward() error {
	for _, name := range s.inOrder() {
		path, kept := s.to(name), s.in(oldFiles, name)
		if !exists(s.in(newFiles, name)) || !exists(path) || exists(kept) {
			continue
		}
		if link(path, kept) == nil {
			continue
		}
		if err := rename(path, kept); err != nil {
			return err
		}
	}
	for name, sum := range s.Gone {
		if path := s.to(name); holds(path, sum) {
			if err := rename(path, s.in(oldFiles, name)); err != nil {
				return err
			}
		}
	}
	for _, name := range s.inOrder() {
		if path := s.in(newFiles, name); exists(path) {
			if err := rename(path, s.to(name)); err != nil {
				return err
			}
		}
	}
	syncFolder(s.folder.path)
	return nil
}

// inOrder returns the names of the set, the record last.
func (s *stage) inOrder() []string {
	names := slices.Sorted(maps.Keys(s.Files))
	if i := slices.Index(names, s.Last); i >= 0 {
		names = append(slices.Delete(names, i, i+1), s.Last)
	}
	return names
}

// undo puts the old files back, and removes the new ones that replaced nothing.
func (s *stage) undo() error {
	var failed error
	for _, name := range union(s.Files, s.Gone) {
		var err error
		switch kept := s.in(oldFiles, name); {
		case exists(kept):
			err = rename(kept, s.to(name))
		case slices.Contains(s.Fresh, name) && holds(s.to(name), s.Files[name]):
			err = os.Remove(s.to(name))
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		os.Remove(s.in(undoMark))
	}
	s.half = failed != nil
	return failed
}

// exchange puts the set in place in one step, or reports that this cannot be done
// here. An error means that the set cannot take its place at all.
func (s *stage) exchange() (done bool, err error) {
	f, inside := s.folder, s.path
	if !f.locked || !s.alone() || !alike(f.path, s.in(newFiles)) {
		return false, nil
	}
	id := strings.TrimPrefix(filepath.Base(inside), prefix)
	outside := filepath.Join(filepath.Dir(f.path), f.besidePrefix()+id)
	if rename(inside, outside) != nil {
		return false, nil
	}
	s.path = outside
	release, err := acquire(s.in(newFiles)) // it will be the folder that others wait for
	if err == nil {
		both := f.release
		f.release = func() { release(); both() }
		err = s.mark()
	}
	if err == nil {
		err = exchange(s.in(newFiles), f.path)
	}
	if err != nil {
		os.Remove(s.in(commitMark))
		if err := rename(outside, inside); err != nil {
			return false, err
		}
		s.path = inside
		return false, nil
	}
	s.held = true
	syncFolder(filepath.Dir(f.path))
	if err = s.retire(); err != nil && s.unretire() == nil {
		s.clear()
		return false, err
	}
	s.clear()
	return true, nil
}

// alone reports whether the folder holds nothing but what the set replaces, and
// is not the working directory, which must not be taken from the user.
func (s *stage) alone() bool {
	entries, err := os.ReadDir(s.folder.path)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !(s.owns(e.Name()) && e.Type().IsRegular()) && e.Name() != filepath.Base(s.path) {
			return false
		}
	}
	here, err := os.Stat(".")
	if err != nil {
		return false
	}
	dir, err := os.Stat(s.folder.path)
	return err == nil && !os.SameFile(here, dir)
}

// owns reports whether a file of this name is of the set, or of the one before.
func (s *stage) owns(name string) bool {
	_, file := s.Files[name]
	_, gone := s.Gone[name]
	return file || gone
}

// retire moves the files of a set out of the folder that is no more in its place,
// which shows that they may be removed.
func (s *stage) retire() error {
	for _, name := range union(s.Files, s.Gone) {
		if path := s.in(newFiles, name); exists(path) {
			if err := rename(path, s.in(oldFiles, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unretire takes an exchange back.
func (s *stage) unretire() error {
	for _, name := range union(s.Files, s.Gone) {
		if kept := s.in(oldFiles, name); exists(kept) {
			if err := rename(kept, s.in(newFiles, name)); err != nil {
				return err
			}
		}
	}
	return exchange(s.in(newFiles), s.folder.path)
}

// clear removes a temporary folder beside the folder, with the set that is not in
// its place. A file that someone else put there, when it was the folder, joins
// the new one.
func (s *stage) clear() {
	path := s.path
	if s.retire() != nil {
		return
	}
	entries, _ := os.ReadDir(s.in(newFiles))
	for _, e := range entries {
		if to := s.to(e.Name()); !exists(to) {
			rename(s.in(newFiles, e.Name()), to)
		}
	}
	if os.RemoveAll(s.in(oldFiles)) != nil {
		return
	}
	// One that was killed here has left the journal alone.
	if err := os.Remove(s.in(newFiles)); err == nil || errors.Is(err, fs.ErrNotExist) {
		os.Remove(s.in(commitMark))
		os.Remove(path)
	}
}

// remove removes a temporary folder that holds nothing to be kept.
func (s *stage) remove() {
	if !s.half && !s.held {
		os.RemoveAll(s.path)
	}
}
