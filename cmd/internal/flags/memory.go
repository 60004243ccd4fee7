package flags

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/pflag"

	"nmu/internal/memory"
)

// Size is the value of a flag for a limit of memory, in bytes. 0 stands for the free memory.
type Size int64

// AddMax adds the flag --max-memory.
func (l *Size) AddMax(fs *pflag.FlagSet) {
	fs.Var(l, MaxMemory, "refuse jobs whose estimated memory, with that of the input and of\nthe program, exceeds `SIZE`, such as 512MB or 2GiB (default: the\nfree memory)")
}

// Set reads the limit, as pflag.Value.
func (l *Size) Set(s string) error {
	n, err := memory.Parse(s)
	*l = Size(n)
	return err
}

// String returns the limit as text that Set reads back unchanged, or "" if there is no limit.
func (l *Size) String() string {
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
func (l *Size) Type() string { return "size" }

// Disk holds the flags for a matrix that is larger than memory: --memory and --scratch.
type Disk struct {
	Within Size // of memory; 0: the matrix is in memory
	dir    string
}

// Names of flags.
const (
	MaxMemory = "max-memory"
	Memory    = "memory"
	Scratch   = "scratch"
)

// Add adds both flags.
func (d *Disk) Add(fs *pflag.FlagSet) {
	fs.Var(&d.Within, Memory, Usage("limit the memory to `SIZE`, such as 2GB; if M and its working copies need more, M stays in its file (.npy, or the folder of a sparse matrix from nmu convert) and the copies go to scratch files; with --mpi each process takes SIZE"))
	fs.StringVar(&d.dir, Scratch, "", Usage("folder `DIR` for scratch files, which are removed at the end (default: the system's temporary folder)"))
}

// Check rejects flags that would be ignored.
func (d *Disk) Check(limit Size) error {
	switch {
	case d.Within == 0 && d.dir != "":
		return errors.New("--scratch says where files lie that --memory makes; give that too")
	case d.Within != 0 && limit != 0:
		return fmt.Errorf("--memory and --%s; choose one: the first goes to the disk where memory is not enough, the second refuses", MaxMemory)
	}
	return nil
}

// Folder returns the folder for the scratch files.
func (d *Disk) Folder() string {
	if d.dir == "" {
		return os.TempDir()
	}
	return d.dir
}
