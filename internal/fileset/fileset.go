// Package fileset writes a set of files to a folder. Kill -9 or a power cut at any moment leaves
// the old set, the new one, or what the next reader or writer completes to the new one.
//
// The new files are written to a temporary folder .nmu-X in the folder and synced to the disk. A
// journal marks them as complete. Then all old files move to the temporary folder, and after them
// the new ones take their places. So the folder never holds files of both. If a move fails, all
// moves are undone.
//
// A record is one of the files, a JSON object. Its member "files" lists the SHA-256 of the others.
// It moves away first and takes its place last. A new set removes files of the earlier one that it
// lacks, unless they were changed since.
//
// A lock on the folder (flock, on Windows a mutex) makes writers and readers take turns. The end
// of a process releases its lock. So the holder of the lock completes any .nmu-X of this user with
// a journal, and a writer removes any other one. Without such a lock, writers and readers do not
// take turns, and temporary folders of killed processes stay. Names that start with .nmu- belong
// to this package. It does not touch other files.
package fileset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/regular"
)

// File is a file of a set. Write writes its content.
type File struct {
	Name  string
	Write func(w io.Writer) error
}

// Folder is an open output folder. All files are reached through it, whatever takes its path meanwhile.
type Folder struct {
	name     string // as the caller names it
	path     string // absolute, without links
	made     int    // folders at the end of path that Open has made
	root     *os.Root
	names    []string
	record   string
	force    bool
	expected []byte // what the record must still be, or nil
}

// tries is the number of attempts to open a folder that other processes remove.
const tries = 100

// Open opens the folder dir for sets of files, and makes it if it does not exist. Files may have
// the given names. record is the name of the one that lists the others, or "" if none does. Open
// completes the set of a killed process. It returns an error if the files could not be written, or,
// unless force is set, if they might replace what is not of an earlier set. Close closes the folder.
func Open(dir string, names []string, record string, force bool) (f *Folder, err error) {
	f = &Folder{name: filepath.Clean(dir), names: names, record: record, force: force}
	if f.path, err = filepath.Abs(f.name); err != nil {
		return nil, err
	}
	for above := f.path; above != filepath.Dir(above); above = filepath.Dir(above) {
		if _, err := os.Lstat(above); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		f.made++
	}
	if err = f.attach(f.name); err == nil {
		err = f.usable()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// usable returns an error if the files could not be written now.
func (f *Folder) usable() error {
	release, err := f.hold()
	if err != nil {
		return err
	}
	defer release()
	if _, err = f.check(); err == nil {
		var s *stage
		if s, err = newStage(f.root); err == nil {
			s.remove()
		}
	}
	return f.named(err)
}

// attach opens the folder dir, which is made if necessary. A second time it must have the same path.
// Another process, whose own files have failed, may remove a folder that it made.
func (f *Folder) attach(dir string) (err error) {
	var real string
	var root *os.Root
	for n := 0; n == 0 || n < tries && errors.Is(err, fs.ErrNotExist); n++ {
		if err = os.MkdirAll(dir, 0o777); err == nil {
			real, err = filepath.EvalSymlinks(f.path)
		}
		if err == nil {
			root, err = os.OpenRoot(real)
		}
	}
	if err != nil {
		return err
	}
	if f.root != nil && real != f.path {
		root.Close()
		return errors.New("a link is in its place")
	}
	f.root, f.path = root, real
	return nil
}

// Close closes the folder. Folders that Open made are removed if they are empty.
func (f *Folder) Close() {
	if f.root != nil && f.made > 0 {
		release, _ := lock(f.root, true) // whoever has it needs the folder
		defer release()
	}
	if f.root != nil {
		f.root.Close()
	}
	for dir := f.path; f.made > 0; f.made-- {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// hold waits for the lock of the folder, and completes or removes what killed processes have left.
// If the folder was removed or moved since, its path is opened again, because the files of a long run
// need a place.
func (f *Folder) hold() (release func(), err error) {
	for range tries {
		release, locked := lock(f.root, true)
		here, failed := f.root.Stat(".")
		now, gone := os.Lstat(f.path)
		if failed == nil && gone == nil && os.SameFile(here, now) {
			if locked {
				err = settle(f.root, true)
			}
			if err != nil {
				release()
			}
			return release, err
		}
		release()
		f.root.Close()
		f.force = false // it was meant for what was there
		if err = f.attach(f.path); err != nil {
			break
		}
	}
	return nil, fmt.Errorf("%s was replaced meanwhile; nothing is written: %w", f.name, err)
}

// Expect makes Write and Add fail if the record is not this text then: another command has written to
// the folder. The caller has read the text and goes on from its set. nil expects nothing.
func (f *Folder) Expect(record []byte) { f.expected = record }

// check returns an error unless files of the names of the folder may be written there now, and the
// files of the earlier set that are unchanged, with their SHA-256.
func (f *Folder) check() (earlier map[string]string, err error) {
	for _, name := range f.names {
		if info, err := os.Stat(filepath.Join(f.path, name)); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is in the way: it is no regular file", filepath.Join(f.name, name))
		}
	}
	var text []byte
	if info, failed := f.root.Lstat(f.record); f.record != "" && failed == nil && info.Mode().IsRegular() {
		text, err = regular.ReadIn(f.root, f.record)
	}
	entries, failed := fs.ReadDir(f.root.FS(), ".")
	if err = errors.Join(err, failed); err != nil {
		return nil, f.named(err)
	}
	if f.expected != nil && !bytes.Equal(text, f.expected) {
		return nil, fmt.Errorf("another command has changed %s meanwhile; nothing is written, run it again", filepath.Join(f.name, f.record))
	}
	earlier = listIn(text)
	none := earlier == nil
	maps.DeleteFunc(earlier, func(name, sum string) bool {
		return filepath.Base(name) != name || name == f.record || sum == "" || sumOf(f.root, name) != sum
	})
	for _, e := range entries {
		name := e.Name()
		// Where no earlier set is recorded, nothing in the folder of a result is of one.
		ours := f.force || strings.HasPrefix(name, prefix) || name == f.record && !none || earlier[name] != ""
		if !ours && (f.record != "" && none || slices.Contains(f.names, name)) {
			return nil, fmt.Errorf("%s holds %s, which is not of an earlier run; choose another folder, or --force to write there, which replaces what has the name of a result", f.name, name)
		}
	}
	return earlier, nil
}

// listIn returns the list of files in a record, or nil if the text is no record of a set.
func listIn(record []byte) map[string]string {
	var list struct{ Files map[string]string }
	if json.Unmarshal(record, &list) != nil {
		return nil
	}
	return list.Files
}

// Write writes the files to the folder, in place of an earlier set. It returns their names, and the
// SHA-256 of those that the record lists. If there is an error, the folder is unchanged.
func (f *Folder) Write(files []File) (names []string, sums map[string]string, err error) {
	sums = map[string]string{}
	err = f.put(true, func(fresh *os.Root) (err error) {
		var text bytes.Buffer
		for _, file := range files {
			names = append(names, file.Name)
			if file.Name == f.record {
				err = file.Write(&text)
			} else {
				sums[file.Name], err = create(fresh, file.Name, file.Write)
			}
			if err != nil {
				return err
			}
		}
		if text.Len() > 0 {
			err = createRecord(fresh, f.record, text.Bytes(), sums)
		}
		return err
	})
	return names, sums, err
}

// Add adds a file to the set in the folder. The record lists the file; its other members do not
// change. If there is an error, the folder is unchanged.
func (f *Folder) Add(file File) error {
	return f.put(false, func(fresh *os.Root) error {
		text, err := regular.ReadIn(f.root, f.record)
		if err != nil {
			return err
		}
		sums := map[string]string{}
		maps.Copy(sums, listIn(text))
		if sums[file.Name], err = create(fresh, file.Name, file.Write); err != nil {
			return err
		}
		return createRecord(fresh, f.record, text, sums)
	})
}

// Fill is Write for files that are written at once, without a record. fill creates files of the
// names of the folder in the one that it gets, and syncs them to the disk.
func (f *Folder) Fill(fill func(fresh *os.Root) error) error { return f.put(true, fill) }

// put puts the files that fill makes in their places. If they are a whole set, other files of the
// earlier one go.
func (f *Folder) put(whole bool, fill func(fresh *os.Root) error) (err error) {
	release, err := f.hold()
	if err != nil {
		return err
	}
	defer release()
	s, err := newStage(f.root)
	if err == nil {
		defer s.remove()
		err = s.fill(fill)
	}
	var earlier map[string]string
	if err == nil {
		earlier, err = f.check() // once more: others may have put something there
	}
	if err == nil {
		s.Last = f.record
		if whole {
			maps.Copy(s.Old, earlier)
		}
		err = s.commit()
	}
	return f.named(err)
}

// Rotate writes the file name in the folder, and keeps the earlier one under the name old. At any
// time, also after a power cut or kill -9, one of the two is complete. After an error the last
// complete one is there. Both names should begin with the prefix of this package.
func (f *Folder) Rotate(name, old string, write func(w io.Writer) error) error {
	fresh := name + "-new"
	err := f.Discard(fresh) // which may be a link
	if err == nil {
		_, err = create(f.root, fresh, write)
	}
	if err == nil {
		err = keepMode(f.root, fresh, name)
	}
	if err == nil && there(f.root, name) {
		err = rename(f.root, name, old)
	}
	if err == nil {
		err = rename(f.root, fresh, name)
	}
	if err != nil {
		return errors.Join(f.named(err), f.Discard(fresh))
	}
	syncFolder(f.root, ".")
	return nil
}

// Discard removes files of Rotate.
func (f *Folder) Discard(names ...string) (failed error) {
	for _, name := range names {
		if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, f.named(err))
		}
	}
	return failed
}

// named returns an error of an operation in the folder with the path of the file as the caller names
// it: that of the folder itself instead of a temporary one.
func (f *Folder) named(err error) error {
	e, l := (*fs.PathError)(nil), (*os.LinkError)(nil)
	if errors.As(err, &l) {
		e = &fs.PathError{Op: l.Op, Path: l.New, Err: l.Err}
	} else if !errors.As(err, &e) || filepath.IsAbs(e.Path) && !strings.HasPrefix(e.Path, f.path) {
		return err
	}
	at := f.name
	if base := filepath.Base(e.Path); slices.Contains(f.names, base) {
		at = filepath.Join(at, base)
	}
	return &fs.PathError{Op: strings.TrimSuffix(e.Op, "at"), Path: at, Err: e.Err}
}

// Read calls read while no set is being written to the folder dir. Before, it completes the set of a
// killed process of this user. If read fails and a set could not be completed, the error says so.
func Read(dir string, read func() error) error {
	root := openFolder(dir)
	if root == nil {
		return read()
	}
	defer root.Close()
	release, locked := lock(root, true)
	defer release()
	if locked {
		settle(root, false)
	}
	err := read()
	if names := committed(root); err != nil && len(names) > 0 {
		err = fmt.Errorf("%w; a command was killed while its files took their places, see %s: nmu report %s, by the user of that command, completes them", err, filepath.Join(dir, names[0]), dir)
	}
	return err
}

// Complete completes the set of a killed process of this user in the folder dir, without which a file
// may be missing, and says whether there was one. If the folder is locked, it waits or does nothing.
func Complete(dir string, wait bool) bool {
	root := openFolder(dir)
	if root == nil {
		return false
	}
	defer root.Close()
	if len(committed(root)) == 0 {
		return false
	}
	release, locked := lock(root, wait)
	defer release()
	return locked && settle(root, false) == nil
}

// openFolder opens a folder for reading, or returns nil.
func openFolder(dir string) *os.Root {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() { // opening a pipe would wait
		return nil
	}
	root, _ := os.OpenRoot(dir)
	return root
}

// committed returns the names of the temporary folders with a journal.
func committed(root *os.Root) []string {
	return slices.DeleteFunc(stages(root), func(name string) bool { return !there(root, path.Join(name, commitMark)) })
}
