package matio

import (
	"errors"
	"io"
	"os"
)

// OpenStream is Open for what comes from a stream, which has a name for messages. It
// is read to its end into a temporary file, which is gone when the File is closed.
// Without Options.Format it is a table of text, unless its content shows that it is
// something else.
func OpenStream(r io.Reader, name string, opt Options) (*File, error) {
	if opt.Format == "" {
		opt.Format = "csv"
	}
	tmp, err := os.CreateTemp("", "nmu-*")
	if err != nil {
		return nil, err
	}
	f := newFile(name, opt)
	f.file, f.remove = tmp, tmp.Name()
	if f.size, err = io.Copy(tmp, r); err == nil {
		err = f.openContent()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
