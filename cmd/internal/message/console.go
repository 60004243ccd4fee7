package message

import "io"

// Console is what a command reads and prints beside its files. A command may discard what follows.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
}

// Note prints a note on Err. It stays one line, whatever names and labels it holds.
func (c *Console) Note(format string, args ...any) error { return Note(c.Err, format, args...) }
