//go:build !js

package parquet

import (
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"nmu/internal/matio/internal/input"
)

// decode reads a structure from the beginning of b, which is at the given byte of the file, and returns its length.
func decode[T any](f *input.File, at int64, b []byte) (x T, n int, err error) {
	g := &guard{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(b), f: f, size: len(b)}
	defer func() {
		if p := recover(); p != nil { // of the library
			err = f.Bad(at, "the file is damaged: %v", p)
		}
	}()
	if err = thrift.NewDecoder(g).Decode(&x); g.memory != nil {
		err = g.memory
	} else if err != nil {
		err = f.Bad(at, "%v", err)
	}
	return x, g.BytesRead(), err
}

// guard keeps the decoder, which believes what it reads, from lists longer than what is left or than memory allows, and
// from structures within each other without end.
type guard struct {
	thrift.BytesReader
	f      *input.File
	size   int
	open   []int32 // the structures around the next byte: how many of its list are left, with it
	memory error
}

var errNested = errors.New("the file is damaged: lists or structures without end")

// nest begins n structures, one after the other.
func (g *guard) nest(n int32) error {
	const deepest = 32
	if g.open = append(g.open, n); len(g.open) > deepest {
		return errNested
	}
	return nil
}

// ReadList implements thrift.Reader.
func (g *guard) ReadList() (thrift.List, error) {
	const number, structure = 32, 1 << 10 // bytes of memory, at most
	l, err := g.BytesReader.ReadList()
	each := int64(number)
	switch {
	case err != nil:
	case int(l.Size) > g.size-g.BytesRead(), l.Type == thrift.LIST, l.Type == thrift.SET, l.Type == thrift.MAP:
		err = errNested
	case l.Type == thrift.STRUCT && l.Size > 0:
		each, err = structure, g.nest(l.Size)
	}
	if err == nil {
		g.memory = g.f.Reserve(int64(l.Size)*each, input.Reading)
		err = g.memory
	}
	return l, err
}

// ReadField implements thrift.Reader.
func (g *guard) ReadField() (thrift.Field, error) {
	field, err := g.BytesReader.ReadField()
	last := len(g.open) - 1
	switch {
	case err != nil:
	case field.Type == thrift.SET, field.Type == thrift.MAP:
		err = errNested
	case field.Type == thrift.STRUCT:
		err = g.nest(1)
	case field.Type == thrift.STOP && last >= 0:
		if g.open[last]--; g.open[last] == 0 {
			g.open = g.open[:last]
		}
	}
	return field, err
}

// Discard passes over bytes; the decoder finds it by its name.
func (g *guard) Discard(n int) (int, error) {
	return g.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}
