package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/data"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/record"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/lnmu"
)

// writeLibrary writes the input as an ENVI spectral library, in the memory that it takes.
func (f *convertFlags) writeLibrary(c *program.Call) error {
	in := f.Matrix
	in.Path = f.inputs[0]
	file, err := in.Open(c.Console)
	if err != nil {
		return err
	}
	defer file.Close()
	in.Say(c.Console, file)
	if f.Precision == "float32" || f.Precision == "" && file.Float32() {
		return writeLibrary[float32](c, f, file)
	}
	return writeLibrary[float64](c, f, file)
}

func writeLibrary[T lnmu.Float](c *program.Call, f *convertFlags, file *matio.File) error {
	name := filepath.Base(f.Out)
	header := strings.TrimSuffix(name, filepath.Ext(name)) + ".hdr"
	folder, err := fileset.Open(filepath.Dir(f.Out), []string{name, header}, "", f.Force)
	if err != nil {
		return fmt.Errorf("OUTPUT: %w", err)
	}
	defer folder.Close()
	m, err := data.Dense[T](file)
	if err != nil {
		return input.Hint(err)
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
		return fmt.Errorf("OUTPUT: %w", err)
	}
	info, err := os.Stat(f.Out)
	if err != nil {
		return err
	}
	rep := convertReport{Version: release.Version(), Inputs: f.inputs, Output: f.Out, Rows: int64(m.Rows), Cols: int64(m.Cols), Precision: fmt.Sprintf("%T", T(0)), Bytes: info.Size()}
	if f.JSON {
		return render.WriteJSON(c.Out, rep)
	}
	_, err = fmt.Fprintf(c.Out, "%s  %d x %d, a column for each spectrum, %s, %s\n", render.Printable(f.Out), m.Rows, m.Cols, rep.Precision, memory.Text(rep.Bytes))
	return err
}
