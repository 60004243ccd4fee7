package fileset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Calls that tests replace, to fail or to end the process.
var (
	rename   = (*os.Root).Rename
	link     = (*os.Root).Link
	exchange = exchangeFolders
)

// Contents of a temporary folder.
const (
	newFiles   = "new"    // a folder with the new files that are not yet in place
	oldFiles   = "old"    // a folder with the old files that they replace
	commitMark = "commit" // the journal: the set is complete, and to be put in place
	undoMark   = "undo"   // the journal after a failure: the old files go back
)

// stage is a temporary folder, in the folder or beside it.
type stage struct {
	folder *folder
	root   *os.Root // the folder that contains the temporary one: the target folder or its parent
	name   string   // of the temporary folder, in root
	at     string   // the folder, in root
	half   bool     // the set is partly in place, and stays so
	held   bool     // it held the files of a folder, maybe of others too
	journal
}

// newStage makes a temporary folder in f that only this user may read.
func (f *folder) newStage() (*stage, error) {
	for try := 0; ; try++ {
		s := f.inside(fmt.Sprintf("%s%016x", prefix, rand.Uint64()))
		err := s.root.Mkdir(s.name, 0o700)
		if err == nil {
			s.Files = map[string]string{}
			return s, errors.Join(s.root.Mkdir(s.in(newFiles), 0o777), s.root.Mkdir(s.in(oldFiles), 0o700))
		}
		if !errors.Is(err, fs.ErrExist) || try == tries {
			return nil, err
		}
	}
}

// inside returns the stage of this name in the folder.
func (f *folder) inside(name string) *stage {
	return &stage{folder: f, root: f.root, name: name, at: "."}
}

// in returns the path of something in the temporary folder, from root.
func (s *stage) in(elem ...string) string {
	return filepath.Join(append([]string{s.name}, elem...)...)
}

// to returns the path of a file in the folder, from root.
func (s *stage) to(name string) string { return filepath.Join(s.at, name) }

// path returns the path of something in the temporary folder.
func (s *stage) path(elem ...string) string { return filepath.Join(s.root.Name(), s.in(elem...)) }

// there says whether anything exists at a path from root.
func (s *stage) there(path string) bool {
	_, err := s.root.Lstat(path)
	return err == nil
}

// fill writes the files, the record last.
func (s *stage) fill(files []File, record string) error {
	s.Last = record
	for _, last := range []bool{false, true} {
		for _, file := range files {
			if (file.Name == record) != last {
				continue
			}
			path := s.path(newFiles, file.Name)
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
	syncFolder(s.path(newFiles))
	return nil
}

// mark writes the journal. From then on the set is complete and must be put in place.
func (s *stage) mark() error {
	text, err := json.Marshal(s.journal)
	if err != nil {
		return err
	}
	if len(text) > maxJournal {
		return fmt.Errorf("%d files are too many for one set", len(s.Files)+len(s.Gone))
	}
	if err := writeSynced(s.path("journal"), text); err != nil {
		return err
	}
	if err := rename(s.root, s.in("journal"), s.in(commitMark)); err != nil {
		return err
	}
	syncFolder(s.path())
	return nil
}

// commit puts the set in place by journal.
func (s *stage) commit() error {
	for name := range s.Files {
		if !s.there(s.to(name)) {
			s.Fresh = append(s.Fresh, name)
		}
	}
	if err := s.mark(); err != nil {
		return err
	}
	return s.place()
}

// place puts a set with a journal in place. If that fails, it restores the old files.
func (s *stage) place() error {
	err := s.forward()
	if err == nil {
		s.root.Remove(s.in(commitMark))
		return nil
	}
	if failed := rename(s.root, s.in(commitMark), s.in(undoMark)); failed != nil {
		s.half = true
		return errors.Join(err, failed)
	}
	return errors.Join(err, s.undo())
}

// forward keeps the old files and renames the new ones. It skips the steps that a killed
// process has done.
func (s *stage) forward() error {
	for _, name := range s.inOrder() {
		path, kept := s.to(name), s.in(oldFiles, name)
		if !s.there(s.in(newFiles, name)) || !s.there(path) || s.there(kept) {
			continue
		}
		if link(s.root, path, kept) == nil {
			continue
		}
		if err := rename(s.root, path, kept); err != nil {
			return err
		}
	}
	for name, sum := range s.Gone {
		if path := s.to(name); holds(s.root, path, sum) {
			if err := rename(s.root, path, s.in(oldFiles, name)); err != nil {
				return err
			}
		}
	}
	for _, name := range s.inOrder() {
		if path := s.in(newFiles, name); s.there(path) {
			if err := rename(s.root, path, s.to(name)); err != nil {
				return err
			}
		}
	}
	syncFolder(s.folder.path)
	return nil
}

// undo puts the old files back, and removes the new ones that replaced nothing.
func (s *stage) undo() error {
	var failed error
	for _, name := range union(s.Files, s.Gone) {
		var err error
		switch kept := s.in(oldFiles, name); {
		case s.there(kept):
			err = rename(s.root, kept, s.to(name))
		case slices.Contains(s.Fresh, name) && holds(s.root, s.to(name), s.Files[name]):
			err = s.root.Remove(s.to(name))
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		s.root.Remove(s.in(undoMark))
	}
	s.half = failed != nil
	return failed
}

// exchange puts the set in place in one step. done is false if that is impossible here. An
// error means that the set cannot take its place at all.
func (s *stage) exchange() (done bool, err error) {
	f, inside := s.folder, *s
	if !f.locked || !s.alone() || !alike(f.path, s.path(newFiles)) {
		return false, nil
	}
	parent, err := f.above()
	if err != nil {
		return false, nil
	}
	outside := f.beside(parent, f.besidePrefix()+strings.TrimPrefix(s.name, prefix))
	if rename(parent, outside.to(s.name), outside.name) != nil {
		return false, nil
	}
	s.root, s.name, s.at = outside.root, outside.name, outside.at
	release, err := acquire(s.path(newFiles)) // it will be the folder that others wait for
	if err == nil {
		both := f.release
		f.release = func() { release(); both() }
		err = s.mark()
	}
	if err == nil {
		err = exchange(s.path(newFiles), f.path)
	}
	if err != nil {
		s.root.Remove(s.in(commitMark))
		if err := rename(parent, s.name, s.to(inside.name)); err != nil {
			return false, err
		}
		s.root, s.name, s.at = inside.root, inside.name, inside.at
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

// alone says whether the folder holds only files that the set replaces and is not the working
// directory, which must not be taken from the user.
func (s *stage) alone() bool {
	entries, err := readDir(s.root, s.at)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !(s.owns(e.Name()) && e.Type().IsRegular()) && e.Name() != s.name {
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

// retire moves the files of the replaced set out of its folder, which shows that they may be
// removed.
func (s *stage) retire() error {
	for _, name := range union(s.Files, s.Gone) {
		if path := s.in(newFiles, name); s.there(path) {
			if err := rename(s.root, path, s.in(oldFiles, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unretire undoes retire and the exchange of folders.
func (s *stage) unretire() error {
	for _, name := range union(s.Files, s.Gone) {
		if kept := s.in(oldFiles, name); s.there(kept) {
			if err := rename(s.root, kept, s.in(newFiles, name)); err != nil {
				return err
			}
		}
	}
	return exchange(s.path(newFiles), s.folder.path)
}

// clear removes a temporary folder beside the folder, with the replaced set. A file that
// someone else put there before the exchange moves to the new folder.
func (s *stage) clear() {
	if s.retire() != nil {
		return
	}
	entries, _ := readDir(s.root, s.in(newFiles))
	for _, e := range entries {
		if to := s.to(e.Name()); !s.there(to) {
			rename(s.root, s.in(newFiles, e.Name()), to)
		}
	}
	if s.root.RemoveAll(s.in(oldFiles)) != nil {
		return
	}
	// A process that was killed here has left only the journal.
	if err := s.root.Remove(s.in(newFiles)); err == nil || errors.Is(err, fs.ErrNotExist) {
		s.root.Remove(s.in(commitMark))
		s.root.Remove(s.name)
	}
}

// remove removes a temporary folder without files to keep.
func (s *stage) remove() {
	if !s.half && !s.held {
		s.root.RemoveAll(s.name)
	}
}

// readDir returns the entries of a folder, given by its path from root.
func readDir(root *os.Root, path string) ([]fs.DirEntry, error) {
	dir, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}
