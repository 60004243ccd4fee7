package fileset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// whole returns an error of an operation in root with a path that begins with that of root: the
// errors of os.Root have the path from there.
func whole(err error, root *os.Root) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) && !filepath.IsAbs(e.Path) {
		return &fs.PathError{Op: e.Op, Path: filepath.Join(root.Name(), e.Path), Err: e.Err}
	}
	return err
}

// named returns an error about a temporary folder in f that names the files in dir instead, the
// folder as the caller named it. A file that changes its place has one path then.
func (f *folder) named(err error, dir string) error {
	if e, ok := err.(*os.LinkError); ok {
		err = &fs.PathError{Op: e.Op, Path: e.New, Err: e.Err}
	}
	if err == nil || !strings.Contains(err.Error(), prefix) {
		return err
	}
	staged := regexp.MustCompile(regexp.QuoteMeta(f.path) + `[/\\]+\.nmu-[` + hexadecimal + `]+([/\\](` + newFiles + `|` + oldFiles + `))?`)
	return &namedError{staged.ReplaceAllLiteralString(err.Error(), filepath.Clean(dir)), err}
}

// namedError is an error with another text.
type namedError struct {
	text string
	err  error
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.err }
