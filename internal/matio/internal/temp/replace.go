package temp

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

// WriteFile calls write to produce the content of the file path. The path holds either the
// complete new content or the old one: the content goes to a hidden temporary file in the same
// folder, is synced to the disk, and is then renamed to path. If write fails, WriteFile removes
// the temporary file and returns the error. On systems with locks, the next write to path
// removes the temporary file of a killed process. The writer is buffered. A path that exists
// and is no regular file is an error.
func WriteFile(path string, write func(io.Writer) error) error {
	return ReplaceFile(path, func(tmp *os.File) error {
		w := bufio.NewWriterSize(tmp, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// ReplaceFile is WriteFile with the temporary file itself as the argument of write.
func ReplaceFile(path string, write func(tmp *os.File) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file, so it cannot be replaced; choose another name", path)
	}
	sweepTemps(path)
	tmp, release, err := createTemp(path)
	if err != nil {
		return err
	}
	defer release()
	renamed := false
	defer func() {
		if !renamed { // write may also have panicked
			tmp.Close() // a second time, maybe: the error is of no interest
			os.Remove(tmp.Name())
		}
	}()
	if err := write(tmp); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	renamed = true
	return nil
}
