package factor

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strconv"

	"nmu/internal/checkpoint"
	"nmu/internal/record"
	"nmu/internal/regular"
	"nmu/internal/release"
	"nmu/internal/render"
)

// alike returns an error in all processes unless all have before them what process 0 has: the
// program, the shape of the matrix, and the contents of the files.
func (f *commandLine) alike(rows, cols int) error {
	if f.All == nil {
		return nil
	}
	sum, err := f.contents()
	if err := f.All.Agree(err, f.before(rows, cols)); err != nil {
		return err
	}
	ranks := f.All.Differing(sum)
	if ranks == nil {
		return f.All.Agree(nil, "")
	}
	var who []string
	for _, k := range ranks {
		who = append(who, strconv.Itoa(k))
	}
	one := "process"
	if len(ranks) > 1 {
		one = "processes"
	}
	return f.All.Agree(fmt.Errorf("%s %s: the contents of %s are not those that process 0 has; give all of them the same files", one, render.Enumerate(who, "and"), f.Path), "")
}

// before describes what must be the same in all processes: the program, the shape of the
// matrix and the checkpoint.
func (f *commandLine) before(rows, cols int) string {
	s := fmt.Sprintf("version %s and a matrix of %d x %d", release.Version(), rows, cols)
	if f.From != nil {
		s += " with the checkpoint " + filepath.Base(f.From.File.Name())
		if info, err := f.From.File.Stat(); err == nil {
			s += fmt.Sprintf(" of %d bytes", info.Size())
		}
	}
	return s
}

// contents returns a hash of the files that a run reads, of long ones by a sample, of the records
// beside given factors, which hold their names, and of the checkpoint that it goes on from.
func (f *commandLine) contents() (sum [sha256.Size]byte, err error) {
	paths, err := f.Paths()
	if err != nil {
		return sum, err
	}
	if f.givesStart() {
		paths = append(paths, filepath.Join(f.Command.Start, record.NameV), filepath.Join(f.Command.Start, record.NameW))
	}
	if f.From != nil {
		paths = append(paths, f.From.File.Name())
	}
	for _, path := range []string{record.FactorPath(f.Command.Start, record.NameV), record.FactorPath(f.FixV, record.NameV), record.FactorPath(f.FixW, record.NameW)} {
		if beside := filepath.Join(filepath.Dir(path), record.NameResult); path != "" && checkpoint.Exists(path) && checkpoint.Exists(beside) {
			paths = append(paths, beside)
		}
	}
	all := sha256.New()
	for _, path := range paths {
		if err := regular.Sample(all, path); err != nil {
			return sum, err
		}
	}
	return [sha256.Size]byte(all.Sum(nil)), nil
}
