package fileset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A journal is as trustworthy as its folder, so every name, size and sum in it is checked. It
// is carried out through folders that are open, see stage, which no name and no symbolic link
// leaves.

// journal is the information for completing or undoing a set.
type journal struct {
	Files map[string]string // the set: names and SHA-256
	Gone  map[string]string // files of the earlier set to remove
	Fresh []string          // files of the set that replace nothing
	Last  string            // the file of the set that is the record
}

// maxJournal is the largest size of a journal in bytes, enough for the names of some ten
// thousand files.
const maxJournal = 1 << 20

// parseJournal reads a journal and checks it.
func parseJournal(text []byte) (j journal, err error) {
	if err := json.Unmarshal(text, &j); err != nil {
		return j, err
	}
	for _, name := range union(j.Files, j.Gone) {
		if !plainName(name) {
			return j, fmt.Errorf("%q is no name of a file of a set", name)
		}
	}
	for _, name := range j.Fresh {
		if _, ok := j.Files[name]; !ok {
			return j, fmt.Errorf("%q is not of the set", name)
		}
	}
	return j, nil
}

// plainName says whether a file of a set may have this name. It must name a file in the folder
// itself on every system, and no temporary one.
func plainName(name string) bool {
	return name != "." && filepath.IsLocal(name) && !strings.ContainsAny(name, "/\\\x00") && !strings.HasPrefix(name, prefix)
}

// inOrder returns the names of the set, the record last.
func (j *journal) inOrder() []string {
	names := slices.Sorted(maps.Keys(j.Files))
	if i := slices.Index(names, j.Last); i >= 0 {
		names = append(slices.Delete(names, i, i+1), j.Last)
	}
	return names
}

// owns says whether a file of this name belongs to the set or to the earlier one.
func (j *journal) owns(name string) bool {
	_, file := j.Files[name]
	_, gone := j.Gone[name]
	return file || gone
}

// load reads the journal and opens the folders of the new and the old files. It returns the mark
// of the journal: commitMark, undoMark, or "" if there is no journal.
func (s *stage) load() (mark string, err error) {
	for _, mark := range []string{commitMark, undoMark} {
		text, err := readRegular(s.dir, mark, maxJournal)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			s.journal, err = parseJournal(text)
		}
		if err != nil {
			return "", fmt.Errorf("%s is no journal: %w", mark, err)
		}
		for name, dir := range map[string]**os.Root{newFiles: &s.fresh, oldFiles: &s.old} {
			*dir, err = within(s.dir, name)
			if beside := s.home == s.folder.parent; errors.Is(err, fs.ErrNotExist) && beside {
				continue // clear has removed it
			}
			if err != nil {
				return "", fmt.Errorf("%s is no folder", name)
			}
		}
		return mark, nil
	}
	return "", nil
}

// readRegular reads a regular file of at most most bytes.
func readRegular(root *os.Root, path string, most int64) ([]byte, error) {
	info, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	file, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return text, err
}

// complete returns an error unless all files of the set are there, waiting or in place. Then
// forward ends with the whole set.
func (s *stage) complete() error {
	var placed []string
	for _, name := range s.inOrder() {
		switch {
		case !there(s.fresh, name):
			placed = append(placed, name)
		case !holds(s.fresh, name, s.Files[name]):
			return fmt.Errorf("%s is not what its journal says", filepath.Join(newFiles, name))
		}
	}
	if len(placed) == len(s.Files) {
		return nil // what was changed since is of no concern
	}
	for _, name := range placed {
		if !holds(s.target, name, s.Files[name]) {
			return fmt.Errorf("%s is not that of its set", name)
		}
	}
	return nil
}

// recover completes or undoes the set of a killed process. An error means that the set stays
// partly in place.
func (s *stage) recover() error {
	mark, err := s.load()
	if err == nil && mark == commitMark {
		err = s.complete()
	}
	if err != nil {
		s.half = true
		return err
	}
	switch {
	case mark == commitMark:
		err = s.place()
	case mark == undoMark:
		err = s.undo()
	case !s.ours():
		return nil
	}
	if s.half {
		return err
	}
	s.remove()
	return nil
}

// ours says whether a temporary folder without a journal holds nothing but what a stage holds.
// Another user may have given such a name to a folder of this user.
func (s *stage) ours() bool {
	entries, err := readDir(s.dir, ".")
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !slices.Contains([]string{newFiles, oldFiles, draftMark}, e.Name())
	})
}

// settle completes or removes what killed processes of this user have left. An error means that
// a set is partly in place and can neither be completed nor undone.
func (f *folder) settle() error {
	if !f.locked {
		return nil
	}
	for _, name := range temporaries(f.root, prefix) {
		s, err := f.stage(f.root, name)
		if err != nil {
			continue // it was replaced meanwhile
		}
		err = s.recover()
		s.shut()
		if err != nil {
			return fmt.Errorf("an earlier set of files is half in its place, see %s: %w; remove that folder to go on with the files as they are", filepath.Join(f.path, name), err)
		}
	}
	parent, err := f.above()
	if err != nil {
		return nil // it keeps what it holds
	}
	for _, name := range temporaries(parent, f.besidePrefix()) {
		s, err := f.stage(parent, name)
		if err != nil {
			continue
		}
		switch mark, err := s.load(); {
		case err != nil: // the folder itself is whole
		case mark == commitMark:
			s.clear()
		case s.ours():
			s.remove()
		}
		s.shut()
	}
	return nil
}

// temporaries returns this user's folders in root whose names are prefix and a hexadecimal
// number.
func temporaries(root *os.Root, prefix string) (names []string) {
	entries, _ := readDir(root, ".") // a folder that cannot be read keeps what it holds
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isTemporary(info, prefix) && owned(info) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// isTemporary says whether a file is a folder whose name is prefix and a hexadecimal number.
func isTemporary(info fs.FileInfo, prefix string) bool {
	id, ok := strings.CutPrefix(info.Name(), prefix)
	return ok && info.IsDir() && id != "" && strings.Trim(id, hexadecimal) == ""
}

// UnfinishedError reports a folder in which a set of files is partly in place, because the
// process that wrote it was killed.
type UnfinishedError struct {
	Dir   string
	Stage string // the temporary folder in it
	Owned bool   // it belongs to this user
}

func (e *UnfinishedError) Error() string {
	if !e.Owned {
		return fmt.Sprintf("a command of another user was killed while its files took their places, see %s: that user can complete them by nmu report %s", e.Stage, e.Dir)
	}
	return fmt.Sprintf("a command was killed while its files took their places, see %s: nmu report %s, or any command that writes there, completes them", e.Stage, e.Dir)
}

// Unfinished returns an *UnfinishedError if a set of files is partly in place in the folder
// dir. It changes nothing.
func Unfinished(dir string) error {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !isTemporary(info, prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if exists(filepath.Join(path, commitMark)) || exists(filepath.Join(path, undoMark)) {
			return &UnfinishedError{Dir: dir, Stage: path, Owned: owned(info)}
		}
	}
	return nil
}
