package input

import (
	"fmt"

	"github.com/spf13/pflag"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// MissingFlags say which entries of the matrix count, and how much.
type MissingFlags struct {
	Mask, Weights string // paths, or empty
}

// Observed says which entries of the matrix count, and how much.
type Observed struct {
	Mask    *lnmu.Mask // or nil: all entries
	Weights lnmu.Matrix[float64]
	Gaps    bool // the entries of the matrix that are no numbers are missing as well
}

// Add adds the flags.
func (f *MissingFlags) Add(fs *pflag.FlagSet) {
	f.AddMask(fs)
	fs.StringVar(&f.Weights, "weights", "", "`FILE` with a matrix of the shape of INPUT: the weights, >= 0,\nof the squares of M - V W; an entry of weight 0 is missing")
}

// AddMask adds the flag for a mask alone.
func (f *MissingFlags) AddMask(fs *pflag.FlagSet) {
	fs.StringVar(&f.Mask, "mask", "", "`FILE` with a matrix of the shape of INPUT; 0 marks a missing\nentry")
}

// Read reads the files. They are transposed as the matrix is, brought into the order of its rows
// and columns, and stay within the memory that it leaves.
func (f *MissingFlags) Read(in *Matrix, file *matio.File) (Observed, error) {
	o := Observed{Gaps: in.Missing == string(matio.Allow)}
	rows, cols := file.Dims()
	read := func(flag, path string) (lnmu.Dense[float64], error) {
		d, err := readFurther[float64](path, file, in.Transpose)
		if err == nil && (d.Rows != rows || d.Cols != cols) {
			err = fmt.Errorf("%s is %d x %d and the matrix is %d x %d; they must be the same", path, d.Rows, d.Cols, rows, cols)
		}
		if err == nil {
			err = d.matchEntries(file)
		}
		if err != nil {
			err = fmt.Errorf("--%s: %w", flag, err)
		}
		return d.Dense, err
	}
	if f.Mask != "" {
		d, err := read("mask", f.Mask)
		if err != nil {
			return o, err
		}
		o.Mask = lnmu.NewMask(rows, cols)
		for i := range rows {
			for j, x := range d.Row(i) {
				if x != x {
					return o, fmt.Errorf("--mask: row %d, column %d of %s is no number; choose 0 for missing, 1 for observed", i+1, j+1, f.Mask)
				}
				o.Mask.Set(i, j, x != 0)
			}
		}
		if err := o.check("mask", f.Mask, rows, cols); err != nil {
			return o, err
		}
	}
	if f.Weights != "" {
		d, err := read("weights", f.Weights)
		if err != nil {
			return o, err
		}
		o.Weights = d
		if err := o.check("weights", f.Weights, rows, cols); err != nil {
			return o, err
		}
	}
	return o, nil
}

// check blames a file for what the library refuses.
func (o Observed) check(flag, path string, rows, cols int) error {
	_, err := lnmu.Observed[float64]{Matrix: lnmu.Dense[float64]{Rows: rows, Cols: cols}, Mask: o.Mask, Weights: o.Weights}.Normalized()
	if err != nil {
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}
