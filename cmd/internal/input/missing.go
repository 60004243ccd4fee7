package input

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// MissingFlags say which entries of the matrix count, and how much.
type MissingFlags struct {
	Mask, Weights      string       // paths, or empty
	SkipRows, SkipCols string       // paths of lists, or empty
	Empty              bool         // rows and columns need no observed entry, as in a scene
	Own                *matio.Block // what is wanted of the matrix; nil: all
}

// Skips reports whether rows or columns are to be left out.
func (f *MissingFlags) Skips() bool { return f.SkipRows != "" || f.SkipCols != "" }

// Observed says which entries of the matrix count, and how much.
type Observed struct {
	Mask    *lnmu.Mask // or nil: all entries
	Weights lnmu.Matrix[float64]
	Zeros   bool // some weights are 0
	Gaps    bool // the entries of the matrix that are no numbers are missing as well
}

// Missing reports whether entries may be missing.
func (o Observed) Missing() bool { return o.Mask != nil || o.Zeros || o.Gaps }

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
	own := matio.Block{I1: rows, J1: cols}
	if f.Own != nil {
		own = *f.Own
	}
	var err error
	if f.Mask != "" {
		if o.Mask, err = readMask(f.Mask, in.Transpose, file, own); err != nil {
			return o, fmt.Errorf("--mask: %w", err)
		}
		if err := f.check(o, "mask", f.Mask, rows, cols); err != nil {
			return o, err
		}
	}
	if f.Skips() {
		if o.Mask, err = f.skip(o.Mask, in.Transpose, file); err != nil {
			return o, err
		}
	}
	if f.Weights != "" {
		if o.Weights, err = readWeights(f.Weights, in.Transpose, file, own); err != nil {
			return o, fmt.Errorf("--weights: %w", err)
		}
		o.Zeros = zeros(o.Weights)
		if err := f.check(o, "weights", f.Weights, rows, cols); err != nil {
			return o, err
		}
	}
	return o, nil
}

// zeros reports whether some weights are 0.
func zeros(weights lnmu.Matrix[float64]) bool {
	rows, cols := weights.Dims()
	for i := range rows {
		for j := range cols {
			if weights.At(i, j) == 0 {
				return true
			}
		}
	}
	return false
}

// readWeights reads the weights of a block of the matrix of the file m, or those of the pixels of a
// scene. It takes 8 bytes for each and, if the file can be read by lines, the memory of a few lines.
func readWeights(path string, transposed bool, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	file, err := openFurther(path, m, transposed)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, cols := m.Dims()
	if ofRows, ofCols := file.Dims(); ofRows != rows || ofCols != cols {
		return readOther(path, transposed, m, own)
	}
	if err := m.Reserve(8*int64(own.Rows())*int64(own.Cols()), "reading it and "+path); err != nil {
		return nil, err
	}
	e, err := newEntries(file, m, own)
	if err != nil {
		return nil, err
	}
	w := lnmu.NewDense[float64](own.Rows(), own.Cols(), nil)
	return w, e.each(func(i, j int, x float64) error {
		w.Row(i)[j] = x
		return nil
	})
}

// readOther is readWeights for a file that has another shape than the matrix: it may have a number for
// each pixel, or labels in its first column.
func readOther(path string, transposed bool, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	d, err := readFurther[float64](path, m, transposed)
	if err != nil {
		return nil, err
	}
	rows, cols := m.Dims()
	if d.Rows != rows || d.Cols != cols {
		x, err := newPixels(path, d.Dense, transposed, m)
		if err != nil || own == (matio.Block{I1: rows, J1: cols}) {
			return x, err
		}
		return window{x, own}, nil
	}
	if err := d.matchEntries(m); err != nil {
		return nil, err
	}
	return d.Slice(own.I0, own.I1, own.J0, own.J1), nil
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

// Blame names the file of a mask, or of weights, in an error about the entries of all parts.
func (f *MissingFlags) Blame(err error) error {
	bad := (*lnmu.ValueError)(nil)
	switch {
	case f.Own == nil || !errors.Is(err, lnmu.ErrValue):
		return err
	case f.Weights != "" && (f.Mask == "" || errors.As(err, &bad) && bad.Matrix == "the weights"):
		return fmt.Errorf("--weights %s: %w", f.Weights, err)
	case f.Mask != "":
		return fmt.Errorf("--mask %s: %w", f.Mask, err)
	}
	return err
}

// check blames a file for what the library refuses. If rows and columns may be empty, it looks at
// those with an observed entry. Of a part of the matrix it checks nothing: all parts together count.
func (f *MissingFlags) check(o Observed, flag, path string, rows, cols int) error {
	if f.Own != nil {
		return nil
	}
	var l *Lines
	if f.Empty {
		l = LinesOf(rows, cols, o.Mask, o.Weights)
	}
	rows, cols = l.Dims(rows, cols)
	_, err := lnmu.Observed[float64]{Matrix: lnmu.Dense[float64]{Rows: rows, Cols: cols}, Mask: l.Mask(o.Mask), Weights: l.Weights(o.Weights)}.Normalized()
	if err != nil {
		l.Locate(err)
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}
