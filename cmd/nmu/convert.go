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

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/convert"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/options"
	"nmu/internal/release"
	"nmu/internal/render"
)

// convertFlags is the command line of nmu convert.
type convertFlags struct {
	input.Matrix
	inputs []string
}

// convertReport is what --json prints.
type convertReport struct {
	Schema    string   `json:"schema"` // "nmu-convert/1"
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

const (
	// convertMemory is the memory of a conversion in bytes, by default.
	convertMemory = 256e6
	// leastConvertMemory is enough for the buffers and a part of a line.
	leastConvertMemory = 16e6
)

func convertCommand() *program.Command {
	var f convertFlags
	f.MaxMemory = convertMemory
	return &program.Command{
		Of: options.Convert, Run: &f.Run, First: []string{"order", "precision", "max-memory", "force", "json"},
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
		Least: 2, Most: math.MaxInt, Takes: "one INPUT or more and an OUTPUT, got %d arguments",
		Do: func(c *program.Call) error {
			last := len(c.Args) - 1
			f.inputs, f.Out = c.Args[:last], c.Args[last]
			return runConvert(c, &f)
		},
	}
}

// check rejects options that contradict each other.
func (f *convertFlags) check() error {
	extension := strings.ToLower(filepath.Ext(f.Out))
	switch {
	case f.MaxMemory < leastConvertMemory:
		return fmt.Errorf("--max-memory %s; choose %s or more", memory.Text(f.MaxMemory), memory.Text(leastConvertMemory))
	case slices.Contains(f.inputs, input.Stdin) && slices.Contains(f.inputs[slices.Index(f.inputs, input.Stdin)+1:], input.Stdin):
		return errors.New("standard input can be read once")
	case f.Out == "" || f.Out == input.Stdin:
		return fmt.Errorf("OUTPUT %q; name a .npy file or a folder", f.Out)
	case !f.dense() && f.byColumns():
		return errors.New("--order columns is for an OUTPUT that ends in .npy; --transpose turns a sparse matrix over")
	case !f.file() && slices.Contains(matio.Extensions(), extension), extension == ".gz":
		return fmt.Errorf("OUTPUT %s; convert writes .npy and %s files, and folders with sparse matrices", f.Out, matio.LibraryExtension)
	case f.library() && len(f.inputs) != 1:
		return fmt.Errorf("OUTPUT %s: a spectral library is made of one INPUT, and there are %d", f.Out, len(f.inputs))
	}
	return nil
}

// byColumns reports whether --order wants columns one after the other.
func (f *convertFlags) byColumns() bool { return f.Order == options.Orders[1] }

// dense reports whether the output is a .npy file.
func (f *convertFlags) dense() bool { return strings.EqualFold(filepath.Ext(f.Out), ".npy") }

// library reports whether the output is a spectral library.
func (f *convertFlags) library() bool {
	return strings.EqualFold(filepath.Ext(f.Out), matio.LibraryExtension)
}

// file reports whether the output is a file and no folder.
func (f *convertFlags) file() bool { return f.dense() || f.library() }

// runConvert is nmu convert.
func runConvert(c *program.Call, f *convertFlags) error {
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
			file, err := in.OpenWith(c.Console, opt)
			if err == nil {
				in.Say(c.Console, file)
				file.AtClose(func() { in.Say(c.Console, file) }) // what is noted while it is read
			}
			return file, err
		}})
	}
	s := convert.Settings{
		Single: f.Precision == "float32", Auto: f.Precision == "", Columns: f.byColumns(),
		Missing: f.WayOfMissing() == options.MissingAllow, Memory: f.MaxMemory, Keep: !f.Force,
	}
	ctx, stop := exit.Interruptible(c.Context)
	defer stop()
	begun := time.Now()
	var sum convert.Summary
	var err error
	switch {
	case f.library():
		sum, err = f.writeLibrary(ctx, c)
	case f.dense():
		sum, err = convert.ToNpy(ctx, f.Out, inputs, s)
	default:
		sum, err = convert.ToCSR(ctx, f.Out, inputs, s)
	}
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
		Schema: "nmu-convert/1", Version: release.Version(), Inputs: f.inputs, Output: f.Out, Sparse: !f.file(), Rows: sum.Rows, Cols: sum.Cols,
		Entries: sum.Entries, Precision: "float64", Bytes: sum.Bytes, Seconds: time.Since(begun).Seconds(),
	}
	if sum.Single {
		rep.Precision = "float32"
	}
	if f.dense() {
		rep.Order = f.Order
	}
	if f.JSON {
		return render.WriteJSON(c.Out, rep)
	}
	return rep.writeLine(c.Out)
}

// checkOutput returns an error if the output cannot be written: if it is one of the inputs or
// within one, or if it exists and may not be replaced.
func (f *convertFlags) checkOutput() error {
	for _, path := range f.inputs {
		in, err := os.Stat(path)
		if err != nil {
			continue // opening it reports the error
		}
		for _, place := range []string{f.Out, filepath.Dir(f.Out)} {
			if out, err := os.Stat(place); err == nil && os.SameFile(in, out) {
				return fmt.Errorf("%s is INPUT %s, or in it", f.Out, path)
			}
		}
	}
	replace := fmt.Errorf("%s is there already; --force replaces it", f.Out)
	info, err := os.Stat(f.Out)
	switch {
	case err != nil && f.file(): // only the folder of a sparse matrix is created
		if above, err := os.Stat(filepath.Dir(f.Out)); err != nil {
			return err
		} else if !above.IsDir() {
			return fmt.Errorf("%s is no folder", filepath.Dir(f.Out))
		}
		return nil
	case err != nil: // if it is not just missing, writing reports the error
		return nil
	case f.file() && info.Mode().IsRegular() && !f.Force:
		return replace
	case f.file() && !info.Mode().IsRegular(), !f.file() && !info.IsDir():
		return fmt.Errorf("%s is there already, and no %s", f.Out, map[bool]string{true: "regular file", false: "folder"}[f.file()])
	case f.file():
		return nil
	}
	list, err := os.ReadDir(f.Out)
	if err != nil {
		return err
	}
	for _, e := range list {
		part := slices.Contains(matio.CSRNames(), e.Name())
		if !strings.HasPrefix(e.Name(), ".") && !part {
			return fmt.Errorf("%s holds %s, which is no part of a sparse matrix; choose another folder", f.Out, e.Name())
		}
		if part && !f.Force {
			return replace
		}
	}
	return nil
}

// writeLine prints a line about the output.
func (r *convertReport) writeLine(w io.Writer) error {
	what := "a column for each spectrum"
	if r.Sparse {
		what = fmt.Sprintf("sparse, %d entries", r.Entries)
	} else if r.Order != "" {
		what = "dense, by " + r.Order
	}
	_, err := fmt.Fprintf(w, "%s  %d x %d, %s, %s, %s in %.3g s\n", render.Printable(r.Output), r.Rows, r.Cols, what, r.Precision, memory.Text(r.Bytes), r.Seconds)
	return err
}
