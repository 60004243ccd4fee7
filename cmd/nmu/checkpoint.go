package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/internal/fileset"
	"nmu/internal/regular"
	"nmu/lnmu"
)

// When the states are written unless --checkpoint says so.
const (
	checkpointAfter = 10 * time.Minute
	checkpointEvery = 5 * time.Minute
)

// checkpoints writes the states of a run to a folder.
type checkpoints struct {
	folder string
	note   func() ([]byte, error) // it reads the files, and so is called when it is needed
	point  *lnmu.Checkpoint
	warn   func(err error)
	failed bool
}

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
	c := &checkpoints{folder: f.out, point: &lnmu.Checkpoint{After: checkpointAfter, Every: checkpointEvery}}
	if given {
		c.point.After, c.point.Every = f.checkpoint, f.checkpoint
	}
	c.point.Save = c.save
	c.note = func() ([]byte, error) { return noteOf(cmd.Flags(), f) }
	c.warn = func(err error) {
		note(cmd.ErrOrStderr(), "no checkpoint could be written: %s", oneLine(err))
	}
	return c, nil
}

// save writes a state. If that fails, the run goes on, and says so once.
func (c *checkpoints) save(state io.WriterTo) {
	err := c.write(state)
	if err != nil && !c.failed {
		c.failed = true
		c.warn(err)
	}
}

func (c *checkpoints) write(state io.WriterTo) (err error) {
	if c.point.Note == nil {
		if c.point.Note, err = c.note(); err != nil {
			return err
		}
	}
	return fileset.Rotate(c.folder, nameCheckpoint, nameCheckpointOld, func(w io.Writer) error {
		_, err := state.WriteTo(w)
		return err
	})
}

// settings returns what the library is asked for, or nil.
func (c *checkpoints) settings(from *resumption) *lnmu.Checkpoint {
	var point *lnmu.Checkpoint
	if c != nil {
		point = c.point
	}
	if from != nil {
		point = cmp.Or(point, &lnmu.Checkpoint{})
		point.Resume = from.file
	}
	return point
}

// noteOf describes a run.
func noteOf(flags *pflag.FlagSet, f *factorFlags) ([]byte, error) {
	note := checkpointNote{Version: version(), Input: f.path}
	var err error
	if note.Folder, err = os.Getwd(); err != nil {
		return nil, err
	}
	flags.Visit(func(flag *pflag.Flag) {
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
	if err != nil {
		return nil, err
	}
	return json.Marshal(note)
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

// exists reports whether there is a file at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// inputFileOf reads a file to the end that it has now: one that grows meanwhile is none that
// a run goes on with.
func inputFileOf(path string) (inputFile, error) {
	file, err := regular.Open(path)
	if err != nil {
		return inputFile{}, err
	}
	defer file.Close()
	sum := sha256.New()
	info, err := file.Stat()
	if err != nil {
		return inputFile{}, err
	}
	n, err := io.Copy(sum, io.LimitReader(file, info.Size()))
	return inputFile{Path: path, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}
