// Package fileset writes a set of files to a folder. Kill -9 or a power cut at any moment leaves the old set,
// the new one, or what the next reader or writer completes to one of them.
//
// The new files are written to a temporary folder .nmu-X in the folder and synced to the disk. Then all old
// files move to the temporary folder, one step of the system makes the new set count, and its files take
// their places. So the folder never holds files of both. Before that step, an error brings the old files
// back.
//
// A record is one of the files, a JSON object with a name in .json. Its member "files" lists the SHA-256 of
// the others. It moves away first and takes its place last. A new set removes files of the earlier one that
// it lacks, unless they were changed since.
//
// A lock on the folder (flock, on Windows a mutex) makes writers and readers take turns until the end of the
// process. So its holder completes and removes any .nmu-X of this user. Without such a lock, these stay.
// Names that start with .nmu- belong to this package. It does not touch other files.
package fileset

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"nmu/internal/regular"
)

// File is a file of a set. Write writes its content.
type File struct {
	Name  string
	Write func(w io.Writer) error
}

// Folder is a folder for sets of files. Each call opens it by its path and reaches all files through the open
// folder, whatever takes the path meanwhile.
type Folder struct {
	name            string // as the caller names it
	path            string // absolute, and without links once seen is known
	made            int    // folders at the end of path that Open has made
	seen            fs.FileInfo
	root            *os.Root // while the lock is held
	names           []string
	record          string
	force           bool
	found, expected []byte // the record at Open, and what it must be later unless nil
}

// Open makes the folder dir for sets of files if it does not exist. Files may have the given names. record is
// the name of the one that lists the others, or "" if none does. Open completes the set of a killed process.
// It returns an error if the files could not be written, or, unless force is set, if they might replace what
// is not of an earlier set. Close must follow.
func Open(dir string, names []string, record string, force bool) (*Folder, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{name: filepath.Clean(dir), path: path, names: names, record: record, force: force}
	for _, err = os.Lstat(path); errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path); _, err = os.Lstat(path) {
		path = filepath.Dir(path)
		f.made++
	}
	if err := f.put(func(*os.Root) error { return nil }, func(*stage, map[string]string) error { return nil }); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close removes folders that Open made, if they are empty.
func (f *Folder) Close() {
	if f != nil && f.made > 0 {
		f.held(func() error { // whoever has the lock needs the folder
			for dir := f.path; f.made > 0 && os.Remove(dir) == nil; f.made-- {
				dir = filepath.Dir(dir)
			}
			return nil
		})
	}
}

// held opens the folder, takes its lock, completes the set of a killed process, and calls use. It makes the
// folder if it was removed or moved, because the files of a long run need a place. Close of another process
// may have removed it.
func (f *Folder) held(use func() error) error {
	release, err := f.open()
	for n := 0; n < 100 && errors.Is(err, fs.ErrNotExist); n++ {
		release, err = f.open()
	}
	if err != nil {
		return f.named(err)
	}
	defer f.root.Close()
	if release != nil {
		defer release()
		if err := settle(f.root); err != nil {
			return err
		}
	}
	return f.named(use())
}

// open opens the folder, which it makes if necessary, and takes its lock if the system has one.
func (f *Folder) open() (release func(), err error) {
	err = os.MkdirAll(f.path, 0o777)
	path, lost := filepath.EvalSymlinks(f.path)
	if f.seen != nil && (err != nil && !errors.Is(err, fs.ErrNotExist) || lost == nil && path != f.path) {
		return nil, fmt.Errorf("%s was replaced meanwhile, by a file or a link; nothing is written", f.name)
	}
	if err = cmp.Or(err, lost); err == nil {
		f.root, err = os.OpenRoot(path)
	}
	if err != nil {
		return nil, err
	}
	release = lock(f.root, true)
	here, err := f.root.Stat(".")
	if now, gone := os.Lstat(path); err != nil || gone != nil || !os.SameFile(here, now) {
		f.root.Close()
		if release != nil {
			release()
		}
		return nil, fs.ErrNotExist
	}
	f.force = f.force && (f.seen == nil || os.SameFile(f.seen, here)) // it was meant for what was there
	f.path, f.seen = path, here
	return release, nil
}

// Expect makes Write and Add fail if there is another record than this text by then: another command has
// written to the folder. The caller has read the text and goes on from its set. nil expects nothing.
func (f *Folder) Expect(record []byte) { f.expected = record }

// Keep is Expect for the record that Open has found, or for none.
func (f *Folder) Keep() { f.expected = f.found }

// check returns an error unless files of the names of the folder may be written there now, and the files of
// the earlier set that are unchanged, with their SHA-256.
func (f *Folder) check() (earlier map[string]string, err error) {
	for _, name := range f.names {
		if info, err := os.Stat(filepath.Join(f.path, name)); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is in the way: it is no regular file", filepath.Join(f.name, name))
		}
	}
	text := []byte{}
	if info, failed := f.root.Lstat(f.record); f.record != "" && failed == nil && info.Mode().IsRegular() {
		text, err = regular.ReadIn(f.root, f.record)
	}
	entries, failed := fs.ReadDir(f.root.FS(), ".")
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	if f.expected != nil && len(text) > 0 && !bytes.Equal(text, f.expected) {
		return nil, fmt.Errorf("another command has changed %s meanwhile; nothing is written, run it again", filepath.Join(f.name, f.record))
	}
	f.found, earlier = text, listIn(text)
	none := earlier == nil
	maps.DeleteFunc(earlier, func(name, sum string) bool {
		if filepath.Base(name) != name || name == f.record {
			return true
		}
		now, _, err := regular.SHA256(regular.OpenIn(f.root, name))
		return err != nil || now != sum
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

// mostList is the largest size in bytes of the list of files in a record, far more than a set has.
const mostList = 1 << 20

// listIn returns the list of files in a record, or nil if the text is no record of a set.
func listIn(record []byte) (list map[string]string) {
	var of struct{ Files json.RawMessage }
	if json.Unmarshal(record, &of) != nil || len(of.Files) > mostList || json.Unmarshal(of.Files, &list) != nil {
		return nil
	}
	return list
}

// Write writes the files to the folder, in place of an earlier set. It returns their names, and the SHA-256
// of those that the record lists. If there is an error, the folder is unchanged, or the error says that the
// next command completes the set. A nil folder takes none.
func (f *Folder) Write(files []File) (names []string, sums map[string]string, err error) {
	if f == nil {
		return nil, nil, nil
	}
	sums = map[string]string{}
	err = f.put(func(fresh *os.Root) (err error) {
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
	}, (*stage).commit)
	return names, sums, err
}

// Add adds a file to the set in the folder, with errors like those of Write. The record lists the file; its
// other members do not change.
func (f *Folder) Add(file File) error {
	return f.put(func(fresh *os.Root) error {
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
	}, func(s *stage, _ map[string]string) error { return s.commit(nil) })
}

// Fill is Write for files that are written at once, without a record. fill creates files of the names of the
// folder in the one that it gets, and syncs them to the disk.
func (f *Folder) Fill(fill func(fresh *os.Root) error) error { return f.put(fill, (*stage).commit) }

// put has files made and put in their places, unless others are in the way by then.
func (f *Folder) put(fill func(fresh *os.Root) error, place func(s *stage, earlier map[string]string) error) error {
	return f.held(func() error {
		return staged(f.root, fill, func(s *stage) error {
			earlier, err := f.check()
			if err == nil {
				err = place(s, earlier)
			}
			return err
		})
	})
}

// Replace writes one file, which is of no set, in one step: the earlier one is there until then. Its name
// begins with the prefix of this package.
func (f *Folder) Replace(name string, write func(w io.Writer) error) error {
	return f.held(func() error {
		return staged(f.root, func(fresh *os.Root) error {
			_, err := create(fresh, name, write)
			return err
		}, func(s *stage) error {
			defer syncFolders(f.root, ".")
			return rename(f.root, s.in(newFiles, name), name)
		})
	})
}

// Discard removes a file of Replace if it is there.
func (f *Folder) Discard(name string) error {
	return f.held(func() error { return f.root.RemoveAll(name) })
}

// named returns an error of an operation in the folder with the path of the file as the caller names it: that
// of the folder itself instead of a temporary one.
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

// Read calls read while no set is being written to the folder dir. Before, it completes the set of a killed
// process of this user. If read fails and a set could not be completed, the error says so.
func Read(dir string, read func() error) error {
	root, err := os.OpenRoot(dir + "/.") // a pipe of that name would wait
	if err != nil {
		return read()
	}
	defer root.Close()
	var failed error
	if release := lock(root, true); release != nil {
		defer release()
		failed = settle(root)
	}
	if err = read(); err != nil && failed != nil {
		err = fmt.Errorf("%w; %v", err, failed)
	}
	return err
}

// Complete completes the set of a killed process of this user in the folder dir, without which a file may be
// missing, and says whether there was one. If the folder is locked, it waits or does nothing.
func Complete(dir string, wait bool) bool {
	root, err := os.OpenRoot(dir + "/.")
	if err != nil {
		return false
	}
	defer root.Close()
	if half, _ := fs.Glob(root.FS(), prefix+"[0-9a-f]*/"+oldFiles); half == nil {
		return false // a writer may be at work, but no file is missing
	}
	if release := lock(root, wait); release != nil {
		defer release()
		return settle(root) == nil
	}
	return false
}

// Calls before which tests fail or end the process.
var (
	rename    = (*os.Root).Rename
	removeAll = (*os.Root).RemoveAll
	syncFile  = (*os.File).Sync
)

// prefix is the beginning of the names of temporary files and folders.
const prefix = ".nmu-"

// Folders in a temporary folder: of the new files, of the old ones, and that of the new ones from the moment
// when they count.
const newFiles, oldFiles, ready = "new", "old", "ready"

// stage is a temporary folder. The system renames its folder new in one step, so the old set counts before
// and the new one after.
type stage struct {
	root *os.Root // the folder that contains it
	name string
	half bool // some files are not in their places, and stay so
}

// staged has files made in a temporary folder that only this user may read, makes each as private as the one
// that it is to replace, has them placed, and removes the folder.
func staged(root *os.Root, fill func(fresh *os.Root) error, place func(s *stage) error) error {
	s := &stage{root: root, name: fmt.Sprintf("%s%016x", prefix, rand.Uint64())}
	defer s.remove()
	if err := root.MkdirAll(s.in(newFiles), 0o700); err != nil {
		return err
	}
	fresh, err := root.OpenRoot(s.in(newFiles))
	if err != nil {
		return err
	}
	if err := errors.Join(fill(fresh), fresh.Close()); err != nil {
		return err
	}
	names, err := s.files(newFiles)
	for _, name := range names {
		if info, failed := root.Lstat(name); failed == nil && info.Mode().IsRegular() {
			err = errors.Join(err, root.Chmod(s.in(newFiles, name), info.Mode().Perm()))
		}
	}
	if err != nil {
		return err
	}
	return place(s)
}

// in returns the path of something in the temporary folder.
func (s *stage) in(names ...string) string { return path.Join(s.name, path.Join(names...)) }

// remove removes the temporary folder, unless files of it are still to take their places. Its folders go in
// an order in which none of the others counts, and the next command removes what cannot go.
func (s *stage) remove() {
	if s.half {
		return
	}
	for _, name := range []string{oldFiles, newFiles, ready} {
		if removeAll(s.root, s.in(name)) != nil {
			return
		}
	}
	s.root.Remove(s.name) // what else is there stays
}

// files returns the names of the files in a folder of the temporary folder, the record last.
func (s *stage) files(dir string) ([]string, error) {
	if info, err := s.root.Lstat(s.in(dir)); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	entries, err := fs.ReadDir(s.root.FS(), s.in(dir))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.SortFunc(names, recordLast)
	return names, err
}

// recordLast orders names, that of the record, a .json file, behind the others.
func recordLast(a, b string) int {
	return cmp.Or(strings.Count(a, ".json")-strings.Count(b, ".json"), strings.Compare(a, b))
}

// commit puts the new files in place, and the earlier ones and those of the same names away.
func (s *stage) commit(earlier map[string]string) error {
	fresh, err := s.files(newFiles)
	syncFolders(s.root, s.in(newFiles))
	if err == nil {
		err = s.root.Mkdir(s.in(oldFiles), 0o700)
	}
	old := slices.AppendSeq(slices.Clone(fresh), maps.Keys(earlier))
	slices.SortFunc(old, recordLast)
	for _, name := range slices.Backward(old) {
		if err == nil && there(s.root, name) {
			err = rename(s.root, name, s.in(oldFiles, name))
		}
	}
	syncFolders(s.root, s.in(oldFiles), s.name, ".")
	if err == nil {
		err = rename(s.root, s.in(newFiles), s.in(ready))
	}
	return errors.Join(err, s.complete())
}

// complete moves the files of the set that counts to their places.
func (s *stage) complete() error {
	dir := oldFiles
	if there(s.root, s.in(ready)) {
		dir = ready
	}
	syncFolders(s.root, s.name)
	names, err := s.files(dir)
	for _, name := range names {
		if err == nil && there(s.root, name) {
			err = &fs.PathError{Op: "replace", Path: name, Err: errors.New("it was put there meanwhile")}
		}
		if err == nil {
			err = rename(s.root, s.in(dir, name), name)
		}
	}
	syncFolders(s.root, ".")
	if s.half = err != nil; s.half {
		err = fmt.Errorf("a set of files is half in its place, see %s: %v; the next command tries again, or remove that folder to go on with the files as they are", filepath.Join(s.root.Name(), s.name), err)
	}
	return err
}

// settle completes the sets of killed processes of this user in a folder, under its lock, and removes their
// temporary folders.
func settle(root *os.Root) error {
	names, _ := fs.Glob(root.FS(), prefix+"[0-9a-f]*")
	for _, name := range names {
		s := &stage{root: root, name: name}
		if info, err := root.Lstat(name); err != nil || !info.IsDir() || !owned(info) {
			continue
		}
		if err := s.complete(); err != nil {
			return err
		}
		s.remove()
	}
	return nil
}

// owned says whether a file belongs to this user, as far as the system knows that.
func owned(info fs.FileInfo) bool {
	if sys := reflect.Indirect(reflect.ValueOf(info.Sys())); sys.Kind() == reflect.Struct && sys.FieldByName("Uid").CanUint() {
		return sys.FieldByName("Uid").Uint() == uint64(os.Geteuid())
	}
	return true
}

// createRecord writes a record, with the list of the other files in place of the one at its end.
func createRecord(fresh *os.Root, name string, text []byte, sums map[string]string) error {
	const list = "\n  \"files\": {"
	head, _, listed := bytes.Cut(bytes.TrimSpace(text), []byte(list))
	if !listed {
		if head = bytes.TrimSpace(bytes.TrimSuffix(head, []byte("}"))); len(head) > 1 {
			head = append(slices.Clip(head), ',')
		}
	}
	sum, _ := json.MarshalIndent(sums, "  ", "  ") // text is always encoded
	record := fmt.Appendf(nil, "%s%s%s\n}\n", head, list, sum[1:])
	if !json.Valid(text) || listIn(record) == nil {
		return fmt.Errorf("%s: a record is a JSON object with the list of files at its end", name)
	}
	_, err := create(fresh, name, func(w io.Writer) error { _, err := w.Write(record); return err })
	return err
}

// create writes a new file, syncs it to the disk, and returns its SHA-256.
func create(root *os.Root, path string, write func(w io.Writer) error) (sum string, err error) {
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(file, h), 1<<16)
	if err = write(w); err == nil {
		err = errors.Join(w.Flush(), syncFile(file))
	}
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, file.Close())
}

// there says whether anything of this name exists in a folder.
func there(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// syncFolders makes the names in folders durable if the system can do that.
func syncFolders(root *os.Root, paths ...string) {
	for _, path := range paths {
		if f, err := root.Open(path); err == nil {
			syncFile(f)
			f.Close()
		}
	}
}
