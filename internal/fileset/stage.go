package fileset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Calls that tests replace, to fail or to end the process.
var (
	rename   = renameBetween
	link     = linkBetween
	exchange = exchangeFolders
	syncFile = (*os.File).Sync
	mkdir    = (*os.Root).Mkdir
)

// Contents of a temporary folder.
const (
	newFiles   = "new"     // a folder with the new files that are not yet in place
	oldFiles   = "old"     // a folder with the old files that they replace
	commitMark = "commit"  // the journal: the set is complete, and to be put in place
	undoMark   = "undo"    // the journal after a failure: the old files go back
	draftMark  = "journal" // the journal while it is written
)

// stage is a temporary folder, in the folder or beside it. Its files are reached through folders
// that stay open: if another user puts a link or another folder under one of the names
// meanwhile, nothing is written there.
type stage struct {
	folder *folder
	home   *os.Root // the folder that contains the temporary one: the target folder or its parent
	name   string   // of the temporary folder, in home
	dir    *os.Root // the temporary folder
	fresh  *os.Root // its folder newFiles
	old    *os.Root // its folder oldFiles
	target *os.Root // the folder in which the files take their places
	half   bool     // the set is partly in place, and stays so
	held   bool     // it held the files of a folder, maybe of others too
	journal
}

// newStage makes a temporary folder in f that only this user may read.
func (f *folder) newStage() (s *stage, err error) {
	name, err := makeTemporary(f.root, "")
	if err != nil {
		return nil, err
	}
	if s, err = f.stage(f.root, name); err != nil {
		f.root.Remove(name)
		return nil, err
	}
	s.Files = map[string]string{}
	if err = mkdir(s.dir, newFiles, 0o777); err == nil {
		err = mkdir(s.dir, oldFiles, 0o700)
	}
	err = whole(err, s.dir)
	if err == nil {
		s.fresh, err = within(s.dir, newFiles)
	}
	if err == nil {
		s.old, err = within(s.dir, oldFiles)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// hexadecimal are the digits of the number in the name of a temporary folder.
const hexadecimal = "0123456789abcdef"

// makeTemporary makes a folder that only this user may read, and returns its name.
func makeTemporary(in *os.Root, suffix string) (name string, err error) {
	for try := 0; ; try++ {
		name = fmt.Sprintf("%s%016x%s", prefix, rand.Uint64(), suffix)
		err = in.Mkdir(name, 0o700)
		if !errors.Is(err, fs.ErrExist) || try == tries {
			return name, whole(err, in)
		}
	}
}

// stage opens the temporary folder of this name in home, which is the folder or its parent.
func (f *folder) stage(home *os.Root, name string) (*stage, error) {
	dir, err := within(home, name)
	if err != nil {
		return nil, err
	}
	info, err := dir.Stat(".")
	if err == nil && !owned(info) {
		err = fmt.Errorf("%s was replaced by another user", filepath.Join(home.Name(), name))
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &stage{folder: f, home: home, name: name, dir: dir, target: f.root}, nil
}

// within opens the folder of this name in another. A link is an error.
func within(root *os.Root, name string) (*os.Root, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(root.Name(), name), Err: syscall.ENOTDIR}
	}
	dir, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := dir.Stat("."); err != nil || !os.SameFile(info, now) {
		dir.Close()
		return nil, errors.Join(fmt.Errorf("%s was replaced meanwhile", filepath.Join(root.Name(), name)), err)
	}
	return dir, nil
}

// there says whether anything of this name exists in a folder, which may be nil.
func there(root *os.Root, name string) bool {
	if root == nil {
		return false
	}
	_, err := root.Lstat(name)
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
			write := file.Write
			if last {
				write = s.listing(file)
			}
			if err := create(s.fresh, file.Name, write); err != nil {
				return err
			}
			if err := s.sum(file.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// listing returns a function that writes a record with the sums of the other files.
func (s *stage) listing(record File) func(w io.Writer) error {
	return func(w io.Writer) error {
		var text bytes.Buffer
		if err := record.Write(&text); err != nil {
			return err
		}
		whole, err := withList(record.Name, text.Bytes(), s.Files)
		if err != nil {
			return err
		}
		return content(whole)(w)
	}
}

// sum adds a new file to the set.
func (s *stage) sum(name string) (err error) {
	s.Files[name], err = sumOf(s.fresh, name)
	return err
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
	s.dir.Remove(draftMark) // of an exchange that was not possible
	if err := create(s.dir, draftMark, content(text)); err != nil {
		return err
	}
	if err := rename(s.dir, draftMark, s.dir, commitMark); err != nil {
		return err
	}
	syncFolder(s.dir)
	return nil
}

// commit puts the set in place by journal.
func (s *stage) commit() error {
	for name := range s.Files {
		if !there(s.target, name) {
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
		s.dir.Remove(commitMark)
		return nil
	}
	if failed := rename(s.dir, commitMark, s.dir, undoMark); failed != nil {
		s.half = true
		return errors.Join(err, failed)
	}
	return errors.Join(err, s.undo())
}

// forward keeps the old files and renames the new ones. It skips the steps that a killed
// process has done.
func (s *stage) forward() error {
	for _, name := range s.inOrder() {
		if !there(s.fresh, name) || !there(s.target, name) || there(s.old, name) {
			continue
		}
		if link(s.target, name, s.old, name) == nil {
			continue
		}
		if err := rename(s.target, name, s.old, name); err != nil {
			return err
		}
	}
	for name, sum := range s.Gone {
		if holds(s.target, name, sum) {
			if err := rename(s.target, name, s.old, name); err != nil {
				return err
			}
		}
	}
	for _, name := range s.inOrder() {
		if there(s.fresh, name) {
			if err := rename(s.fresh, name, s.target, name); err != nil {
				return err
			}
		}
	}
	syncFolder(s.target)
	return nil
}

// undo puts the old files back, and removes the new ones that replaced nothing.
func (s *stage) undo() error {
	var failed error
	for _, name := range union(s.Files, s.Gone) {
		var err error
		switch {
		case there(s.old, name):
			err = rename(s.old, name, s.target, name)
		case slices.Contains(s.Fresh, name) && holds(s.target, name, s.Files[name]):
			err = s.target.Remove(name)
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		s.dir.Remove(undoMark)
	}
	s.half = failed != nil
	return failed
}

// exchange puts the set in place in one step. done is false if that is impossible here. An
// error means that the set cannot take its place at all.
func (s *stage) exchange() (done bool, err error) {
	f, inside, base := s.folder, s.name, filepath.Base(s.folder.path)
	if !f.locked || !s.alone() || !alike(f.root, s.fresh, s.dir) {
		return false, nil
	}
	parent, err := f.above()
	if err != nil {
		return false, nil
	}
	outside := f.besidePrefix() + strings.TrimPrefix(inside, prefix)
	if rename(f.root, inside, parent, outside) != nil {
		return false, nil
	}
	s.home, s.name = parent, outside
	release, err := acquireOpen(s.fresh) // it will be the folder that others wait for
	if err == nil {
		both := f.release
		f.release = func() { release(); both() }
		err = s.mark()
	}
	if err == nil {
		err = exchange(s.dir, newFiles, parent, base)
	}
	if err == nil && !isAt(f.root, s.dir, newFiles) { // another user has replaced the folder
		if err := exchange(s.dir, newFiles, parent, base); err != nil {
			s.half = true
			return false, err
		}
		err = errors.ErrUnsupported
	}
	if err != nil {
		s.dir.Remove(commitMark)
		if err := rename(parent, outside, f.root, inside); err != nil {
			return false, err
		}
		s.home, s.name = f.root, inside
		return false, nil
	}
	s.held = true
	s.target, s.fresh = s.fresh, s.target
	syncFolder(parent)
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
	entries, err := readDir(s.target, ".")
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
	dir, err := s.target.Stat(".")
	return err == nil && !os.SameFile(here, dir)
}

// retire moves the files of the replaced set out of its folder, which shows that they may be
// removed.
func (s *stage) retire() error {
	for _, name := range union(s.Files, s.Gone) {
		if there(s.fresh, name) {
			if err := rename(s.fresh, name, s.old, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// unretire undoes retire and the exchange of folders.
func (s *stage) unretire() error {
	for _, name := range union(s.Files, s.Gone) {
		if there(s.old, name) {
			if err := rename(s.old, name, s.fresh, name); err != nil {
				return err
			}
		}
	}
	if err := exchange(s.dir, newFiles, s.home, filepath.Base(s.folder.path)); err != nil {
		return err
	}
	s.target, s.fresh = s.fresh, s.target
	return nil
}

// clear removes a temporary folder beside the folder, with the replaced set. A file that
// someone else put there before the exchange moves to the new folder.
func (s *stage) clear() {
	if s.retire() != nil {
		return
	}
	if s.fresh != nil {
		entries, _ := readDir(s.fresh, ".")
		for _, e := range entries {
			if !there(s.target, e.Name()) {
				rename(s.fresh, e.Name(), s.target, e.Name())
			}
		}
	}
	if s.dir.RemoveAll(oldFiles) != nil {
		return
	}
	// A process that was killed here has left only the journal.
	if err := s.dir.Remove(newFiles); err == nil || errors.Is(err, fs.ErrNotExist) {
		s.dir.Remove(commitMark)
		s.home.Remove(s.name)
	}
}

// remove removes a temporary folder without files to keep, and closes it.
func (s *stage) remove() {
	if s.half || s.held {
		s.shut()
		return
	}
	entries, _ := readDir(s.dir, ".")
	for _, e := range entries {
		s.dir.RemoveAll(e.Name())
	}
	s.shut()
	s.home.Remove(s.name)
}

// shut closes the folders of a stage, which some systems do not remove while they are open.
func (s *stage) shut() {
	for _, root := range []*os.Root{s.dir, s.fresh, s.old, s.target} {
		if root != nil && root != s.folder.root {
			root.Close()
		}
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
