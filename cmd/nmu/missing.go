package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// missingFlags say which entries of the matrix count, and how much.
type missingFlags struct {
	mask, weights string
}

// observed is what the flags come to. Gaps says that more may be missing, which the
// matrix itself shows: its entries that are no numbers.
type observed struct {
	mask    *lnmu.Mask
	weights lnmu.Matrix[float64]
	gaps    bool
}

func (f *missingFlags) add(fs *pflag.FlagSet) {
	f.addMask(fs)
	fs.StringVar(&f.weights, "weights", "", "`FILE` with a matrix of the shape of INPUT: the weights, >= 0,\nof the squares of M - V W; 0 is as missing")
}

// addMask adds the flag for a mask alone.
func (f *missingFlags) addMask(fs *pflag.FlagSet) {
	fs.StringVar(&f.mask, "mask", "", "`FILE` with a matrix of the shape of INPUT: an entry of INPUT\nis missing where it holds 0, whatever INPUT holds there")
}

// read reads the files. They are transposed as the matrix is, and stay within the
// memory that it leaves.
func (f *missingFlags) read(in *input, file *matio.File) (observed, error) {
	o := observed{gaps: in.missing == string(matio.Allow)}
	rows, cols := file.Dims()
	read := func(flag, path string) (lnmu.Dense[float64], error) {
		d, err := givenMatrix[float64](path, file, in.transpose)
		if err != nil {
			return d, fmt.Errorf("--%s: %w", flag, err)
		}
		if d.Rows != rows || d.Cols != cols {
			return d, fmt.Errorf("--%s: %s is %d x %d and the matrix is %d x %d; they must be the same", flag, path, d.Rows, d.Cols, rows, cols)
		}
		return d, nil
	}
	if f.mask != "" {
		d, err := read("mask", f.mask)
		if err != nil {
			return o, err
		}
		o.mask = lnmu.NewMask(rows, cols)
		for i := range rows {
			for j, x := range d.Row(i) {
				if x != x {
					return o, fmt.Errorf("--mask: row %d, column %d of %s is no number; choose 0 for missing, 1 for observed", i+1, j+1, f.mask)
				}
				o.mask.Set(i, j, x != 0)
			}
		}
		if err := o.check("mask", f.mask, rows, cols); err != nil {
			return o, err
		}
	}
	if f.weights != "" {
		d, err := read("weights", f.weights)
		if err != nil {
			return o, err
		}
		o.weights = d
		if err := o.check("weights", f.weights, rows, cols); err != nil {
			return o, err
		}
	}
	return o, nil
}

// check blames a file for what the library refuses.
func (o observed) check(flag, path string, rows, cols int) error {
	_, _, err := lnmu.WithDefaults(rows, cols, 1, lnmu.NMF{}, &lnmu.Settings{Observed: o.mask, Weights: o.weights})
	if err != nil {
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}
