package matio

import (
	"errors"
	"io"
	"os"
)

// OpenStream is Open for a stream; name is for messages. It copies the stream into a temporary
// file, which is removed when the File is closed. Without Options.Format the stream is a table
// of text, unless its content shows another type.
func OpenStream(r io.Reader, name string, opt Options) (*File, error) {
	if opt.Format == "" {
		opt.Format = "csv"
	}
	var folder *os.Root
	if opt.Spill != nil {
		folder = opt.Spill.Folder
	}
	tmp, named, err := TempFile(folder)
	if err != nil {
		return nil, err
	}
	f := newFile(name, opt)
	f.in.Handle = tmp
	if named {
		f.remove = tmp.Name()
	}
	if f.in.Size, err = copyUntil(opt.Spill, tmp, r); err == nil {
		err = f.openContent()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, f.finish()
}

// copyUntil is io.Copy that stops with the error of spill's context when that ends: a stream
// may block forever.
func copyUntil(spill *Spill, to *os.File, from io.Reader) (int64, error) {
	if spill == nil {
		return io.Copy(to, from)
	}
	var n int64
	var err error
	done := make(chan struct{})
	go func() {
		n, err = io.Copy(to, from)
		close(done)
	}()
	select {
	case <-done:
		return n, err
	case <-spill.Context.Done():
		return 0, spill.Context.Err()
	}
}
