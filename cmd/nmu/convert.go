package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/convert"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/release"
	"nmu/internal/render"
)

// convertFlags is the command line of nmu convert.
type convertFlags struct {
	input.Matrix
	inputs    []string
	out       string
	order     string
	precision string
	memory    flags.Size
	force     bool
	json      bool
}

// convertReport is what --json prints.
type convertReport struct {
	Version   string   `json:"version"`
	Inputs    []string `json:"inputs"`
	Output    string   `json:"output"`
	Sparse    bool     `json:"sparse"`
	Rows      int64    `json:"rows"`
	Cols      int64    `json:"cols"`
	Entries   int64    `json:"entries,omitempty"` // stored ones
	Order     string   `json:"order,omitempty"`
	Precision string   `json:"precision"`
	Bytes     int64    `json:"bytes"`
	Seconds   float64  `json:"seconds"`
}

// The words of --order.
const (
	orderRows    = "rows"
	orderColumns = "columns"
)

const (
	// convertMemory is the memory of a conversion in bytes, by default.
	convertMemory = 256e6
	// leastConvertMemory is enough for the buffers and a part of a line.
	leastConvertMemory = 16e6
)

func convertCommand() *cobra.Command {
	f := convertFlags{memory: convertMemory}
	cmd := &cobra.Command{
		Use:   "convert INPUT... OUTPUT",
		Short: "Convert matrices, also those larger than memory",
		Long: `Convert matrices of any format into a file that can be read in parts. The memory
needed does not depend on the size. Several INPUTs must have the same number of
columns; their rows are stacked. The name of OUTPUT chooses the format:

  NAME.npy: a dense matrix as a NumPy file, by rows (C order) or, with --order
    columns, by columns (Fortran order). The parts are then ranges of rows or of
    columns;
  NAME.sli: an ENVI spectral library with NAME.hdr, a spectrum for each column of
    INPUT. The names of its rows are the wavelengths, those of its columns the names
    of the spectra;
  any other name: a folder with a sparse matrix in compressed sparse row form,
    shape.npy, indptr.npy, indices.npy and data.npy. In Python, load each array
    with numpy.load(..., mmap_mode="r"); the matrix is
    scipy.sparse.csr_matrix((data, indices, indptr), shape).

Sorting and transposing use temporary files beside or in OUTPUT, of up to twice its
size. OUTPUT is written atomically.

` + input.Help() + `

Negative numbers are kept; nmu factor refuses them later. NaN is an error without
--missing allow. Infinite numbers are always errors. Names of rows and columns are
dropped. Duplicate entries of a sparse matrix are added, and zeros are dropped.`,
		Example: `  nmu convert counts.mtx counts
  nmu convert day1.csv.gz day2.csv.gz all.npy --precision float32
  nmu convert wide.npz wide.npy --order columns --max-memory 1GB`,
		Args: flags.Arguments(2, math.MaxInt, "one INPUT or more and an OUTPUT, got %d arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.inputs, f.out = args[:len(args)-1], args[len(args)-1]
			return runConvert(cmd, &f)
		},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return program.Completion("INPUT")
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.order, "order", orderRows, "`ORDER` of a .npy file: rows (C order) or columns (Fortran\norder)")
	fs.StringVar(&f.precision, "precision", "", "`TYPE`: float32 or float64 (default: float64, or float32 for\na single INPUT of a type that fits into float32)")
	f.Matrix.AddContent(fs, "take the rows of INPUT for columns")
	fs.Var(&f.memory, flags.MaxMemory, "limit the memory to about `SIZE`, such as 2GiB")
	fs.BoolVar(&f.force, "force", false, "replace OUTPUT if it exists")
	fs.BoolVar(&f.json, "json", false, "describe OUTPUT as JSON")
	flags.SetWords(fs, "order", []string{orderRows, orderColumns}, false)
	flags.SetWords(fs, "precision", flags.Precisions, false)
	return cmd
}

// check rejects options that contradict each other.
func (f *convertFlags) check() error {
	extension := strings.ToLower(filepath.Ext(f.out))
	switch {
	case f.order != orderRows && f.order != orderColumns:
		return fmt.Errorf("--order %q; choose rows or columns", f.order)
	case f.precision != "" && !slices.Contains(flags.Precisions, f.precision):
		return fmt.Errorf("unknown precision %q; choose float32 or float64", f.precision)
	case f.memory < leastConvertMemory:
		return fmt.Errorf("--%s %v; choose %s or more", flags.MaxMemory, &f.memory, memory.Text(leastConvertMemory))
	case slices.Contains(f.inputs, input.Stdin) && slices.Contains(f.inputs[slices.Index(f.inputs, input.Stdin)+1:], input.Stdin):
		return errors.New("standard input can be read once")
	case f.out == "" || f.out == input.Stdin:
		return fmt.Errorf("OUTPUT %q; name a .npy file or a folder", f.out)
	case !f.dense() && f.order == orderColumns:
		return errors.New("--order columns is for an OUTPUT that ends in .npy; --transpose turns a sparse matrix over")
	case !f.file() && slices.Contains(matio.Extensions(), extension), extension == ".gz":
		return fmt.Errorf("OUTPUT %s; convert writes .npy and %s files, and folders with sparse matrices", f.out, matio.LibraryExtension)
	case f.library() && len(f.inputs) != 1:
		return fmt.Errorf("OUTPUT %s: a spectral library is made of one INPUT, and there are %d", f.out, len(f.inputs))
	}
	return nil
}

// dense reports whether the output is a .npy file.
func (f *convertFlags) dense() bool { return strings.EqualFold(filepath.Ext(f.out), ".npy") }

// library reports whether the output is a spectral library.
func (f *convertFlags) library() bool {
	return strings.EqualFold(filepath.Ext(f.out), matio.LibraryExtension)
}

// file reports whether the output is a file and no folder.
func (f *convertFlags) file() bool { return f.dense() || f.library() }

// runConvert is nmu convert.
func runConvert(cmd *cobra.Command, f *convertFlags) error {
	if err := f.check(); err != nil {
		return exit.Misuse(err)
	}
	if err := f.checkOutput(); err != nil {
		return fmt.Errorf("OUTPUT: %w", err)
	}
	opt := f.Options()
	var inputs []convert.Input
	for _, path := range f.inputs {
		in := f.Matrix
		in.Path = path
		inputs = append(inputs, convert.Input{Path: path, Open: func(spill *matio.Spill, transposed bool, most int64) (*matio.File, error) {
			opt := opt
			opt.Spill, opt.Transpose, opt.MaxMemory = spill, opt.Transpose != transposed, most
			file, err := in.OpenWith(cmd, opt)
			if err == nil {
				in.Say(cmd, file)
			}
			return file, err
		}})
	}
	if f.library() {
		return f.writeLibrary(cmd)
	}
	s := convert.Settings{
		Single: f.precision == "float32", Auto: f.precision == "", Columns: f.order == orderColumns,
		Missing: f.Missing == string(matio.Allow), Memory: int64(f.memory), Keep: !f.force,
	}
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	begun := time.Now()
	write := convert.ToCSR
	if f.dense() {
		write = convert.ToNpy
	}
	sum, err := write(ctx, f.out, inputs, s)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; nothing is written", exit.Interruption(ctx))
	}
	if errors.Is(err, convert.ErrMissing) {
		return fmt.Errorf("%w; --missing allow keeps NaN as a missing entry", err)
	}
	if err != nil {
		return exit.MarkInterrupted(ctx, err)
	}
	rep := convertReport{
		Version: release.Version(), Inputs: f.inputs, Output: f.out, Sparse: !f.dense(), Rows: sum.Rows, Cols: sum.Cols,
		Entries: sum.Entries, Precision: "float64", Bytes: sum.Bytes, Seconds: time.Since(begun).Seconds(),
	}
	if sum.Single {
		rep.Precision = "float32"
	}
	if f.dense() {
		rep.Order = f.order
	}
	if f.json {
		return render.WriteJSON(cmd.OutOrStdout(), rep)
	}
	return rep.writeLine(cmd.OutOrStdout())
}

// checkOutput returns an error if the output cannot be written: if it is one of the inputs or
// within one, or if it exists and may not be replaced.
func (f *convertFlags) checkOutput() error {
	for _, path := range f.inputs {
		in, err := os.Stat(path)
		if err != nil {
			continue // opening it reports the error
		}
		for _, place := range []string{f.out, filepath.Dir(f.out)} {
			if out, err := os.Stat(place); err == nil && os.SameFile(in, out) {
				return fmt.Errorf("%s is INPUT %s, or in it", f.out, path)
			}
		}
	}
	replace := fmt.Errorf("%s is there already; --force replaces it", f.out)
	info, err := os.Stat(f.out)
	switch {
	case err != nil && f.file(): // only the folder of a sparse matrix is created
		if above, err := os.Stat(filepath.Dir(f.out)); err != nil {
			return err
		} else if !above.IsDir() {
			return fmt.Errorf("%s is no folder", filepath.Dir(f.out))
		}
		return nil
	case err != nil: // if it is not just missing, writing reports the error
		return nil
	case f.file() && info.Mode().IsRegular() && !f.force:
		return replace
	case f.file() && !info.Mode().IsRegular(), !f.file() && !info.IsDir():
		return fmt.Errorf("%s is there already, and no %s", f.out, map[bool]string{true: "regular file", false: "folder"}[f.file()])
	case f.file():
		return nil
	}
	list, err := os.ReadDir(f.out)
	if err != nil {
		return err
	}
	for _, e := range list {
		part := slices.Contains(matio.CSRNames(), e.Name())
		if !strings.HasPrefix(e.Name(), ".") && !part {
			return fmt.Errorf("%s holds %s, which is no part of a sparse matrix; choose another folder", f.out, e.Name())
		}
		if part && !f.force {
			return replace
		}
	}
	return nil
}

// writeLine prints a line about the output.
func (r *convertReport) writeLine(w io.Writer) error {
	what := fmt.Sprintf("dense, by %s", r.Order)
	if r.Sparse {
		what = fmt.Sprintf("sparse, %d entries", r.Entries)
	}
	_, err := fmt.Fprintf(w, "%s  %d x %d, %s, %s, %s in %.3g s\n", render.Printable(r.Output), r.Rows, r.Cols, what, r.Precision, memory.Text(r.Bytes), r.Seconds)
	return err
}
