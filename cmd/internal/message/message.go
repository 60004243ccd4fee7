// Package message has the streams of a command, notes in one line, and words quoted for a shell.
package message

import (
	"fmt"
	"io"
	"strings"

	"nmu/internal/render"
)

// Console is what a command reads and prints beside its files. A command may discard what follows.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
}

// Note prints a note on Err. It stays one line, whatever names and labels it holds.
func (c *Console) Note(format string, args ...any) error { return Note(c.Err, format, args...) }

// Note prints a note on w. It stays one line, whatever names and labels it holds.
func Note(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, "nmu: note: %s\n", render.Printable(fmt.Sprintf(format, args...)))
	return err
}

// ShellWord quotes s for a shell where needed.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
