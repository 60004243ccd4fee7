package input

import (
	"fmt"

	"github.com/spf13/pflag"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// MissingFlags say which entries of the matrix count, and how much.
type MissingFlags struct {
	Mask, Weights      string // paths, or empty
	SkipRows, SkipCols string // paths of lists, or empty
	Empty              bool   // rows and columns need no observed entry, as in a scene
}

// Skips reports whether rows or columns are to be left out.
func (f *MissingFlags) Skips() bool { return f.SkipRows != "" || f.SkipCols != "" }

// Observed says which entries of the matrix count, and how much.
type Observed struct {
	Mask    *lnmu.Mask // or nil: all entries
	Weights lnmu.Matrix[float64]
	Gaps    bool // the entries of the matrix that are no numbers are missing as well
}

// Add adds the flags.
func (f *MissingFlags) Add(fs *pflag.FlagSet) {
	fs.StringVar(&f.Mask, "mask", "", "`FILE` with a matrix of the shape of INPUT, or for a cube with\nan image of its size; 0 marks a missing entry or pixel")
	fs.StringVar(&f.SkipRows, "skip-rows", "", "`FILE` with the rows to leave out: names or numbers, one in a\nline, or a matrix with a number for each row, not 0 to leave out")
	fs.StringVar(&f.SkipCols, "skip-cols", "", "`FILE` with the columns to leave out, as --skip-rows; for a cube\nalso an image of its size")
	fs.StringVar(&f.Weights, "weights", "", "`FILE` with a matrix of the shape of INPUT: the weights, >= 0,\nof the squares of M - V W; an entry of weight 0 is missing")
}

// Read reads the files. They are transposed as the matrix is, brought into the order of its rows
// and columns, and stay within the memory that it leaves.
func (f *MissingFlags) Read(in *Matrix, file *matio.File) (Observed, error) {
	o := Observed{Gaps: in.Missing == string(matio.Allow)}
	rows, cols := file.Dims()
	var err error
	if f.Mask != "" {
		if o.Mask, err = readMask(f.Mask, in.Transpose, file); err != nil {
			return o, fmt.Errorf("--mask: %w", err)
		}
		if err := o.check("mask", f.Mask, rows, cols, f.Empty); err != nil {
			return o, err
		}
	}
	if f.Skips() {
		if o.Mask, err = f.skip(o.Mask, in.Transpose, file); err != nil {
			return o, err
		}
	}
	if f.Weights != "" {
		if o.Weights, err = readWeights(f.Weights, in.Transpose, file); err != nil {
			return o, fmt.Errorf("--weights: %w", err)
		}
		if err := o.check("weights", f.Weights, rows, cols, f.Empty); err != nil {
			return o, err
		}
	}
	return o, nil
}

// readWeights reads the weights of the matrix of the file m: all of them, or those of the pixels
// of a scene.
func readWeights(path string, transposed bool, m *matio.File) (lnmu.Matrix[float64], error) {
	d, err := readFurther[float64](path, m, transposed)
	if err != nil {
		return nil, err
	}
	if rows, cols := m.Dims(); d.Rows != rows || d.Cols != cols {
		return newPixels(path, d.Dense, transposed, m)
	}
	return d.Dense, d.matchEntries(m)
}

// pixels is a matrix that has a number for each pixel of a scene, the same in all bands.
type pixels struct {
	lnmu.Dense[float64]      // the image, or its numbers in one row or column
	rows, cols          int  // of the matrix
	byRows              bool // the pixels are its rows
}

// newPixels returns a matrix like that of the file m, for a file that has a number for each pixel
// of the scene: an image of its height and width, or one band. Other files are an error.
func newPixels(path string, d lnmu.Dense[float64], transposed bool, m *matio.File) (*pixels, error) {
	rows, cols := m.Dims()
	h, w, scene := m.MapSize()
	if transposed {
		d = d.Transposed()
	}
	image := d.Rows == h && d.Cols == w
	if band := d.Rows == 1 && d.Cols == h*w || d.Cols == 1 && d.Rows == h*w; !scene || !image && !band {
		also := ""
		if scene {
			also = fmt.Sprintf(", or the size of the scene, %d x %d", h, w)
		}
		return nil, fmt.Errorf("%s is %d x %d and the matrix is %d x %d; they must be the same%s", path, d.Rows, d.Cols, rows, cols, also)
	}
	return &pixels{d, rows, cols, transposed}, nil
}

// Dims returns the size of the matrix.
func (x *pixels) Dims() (rows, cols int) { return x.rows, x.cols }

// At returns entry (i, j) of the matrix.
func (x *pixels) At(i, j int) float64 {
	pixel := j
	if x.byRows {
		pixel = i
	}
	return x.Dense.At(pixel/x.Dense.Cols, pixel%x.Dense.Cols)
}

// check blames a file for what the library refuses. If rows and columns may be empty, it looks at
// those with an observed entry.
func (o Observed) check(flag, path string, rows, cols int, empty bool) error {
	var l *Lines
	if empty {
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
