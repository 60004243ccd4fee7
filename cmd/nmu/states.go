package main

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

	"nmu/internal/release"
)

// When the states are written unless --checkpoint says so.
const (
	checkpointAfter = 10 * time.Minute
	checkpointEvery = 5 * time.Minute
)

// newCheckpoints returns those that the flags ask for, or nil.
func newCheckpoints(cmd *cobra.Command, f *factorFlags) (*checkpoints, error) {
	given := cmd.Flags().Changed("checkpoint")
	switch {
	case given && f.checkpoint < 0:
		return nil, misuse(fmt.Errorf("--checkpoint %v; choose a time, or 0 for never", f.checkpoint))
	case given && f.checkpoint > 0 && f.out == "":
		return nil, misuse(errors.New("--checkpoint says how often to write; --out says where"))
	case given && f.checkpoint > 0 && f.path == standardInput:
		return nil, misuse(errors.New("--checkpoint: standard input cannot be read again by nmu resume; name a file"))
	case f.out == "", f.path == standardInput, given && f.checkpoint == 0:
		return nil, nil
	}
	after, every := time.Duration(checkpointAfter), time.Duration(checkpointEvery)
	if given {
		after, every = f.checkpoint, f.checkpoint
	}
	return checkpointsTo(f.out, after, every, func() (checkpointNote, error) { return noteOf(cmd.Flags(), f) }, func(err error) {
		note(cmd.ErrOrStderr(), "no checkpoint could be written: %s", oneLine(err))
	}), nil
}

// exists reports whether there is a file at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// noteOf describes a run.
func noteOf(fs *pflag.FlagSet, f *factorFlags) (checkpointNote, error) {
	note := checkpointNote{Version: release.Version(), Input: f.path}
	var err error
	if note.Folder, err = os.Getwd(); err != nil {
		return note, err
	}
	fs.Visit(func(flag *pflag.Flag) {
		if flag.Name == nameMPI {
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
func inputPaths(f *factorFlags) ([]string, error) {
	paths := []string{f.path}
	if info, err := os.Stat(f.path); err != nil {
		return nil, err
	} else if info.IsDir() {
		paths = nil
		err := filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	} else if stem := strings.TrimSuffix(f.path, filepath.Ext(f.path)); exists(f.path+".hdr") || exists(stem+".hdr") {
		beside, err := os.ReadDir(filepath.Dir(f.path))
		if err != nil {
			return nil, err
		}
		for _, entry := range beside {
			path := filepath.Join(filepath.Dir(f.path), entry.Name())
			if strings.HasPrefix(path, stem) && entry.Type().IsRegular() && path != f.path {
				paths = append(paths, path)
			}
		}
	}
	for _, path := range []string{f.rowNames, f.colNames, f.seen.mask, f.seen.weights, factorPath(f.fixed.v, nameV), factorPath(f.fixed.w, nameW)} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// inputFiles reads the files that a run reads.
func inputFiles(f *factorFlags) ([]inputFile, error) {
	paths, err := inputPaths(f)
	if err != nil {
		return nil, err
	}
	files := make([]inputFile, len(paths))
	for i, path := range paths {
		var err error
		if files[i], err = inputFileOf(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}
