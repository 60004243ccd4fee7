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
	Scene         bool   // the matrix is a scene, whose rows and columns need no observed entry
}

// Observed says which entries of the matrix count, and how much.
type Observed struct {
	Mask    *lnmu.Mask // or nil: all entries
	Weights lnmu.Matrix[float64]
	Gaps    bool // the entries of the matrix that are no numbers are missing as well
}

// Add adds the flags.
func (f *MissingFlags) Add(fs *pflag.FlagSet) {
	fs.StringVar(&f.Mask, "mask", "", "`FILE` with a matrix of the shape of INPUT, or for a cube with\nan image of its size; 0 marks a missing entry or pixel")
	fs.StringVar(&f.Weights, "weights", "", "`FILE` with a matrix of the shape of INPUT: the weights, >= 0,\nof the squares of M - V W; an entry of weight 0 is missing")
}

// Read reads the files. They are transposed as the matrix is, brought into the order of its rows
// and columns, and stay within the memory that it leaves.
func (f *MissingFlags) Read(in *Matrix, file *matio.File) (Observed, error) {
	o := Observed{Gaps: in.Missing == string(matio.Allow)}
	rows, cols := file.Dims()
	read := func(flag, path string) (lnmu.Dense[float64], error) {
		d, err := readFurther[float64](path, file, in.Transpose)
		if err == nil && (d.Rows != rows || d.Cols != cols) {
			d.Dense, err = ofPixels(path, d.Dense, in.Transpose, file)
		} else if err == nil {
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
		if err := o.check("mask", f.Mask, rows, cols, f.Scene); err != nil {
			return o, err
		}
	}
	if f.Weights != "" {
		d, err := read("weights", f.Weights)
		if err != nil {
			return o, err
		}
		o.Weights = d
		if err := o.check("weights", f.Weights, rows, cols, f.Scene); err != nil {
			return o, err
		}
	}
	return o, nil
}

// ofPixels returns the matrix for a file that has a number for each pixel of a scene: an image
// of its height and width, or one band. Each pixel has its number in all bands. Other files are
// an error.
func ofPixels(path string, d lnmu.Dense[float64], transposed bool, file *matio.File) (lnmu.Dense[float64], error) {
	rows, cols := file.Dims()
	h, w, scene := file.MapSize()
	if transposed {
		d = d.Transposed()
	}
	image := d.Rows == h && d.Cols == w
	if band := d.Rows == 1 && d.Cols == h*w || d.Cols == 1 && d.Rows == h*w; !scene || !image && !band {
		also := ""
		if scene {
			also = fmt.Sprintf(", or the size of the scene, %d x %d", h, w)
		}
		return d, fmt.Errorf("%s is %d x %d and the matrix is %d x %d; they must be the same%s", path, d.Rows, d.Cols, rows, cols, also)
	}
	if err := file.Reserve(8*int64(rows)*int64(cols), "reading it and "+path); err != nil { // fits, as the matrix does
		return d, err
	}
	all := lnmu.NewDense[float64](rows, cols, nil)
	for i := range rows {
		row := all.Row(i)
		for j := range row {
			pixel := j
			if transposed {
				pixel = i
			}
			row[j] = d.At(pixel/d.Cols, pixel%d.Cols)
		}
	}
	return all, nil
}

// check blames a file for what the library refuses. Of a scene it looks at the rows and columns
// with an observed entry.
func (o Observed) check(flag, path string, rows, cols int, scene bool) error {
	var l *Lines
	if scene {
		l = LinesOf(rows, cols, o.Mask, o.Weights)
	}
	rows, cols = l.Dims(rows, cols)
	_, err := lnmu.Observed[float64]{Matrix: lnmu.Dense[float64]{Rows: rows, Cols: cols}, Mask: l.Mask(o.Mask), Weights: l.Weights(o.Weights)}.Normalized()
	if err != nil {
		l.Place(err)
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}
