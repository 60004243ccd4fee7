package factor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/nmu/internal/checkpoint"
	"nmu/cmd/nmu/internal/exit"
	"nmu/cmd/nmu/internal/input"
	"nmu/cmd/nmu/internal/message"
	"nmu/cmd/nmu/internal/process"
	"nmu/cmd/nmu/internal/record"
	"nmu/internal/matio"
	"nmu/internal/release"
)

// When the states are written unless --checkpoint says so.
const (
	checkpointAfter = 10 * time.Minute
	checkpointEvery = 5 * time.Minute
)

// newCheckpoints returns those that the flags ask for, or nil.
func newCheckpoints(cmd *cobra.Command, f *commandLine) (*checkpoint.Writer, error) {
	given := cmd.Flags().Changed("checkpoint")
	switch {
	case given && f.checkpoint < 0:
		return nil, exit.Misuse(fmt.Errorf("--checkpoint %v; choose a time, or 0 for never", f.checkpoint))
	case given && f.checkpoint > 0 && f.out == "":
		return nil, exit.Misuse(errors.New("--checkpoint says how often to write; --out says where"))
	case given && f.checkpoint > 0 && f.Path == input.Stdin:
		return nil, exit.Misuse(errors.New("--checkpoint: standard input cannot be read again by nmu resume; name a file"))
	case f.out == "", f.Path == input.Stdin, given && f.checkpoint == 0:
		return nil, nil
	}
	after, every := time.Duration(checkpointAfter), time.Duration(checkpointEvery)
	if given {
		after, every = f.checkpoint, f.checkpoint
	}
	begun := time.Now()
	describe := func() (checkpoint.Note, error) {
		if err := f.opened.Changed(); err != nil {
			return checkpoint.Note{}, err
		}
		note, err := noteOf(cmd.Flags(), f)
		note.Short = !given && time.Since(begun) < checkpointAfter && (f.resume == nil || f.resume.Note.Short)
		return note, err
	}
	return checkpoint.NewWriter(f.out, after, every, describe, func(err error) {
		if errors.Is(err, matio.ErrChanged) {
			return // the run ends with this error
		}
		message.Note(cmd.ErrOrStderr(), "no checkpoint could be written: %s", message.OneLine(err))
	}), nil
}

// exists reports whether there is a file at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// noteOf describes a run.
func noteOf(fs *pflag.FlagSet, f *commandLine) (checkpoint.Note, error) {
	note := checkpoint.Note{Version: release.Version(), Input: f.Path}
	var err error
	if note.Folder, err = os.Getwd(); err != nil {
		return note, err
	}
	fs.Visit(func(flag *pflag.Flag) {
		if flag.Name == process.FlagName {
			return // the run goes on with any number of processes
		}
		value := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		note.Flags = append(note.Flags, [2]string{flag.Name, value})
	})
	note.Files, err = inputFiles(f)
	return note, err
}

// inputPaths returns the paths of the files that a run reads: the input, or those of a folder of
// images, what belongs to it by name, as the raster and the header of an ENVI cube do,
// and the names of rows and columns. What --init and --continue read is known to the
// library.
func inputPaths(f *commandLine) ([]string, error) {
	paths := []string{f.Path}
	if info, err := os.Stat(f.Path); err != nil {
		return nil, err
	} else if info.IsDir() {
		paths = nil
		err := filepath.WalkDir(f.Path, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	} else if stem := strings.TrimSuffix(f.Path, filepath.Ext(f.Path)); exists(f.Path+".hdr") || exists(stem+".hdr") {
		beside, err := os.ReadDir(filepath.Dir(f.Path))
		if err != nil {
			return nil, err
		}
		for _, entry := range beside {
			path := filepath.Join(filepath.Dir(f.Path), entry.Name())
			if strings.HasPrefix(path, stem) && entry.Type().IsRegular() && path != f.Path {
				paths = append(paths, path)
			}
		}
	}
	for _, path := range []string{f.RowNames, f.ColNames, f.seen.Mask, f.seen.Weights, record.FactorPath(f.fixed.v, record.NameV), record.FactorPath(f.fixed.w, record.NameW)} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// inputFiles reads the files that a run reads.
func inputFiles(f *commandLine) ([]checkpoint.Input, error) {
	paths, err := inputPaths(f)
	if err != nil {
		return nil, err
	}
	files := make([]checkpoint.Input, len(paths))
	for i, path := range paths {
		var err error
		if files[i], err = checkpoint.ReadInput(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}
