package checkpoint

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/regular"
)

// Paths returns the paths of the files that a run reads: the input, or those of a folder of images,
// what belongs to it by name, as the raster and the header of an ENVI cube do, and further
// ones, unless they are empty.
func Paths(input string, further ...string) ([]string, error) {
	paths := []string{input}
	info, err := os.Stat(input)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		paths = nil
		err = filepath.WalkDir(input, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				paths = append(paths, path)
			}
			return err
		})
	case matio.IsENVI(input):
		var beside []os.DirEntry
		beside, err = os.ReadDir(filepath.Dir(input))
		for _, entry := range beside {
			path := filepath.Join(filepath.Dir(input), entry.Name())
			if strings.HasPrefix(path, strings.TrimSuffix(input, filepath.Ext(input))) && entry.Type().IsRegular() && path != input {
				paths = append(paths, path)
			}
		}
	}
	return append(paths, slices.DeleteFunc(further, func(path string) bool { return path == "" })...), err
}

// ReadInputs returns the sizes and hashes of files, unless err is an error.
func ReadInputs(paths []string, err error) ([]Input, error) {
	files := make([]Input, len(paths))
	for i, path := range paths {
		if err == nil {
			files[i].Path = path
			files[i].SHA256, files[i].Size, err = regular.SHA256(regular.Open(path))
		}
	}
	return files, err
}

// PathFrom returns the path of something that the run has read, from here. One that is no
// file, as the name of a start, stays.
func (s *State) PathFrom(path string) string {
	if from := filepath.Join(s.Note.Folder, path); !filepath.IsAbs(path) && path != "" && !Exists(path) && Exists(from) {
		return from
	}
	return path
}

// Same returns an error unless the files that a run reads now, at these paths, are those that it read. err is the error of
// finding the paths.
func (s *State) Same(paths []string, err error) error {
	files, err := ReadInputs(paths, err)
	if err != nil {
		return fmt.Errorf("the input of the run cannot be read, which nmu resume looks for from %s: %w", s.Note.Folder, err)
	}
	for i, was := range s.Note.Files {
		if i < len(files) && (files[i].Size != was.Size || files[i].SHA256 != was.SHA256) || i >= len(files) {
			return fmt.Errorf("%s is not what it was when the run began (%d bytes, SHA-256 %.16s...): bring it back, or run it again from its beginning, with --force", was.Path, was.Size, was.SHA256)
		}
	}
	if len(files) > len(s.Note.Files) {
		return fmt.Errorf("%s was not there when the run began: take it away, or run it again from its beginning, with --force", files[len(s.Note.Files)].Path)
	}
	return nil
}

// Exists reports whether there is a file at path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
