package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/pflag"

	"nmu/internal/memory"
)

// memoryLimit is the flag --max-memory, in bytes. 0 stands for what is free.
type memoryLimit int64

func (l *memoryLimit) add(fs *pflag.FlagSet) {
	fs.Var(l, nameMaxMemory, "refuse what needs more memory than `SIZE`, such as 512MB or 2GiB\n(default: what is free)")
}

// Set reads the limit, as pflag.Value.
func (l *memoryLimit) Set(s string) error {
	n, err := memory.Parse(s)
	*l = memoryLimit(n)
	return err
}

// String prints the limit so that Set reads the same one, empty if there is none.
func (l *memoryLimit) String() string {
	if *l == 0 {
		return ""
	}
	text := memory.Text(int64(*l))
	if n, err := memory.Parse(text); err != nil || n != int64(*l) { // rounded
		return strconv.FormatInt(int64(*l), 10)
	}
	return text
}

// Type names the kind of value.
func (l *memoryLimit) Type() string { return "size" }

// diskFlags are the flags for a matrix that is larger than memory: --memory and --scratch.
type diskFlags struct {
	within memoryLimit
	dir    string
}

// Names of flags.
const (
	nameMaxMemory = "max-memory"
	nameMemory    = "memory"
	nameScratch   = "scratch"
)

func (d *diskFlags) add(fs *pflag.FlagSet) {
	fs.Var(&d.within, nameMemory, usage("work in `SIZE` of memory, such as 2GB: where M and what is computed of its size need more, M stays in its file (.npy, or the folder that nmu convert makes of a sparse matrix) and the rest goes to files in the folder of --scratch"))
	fs.StringVar(&d.dir, nameScratch, "", usage("folder `DIR` for those files, which are gone in the end (default: the system's for temporary files)"))
}

// check rejects flags that would be ignored.
func (d *diskFlags) check(limit memoryLimit) error {
	switch {
	case d.within == 0 && d.dir != "":
		return errors.New("--scratch says where files lie that --memory makes; give that too")
	case d.within != 0 && limit != 0:
		return fmt.Errorf("--memory and --%s; choose one: the first goes to the disk where memory is not enough, the second refuses", nameMaxMemory)
	}
	return nil
}

// folder returns the folder for the scratch files.
func (d *diskFlags) folder() string {
	if d.dir == "" {
		return os.TempDir()
	}
	return d.dir
}
