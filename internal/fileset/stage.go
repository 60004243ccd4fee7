package fileset

import (
	"bufio"
	"bytes"
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
	"slices"
	"strings"

	"nmu/internal/regular"
)

// Calls that tests replace, to fail or to end the process.
var (
	rename   = (*os.Root).Rename
	syncFile = (*os.File).Sync
)

// prefix is the beginning of the names of temporary files and folders.
const prefix = ".nmu-"

// Contents of a temporary folder.
const (
	newFiles   = "new"    // a folder with the new files that are not yet in place
	oldFiles   = "old"    // a folder with the old files
	commitMark = "commit" // the journal: the set is complete, and to be put in place
)

// stage is a temporary folder.
type stage struct {
	root *os.Root // the folder that contains it
	name string
	half bool // the set is partly in place, and stays so
	journal
}

// journal says how to complete a set. Anyone may have made it, but no name and no link in it leads
// out of an os.Root, and files with other sums stay.
type journal struct {
	Old  map[string]string // files that make room, with their SHA-256
	Last string            // the file that moves away first, and into its place last
}

// newStage makes a temporary folder that only this user may read.
func newStage(root *os.Root) (*stage, error) {
	s := &stage{root: root, name: fmt.Sprintf("%s%016x", prefix, rand.Uint64()), journal: journal{Old: map[string]string{}}}
	for _, dir := range []string{s.name, s.in(newFiles), s.in(oldFiles)} {
		if err := root.Mkdir(dir, 0o700); err != nil {
			s.remove()
			return nil, err
		}
	}
	return s, nil
}

// in returns the path of something in the temporary folder.
func (s *stage) in(names ...string) string { return path.Join(s.name, path.Join(names...)) }

// remove removes the temporary folder, unless files of it are still to take their places.
func (s *stage) remove() {
	if s.half {
		return
	}
	for _, name := range []string{commitMark, newFiles, oldFiles} { // first what makes it count
		s.root.RemoveAll(s.in(name))
	}
	s.root.Remove(s.name)
}

// fill has the new files made in their folder.
func (s *stage) fill(fill func(fresh *os.Root) error) error {
	fresh, err := s.root.OpenRoot(s.in(newFiles))
	if err != nil {
		return err
	}
	defer fresh.Close()
	return fill(fresh)
}

// waiting returns the names of the new files that are not yet in place.
func (s *stage) waiting() (names []string, err error) {
	entries, err := fs.ReadDir(s.root.FS(), s.in(newFiles))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// commit puts a complete set in place, and files of the same names away.
func (s *stage) commit() error {
	names, err := s.waiting()
	for _, name := range names {
		if err == nil && there(s.root, name) {
			s.Old[name] = sumOf(s.root, name)
			err = keepMode(s.root, s.in(newFiles, name), name)
		}
	}
	if err != nil {
		return err
	}
	syncFolder(s.root, s.in(newFiles))
	if _, err := create(s.root, s.in(commitMark), func(w io.Writer) error { return json.NewEncoder(w).Encode(s.journal) }); err != nil {
		return err
	}
	syncFolder(s.root, s.name)
	return s.place(false)
}

// place moves the old files away and the new ones into their places. After a killed process some are
// there, and the other old files must be those of the journal. If a move fails, all are undone.
func (s *stage) place(killed bool) error {
	names, err := s.waiting()
	var moved [][2]string
	move := func(from, to string) {
		if err == nil && there(s.root, to) {
			err = fmt.Errorf("%s is in the way: it was put there meanwhile", to)
		}
		if err == nil {
			if err = rename(s.root, from, to); err == nil {
				moved = append(moved, [2]string{from, to})
			}
		}
	}
	for _, name := range slices.Backward(s.ordered(slices.Collect(maps.Keys(s.Old)))) {
		sum, kept := s.Old[name], s.in(oldFiles, name)
		if there(s.root, name) && !there(s.root, kept) && (!killed || sum != "" && sum == sumOf(s.root, name)) {
			move(name, kept)
		}
	}
	for _, name := range s.ordered(names) {
		move(s.in(newFiles, name), name)
	}
	if err == nil {
		syncFolder(s.root, ".")
		return nil
	}
	s.half = killed
	for _, m := range slices.Backward(moved) {
		if failed := rename(s.root, m[1], m[0]); failed != nil {
			s.half = true
			return errors.Join(err, failed)
		}
	}
	return err
}

// ordered sorts names, and puts that of the last file at the end.
func (s *stage) ordered(names []string) []string {
	slices.Sort(names)
	if i := slices.Index(names, s.Last); i >= 0 {
		names = append(slices.Delete(names, i, i+1), s.Last)
	}
	return names
}

// settle completes the sets of killed processes of this user in a folder, under its lock. A writer
// also removes temporary folders without a journal. An error means that a set cannot be completed.
func settle(root *os.Root, writer bool) error {
	for _, name := range stages(root) {
		s := &stage{root: root, name: name}
		if info, err := root.Lstat(name); err != nil || !owned(info) {
			continue
		}
		text, err := regular.ReadIn(root, s.in(commitMark))
		if err != nil || json.Unmarshal(text, &s.journal) != nil {
			if writer {
				s.remove()
			}
			continue
		}
		if err := s.place(true); err != nil {
			return fmt.Errorf("an earlier set of files is half in its place, see %s: %w; remove that folder to go on with the files as they are", path.Join(root.Name(), s.name), err)
		}
		s.remove()
	}
	return nil
}

// stages returns the names of the temporary folders in a folder.
func stages(root *os.Root) (names []string) {
	entries, _ := fs.ReadDir(root.FS(), ".") // a folder that cannot be read keeps what it holds
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), prefix)
		if ok && id != "" && strings.Trim(id, "0123456789abcdef") == "" && e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// listBegin begins the list of files at the end of a record.
const listBegin = "\n  \"files\": {"

// createRecord writes a record, with the list of the other files in place of the one at its end.
func createRecord(fresh *os.Root, name string, text []byte, sums map[string]string) error {
	head, _, _ := bytes.Cut(text, []byte(listBegin))
	head = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(head), []byte("}")))
	head = bytes.TrimSuffix(head, []byte(","))
	if record := append(slices.Clip(head), '}'); !json.Valid(text) || !json.Valid(record) || listIn(record) != nil {
		return fmt.Errorf("%s: a record is a JSON object with the list of files at its end", name)
	}
	if len(head) > 1 {
		head = append(head, ',')
	}
	list, err := json.MarshalIndent(sums, "  ", "  ")
	if err == nil {
		_, err = create(fresh, name, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s%s%s\n}\n", head, listBegin, list[1:])
			return err
		})
	}
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

// keepMode makes a new file as private as the regular file that it replaces, if there is one.
func keepMode(root *os.Root, fresh, old string) error {
	if info, err := root.Lstat(old); err == nil && info.Mode().IsRegular() {
		return root.Chmod(fresh, info.Mode().Perm())
	}
	return nil
}

// sumOf returns the SHA-256 of a regular file, in hexadecimal, or "".
func sumOf(root *os.Root, name string) string {
	file, err := regular.OpenIn(root, name)
	if err != nil {
		return ""
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// there says whether anything of this name exists in a folder.
func there(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// syncFolder makes the names in a folder durable if the system can do that.
func syncFolder(root *os.Root, path string) {
	if f, err := root.Open(path); err == nil {
		syncFile(f)
		f.Close()
	}
}
