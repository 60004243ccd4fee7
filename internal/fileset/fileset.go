// Package fileset writes a set of files to a folder atomically. A reader of the folder finds
// either the earlier set or the new one, also after a power cut or kill -9.
//
// The files are written to a temporary folder .nmu-X in the folder and synced to
// the disk. Then the set takes its place in one of two ways:
//
//   - By exchange, where the system can exchange two folders in one step (Linux,
//     macOS), and the folder holds nothing but files that the new set replaces:
//     .nmu-X moves beside the folder, as .nmu-NAME-X, and a folder with the new
//     set in it changes places with the old one. No reader sees a mixture.
//   - By journal otherwise: if files of others are in the folder, which stay
//     where they are; if it is the working directory or a mount point, belongs to
//     someone else, or its parent cannot be written. Old files are kept in .nmu-X
//     by a hard link (or by moving them), new ones are renamed over them. If that
//     fails, the old ones go back. If it is cut short, the next Write, Add or Check
//     of the same user completes it; until then readers, who change nothing, may
//     see files of both sets, and the record tells which ones are of its own.
//
// A record is one of the files, a JSON object. Its member "files" lists the SHA-256 of the
// other files of the set. A new set removes files of the earlier one that it lacks, unless they
// were changed since.
//
// A lock on the folder (flock, on Windows a mutex) makes writers and readers take turns: of two
// sets written at once, the last one stays. The end of a process releases its lock. Therefore
// any .nmu-X that the holder of the lock finds is stale and is removed. On systems without such
// a lock, writers and readers do not take turns, and stale temporaries stay. Names that start
// with .nmu- belong to this package. It does not touch other files.
package fileset

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
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
	"syscall"

	"nmu/internal/regular"
)

// File is a file of a set. Write writes its content.
type File struct {
	Name  string
	Write func(w io.Writer) error
}

// prefix is the beginning of the names of temporary folders.
const prefix = ".nmu-"

// Check returns an error unless Write could write files of these names to the folder dir, which
// may not exist. It completes the set of an earlier Write that was killed, and changes nothing
// else.
func Check(dir string, names []string) error {
	for try := 0; ; try++ {
		err := check(dir, names)
		if !errors.Is(err, fs.ErrNotExist) || try == tries {
			return err
		}
	}
}

// tries is the number of attempts if another process, whose own files have failed, removes a
// folder that it made.
const tries = 100

func check(dir string, names []string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return checkNew(filepath.Clean(dir))
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	f, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.open(); err != nil {
		return err
	}
	if err := f.settle(); err != nil {
		return err
	}
	if err := f.checkNames(names); err != nil {
		return err
	}
	return probe(f.root, "")
}

// checkNew returns an error unless the folder dir, which does not exist, could be made.
func checkNew(dir string) error {
	for base, rest := filepath.Dir(dir), filepath.Base(dir); ; base, rest = filepath.Dir(base), filepath.Join(filepath.Base(base), rest) {
		_, err := os.Stat(base)
		if errors.Is(err, fs.ErrNotExist) && base != filepath.Dir(base) {
			continue
		}
		if err != nil {
			return err
		}
		link := filepath.Join(base, firstOf(rest))
		if info, err := os.Lstat(link); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is in the way: it is a link to nothing", link)
		}
		root, err := os.OpenRoot(base)
		if err != nil {
			return err
		}
		defer root.Close()
		return probe(root, rest)
	}
}

// firstOf returns the first element of a relative path.
func firstOf(path string) string {
	for {
		dir := filepath.Dir(path)
		if dir == "." || dir == path {
			return path
		}
		path = dir
	}
}

// probeSuffix is the end of the names of the folders that probe makes.
const probeSuffix = ".probe"

// probe makes a temporary folder in dir, with the folders rest in it, and removes it, together
// with those of killed processes. Another process may have removed it first.
func probe(dir *os.Root, rest string) error {
	entries, _ := readDir(dir, ".") // a folder that cannot be read keeps what it holds
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isProbe(info) && owned(info) {
			removeEmpty(dir, e.Name())
		}
	}
	name, err := makeTemporary(dir, probeSuffix)
	if err != nil {
		return err
	}
	defer removeEmpty(dir, name)
	if err := dir.MkdirAll(filepath.Join(name, rest), 0o777); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isProbe says whether a file is a folder of probe.
func isProbe(info fs.FileInfo) bool {
	id, ok := strings.CutSuffix(strings.TrimPrefix(info.Name(), prefix), probeSuffix)
	return ok && info.IsDir() && id != "" && strings.Trim(id, hexadecimal) == ""
}

// removeEmpty removes a folder that holds nothing but one such folder, and so on.
func removeEmpty(dir *os.Root, name string) {
	if entries, err := readDir(dir, name); err == nil && len(entries) == 1 && entries[0].IsDir() {
		removeEmpty(dir, filepath.Join(name, entries[0].Name()))
	}
	dir.Remove(name)
}

// Write writes the files to the folder dir, which may not exist. It returns their names, and
// the SHA-256 of those that the record lists. record is the name of one of the files, which
// then lists the others, or empty. If there is an error, dir is unchanged.
func Write(dir string, files []File, record string) (names []string, sums map[string]string, err error) {
	for _, file := range files {
		names = append(names, file.Name)
	}
	sums, err = writeSet(dir, names, record, func(s *stage) error { return s.fill(files, record) })
	if err != nil {
		return nil, nil, err
	}
	if record == "" {
		return names, nil, nil
	}
	delete(sums, record)
	return names, sums, nil
}

// WriteFolder is Write for files that are written at once. fill creates files of these names in
// the folder that it gets, and syncs them to the disk. Temporary files may be there meanwhile.
func WriteFolder(dir string, names []string, fill func(folder *os.Root) error) error {
	_, err := writeSet(dir, names, "", func(s *stage) error {
		if err := fill(s.fresh); err != nil {
			return err
		}
		for _, name := range names {
			if err := s.sum(name); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// writeSet writes a set to the folder dir: fill writes the files to the stage and sums them.
func writeSet(dir string, names []string, record string, fill func(s *stage) error) (sums map[string]string, err error) {
	f, err := makeFolder(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.unmake()
		}
		f.close()
	}()
	if err := f.open(); err != nil {
		return nil, err
	}
	if err := f.settle(); err != nil {
		return nil, err
	}
	if err := f.checkNames(names); err != nil {
		return nil, err
	}
	s, err := f.newStage()
	if err != nil {
		return nil, f.named(err, dir)
	}
	defer func() {
		s.remove() // what is there by then
		err = f.named(err, dir)
	}()
	if err := fill(s); err != nil {
		return nil, err
	}
	syncFolder(s.fresh)
	if s.Gone, err = f.obsolete(record, s.Files); err != nil {
		return nil, err
	}
	done, err := s.exchange()
	if !done && err == nil {
		err = s.commit()
	}
	if err != nil {
		return nil, err
	}
	return maps.Clone(s.Files), nil
}

// Read calls read while no set is being written to the folder dir. It changes nothing there,
// and does not complete a set that is partly in place, because its journal may come from
// anyone. The reader checks the record. If read fails and there is such a set, the error wraps
// an *UnfinishedError. If the folder cannot be locked, Read calls read without the lock.
func Read(dir string, read func() error) error {
	if f, err := lockFolder(dir); err == nil {
		defer f.release()
	}
	err := read()
	if err == nil {
		return nil
	}
	if unfinished := Unfinished(dir); unfinished != nil {
		return fmt.Errorf("%w; %w", err, unfinished)
	}
	return err
}

// Recorded returns the files in the folder dir that its record lists and that are unchanged
// since, by name with their SHA-256. A missing or invalid record lists nothing.
func Recorded(dir, record string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil && notFolder(dir) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return recorded(root, record)
}

// recorded is Recorded for an open folder.
func recorded(root *os.Root, record string) (map[string]string, error) {
	if info, err := root.Lstat(record); record == "" || err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	text, err := regular.ReadIn(root, record)
	if err != nil {
		return nil, err
	}
	var list struct{ Files map[string]string }
	if json.Unmarshal(text, &list) != nil {
		return nil, nil
	}
	maps.DeleteFunc(list.Files, func(name, sum string) bool {
		return !plainName(name) || name == record || !holds(root, name, sum)
	})
	return list.Files, nil
}

// holds says whether path, from root, is a regular file with this SHA-256.
func holds(root *os.Root, path, sum string) bool {
	if info, err := root.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	got, err := sumOf(root, path)
	return err == nil && got == sum
}

// sumOf returns the SHA-256 of a regular file, in hexadecimal.
func sumOf(root *os.Root, path string) (string, error) {
	file, err := regular.OpenIn(root, path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return hash(file)
}

// hash returns the SHA-256 of the content of r, in hexadecimal.
func hash(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// withList returns a record with the sums of the other files added. name is for messages.
func withList(name string, text []byte, sums map[string]string) ([]byte, error) {
	body, ok := trimEnd(text, "}")
	if !ok || !json.Valid(text) {
		return nil, fmt.Errorf("%s: a record is a JSON object", name)
	}
	body, _ = trimEnd(body, "")
	comma := ","
	if body[len(body)-1] == '{' {
		comma = ""
	}
	member, err := json.MarshalIndent(sums, "  ", "  ")
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(body, "%s\n  \"files\": %s\n}\n", comma, member), nil
}

// trimEnd removes white space and then suffix from the end of text.
func trimEnd(text []byte, suffix string) ([]byte, bool) {
	n := len(text)
	for n > 0 && (text[n-1] == '\n' || text[n-1] == ' ' || text[n-1] == '\t' || text[n-1] == '\r') {
		n--
	}
	ok := n > len(suffix) && string(text[n-len(suffix):n]) == suffix
	if ok {
		n -= len(suffix)
	}
	return text[:n], ok
}

// create writes a new file and syncs it to the disk.
func create(root *os.Root, name string, write func(w io.Writer) error) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return whole(err, root)
	}
	w := bufio.NewWriterSize(file, 1<<16)
	if err = write(w); err == nil {
		err = errors.Join(w.Flush(), syncFile(file))
	}
	return errors.Join(err, file.Close())
}

// content returns a function that writes a text.
func content(text []byte) func(w io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// syncFolder makes the names in a folder durable if the system can do that.
func syncFolder(root *os.Root) {
	if f, err := root.Open("."); err == nil {
		syncFile(f)
		f.Close()
	}
}

// exists says whether there is anything at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// union returns the names of both maps in order.
func union(a, b map[string]string) []string {
	both := map[string]string{}
	maps.Copy(both, a)
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}
