package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/record"
	"nmu/internal/data"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/lnmu"
)

// writeLibrary writes the input as an ENVI spectral library, in the memory that it takes.
func (f *convertFlags) writeLibrary(cmd *cobra.Command) error {
	in := f.Matrix
	in.Path, in.MaxMemory = f.inputs[0], f.memory
	file, err := in.Open(cmd)
	if err != nil {
		return err
	}
	defer file.Close()
	in.Say(cmd, file)
	if f.precision == "float32" || f.precision == "" && file.Float32() {
		return writeLibrary[float32](cmd, f, file)
	}
	return writeLibrary[float64](cmd, f, file)
}

func writeLibrary[T lnmu.Float](cmd *cobra.Command, f *convertFlags, file *matio.File) error {
	name := filepath.Base(f.out)
	header := strings.TrimSuffix(name, filepath.Ext(name)) + ".hdr"
	folder, err := fileset.Open(filepath.Dir(f.out), []string{name, header}, "", f.force)
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
	info, err := os.Stat(f.out)
	if err != nil {
		return err
	}
	rep := convertReport{Version: release.Version(), Inputs: f.inputs, Output: f.out, Rows: int64(m.Rows), Cols: int64(m.Cols), Precision: fmt.Sprintf("%T", T(0)), Bytes: info.Size()}
	if f.json {
		return render.WriteJSON(cmd.OutOrStdout(), rep)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s  %d x %d, a column for each spectrum, %s, %s\n", render.Printable(f.out), m.Rows, m.Cols, rep.Precision, memory.Text(rep.Bytes))
	return err
}
