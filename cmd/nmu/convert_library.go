package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unsafe"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/convert"
	"nmu/internal/data"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/record"
	"nmu/lnmu"
)

// writeLibrary writes the input as an ENVI spectral library, in the memory that it takes.
func (f *convertFlags) writeLibrary(ctx context.Context, c *program.Call) (convert.Summary, error) {
	in := f.Matrix
	in.Path = f.inputs[0]
	file, err := in.Open(c.Console)
	if err != nil {
		return convert.Summary{}, err
	}
	defer file.Close()
	defer in.Until(ctx, file)()
	in.Say(c.Console, file)
	if f.Precision == "float32" || f.Precision == "" && file.Float32() {
		return writeLibrary[float32](f, file)
	}
	return writeLibrary[float64](f, file)
}

func writeLibrary[T lnmu.Float](f *convertFlags, file *matio.File) (sum convert.Summary, err error) {
	name := filepath.Base(f.Out)
	header := strings.TrimSuffix(name, filepath.Ext(name)) + ".hdr"
	folder, err := fileset.Open(filepath.Dir(f.Out), []string{name, header}, "", f.Force)
	if err != nil {
		return sum, fmt.Errorf("OUTPUT: %w", err)
	}
	defer folder.Close()
	m, err := data.Dense[T](file)
	if err != nil {
		return sum, input.Hint(err)
	}
	axis, _ := file.Axes()
	spectra := record.Labelled(m, file.RowNames(), file.ColNames())
	err = file.Guard(func() error {
		_, _, err := folder.Write([]fileset.File{
			{Name: name, Write: func(w io.Writer) error { return matio.EncodeLibrary(w, spectra) }},
			{Name: header, Write: func(w io.Writer) error { return matio.EncodeLibraryHeader(w, spectra, axis) }},
		})
		return err
	})
	if err != nil {
		return sum, fmt.Errorf("OUTPUT: %w", err)
	}
	size := int64(unsafe.Sizeof(T(0)))
	return convert.Summary{Rows: int64(m.Rows), Cols: int64(m.Cols), Single: size == 4, Bytes: size * int64(len(m.Data))}, nil
}
