package input

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// MissingFlags say which entries of the matrix count, and how much.
type MissingFlags struct {
	Mask               string       // a path, or empty, as the next ones
	Weights            string       // at most one of these two
	Uncertainties      string       // standard deviations: the weights are 1/s²
	SkipRows, SkipCols string       // lists
	Empty              bool         // rows and columns need no observed entry, as in a scene
	Own                *matio.Block // what is wanted of the matrix; nil: all
	Kept               *Lines       // the lines of that which count; nil: all
}

// Skips reports whether rows or columns are to be left out.
func (f *MissingFlags) Skips() bool { return f.SkipRows != "" || f.SkipCols != "" }

// Paths returns the paths of the files, of which some may be empty.
func (f *MissingFlags) Paths() []string {
	return []string{f.Mask, f.Weights, f.Uncertainties, f.SkipRows, f.SkipCols}
}

// Weighs reports whether entries have weights.
func (f *MissingFlags) Weighs() bool { return f.Weights != "" || f.Uncertainties != "" }

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
	fs.StringVar(&f.SkipRows, "skip-rows", "", "`FILE` with the rows to leave out: names or numbers, one in a\nline, or a matrix with a number for each row, not 0 to leave out;\nthe header of an ENVI cube stands for its bad bands (bbl)")
	fs.StringVar(&f.SkipCols, "skip-cols", "", "`FILE` with the columns to leave out, as --skip-rows; for a cube\nalso an image of its size")
	fs.StringVar(&f.Weights, "weights", "", "`FILE` with a matrix of the shape of INPUT: the weights, >= 0,\nof the squares of M - V W; an entry of weight 0 is missing")
	fs.StringVar(&f.Uncertainties, "uncertainties", "", "`FILE` with a matrix of the shape of INPUT: the standard deviations\ns > 0 of the entries; their weights are 1/s²")
}

// Read reads the files. They are transposed as the matrix is, brought into the order of its rows
// and columns, and stay within the memory that it leaves. Of what is kept they have the lines alone.
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
		o.Mask = f.Kept.Mask(o.Mask)
		if err := f.check(o, "mask", f.Mask, file); err != nil {
			return o, err
		}
	}
	if f.Skips() {
		if o.Mask, err = f.skip(o.Mask, in.Transpose, file); err != nil {
			return o, err
		}
	}
	if f.Weights != "" && f.Uncertainties != "" {
		return o, errors.New("--weights and --uncertainties both give the weights: choose one of them")
	}
	if f.Weighs() {
		if o.Weights, err = f.readWeights(o.Gaps, in.Transpose, file, own); err != nil {
			return o, fmt.Errorf("--%s: %w", f.weighing(), err)
		}
		o.Weights = f.Kept.Weights(o.Weights)
		o.Zeros = zeros(o.Weights)
		if err := f.check(o, f.weighing(), cmp.Or(f.Weights, f.Uncertainties), file); err != nil {
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

// weighing names the flag of the weights.
func (f *MissingFlags) weighing() string {
	if f.Uncertainties != "" {
		return "uncertainties"
	}
	return "weights"
}

// readWeights reads the weights of a block of the matrix of the file m, or those of the pixels of a
// scene. Where entries may be missing, a weight that is no number is 0. It takes 8 bytes for each and,
// if the file can be read by lines, the memory of a few lines.
func (f *MissingFlags) readWeights(gaps, transposed bool, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	path := cmp.Or(f.Weights, f.Uncertainties)
	opt := matio.Options{Transpose: transposed}
	if gaps {
		opt.Table.Missing = matio.Allow
	}
	file, err := m.OpenBeside(path, opt)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, cols := m.Dims()
	if ofRows, ofCols := file.Dims(); ofRows != rows || ofCols != cols {
		return f.readOther(path, opt, m, own)
	}
	if err := m.Reserve(8*int64(own.Rows())*int64(own.Cols()), "reading it and "+path); err != nil {
		return nil, err
	}
	e, err := newEntries(file, m, own)
	if err != nil {
		return nil, err
	}
	w := lnmu.NewDense[float64](own.Rows(), own.Cols(), nil)
	return w, e.each(func(i, j int, x float64) (err error) {
		w.Row(i)[j], err = f.weight(path, own.I0+i, own.J0+j, x, gaps)
		return err
	})
}

// readOther is readWeights for a file that has another shape than the matrix: it may have a number for
// each pixel, or labels in its first column.
func (f *MissingFlags) readOther(path string, opt matio.Options, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	d, err := readFurther[float64](path, m, opt)
	if err != nil {
		return nil, err
	}
	for i := range d.Rows {
		for j, x := range d.Row(i) {
			if d.Row(i)[j], err = f.weight(path, i, j, x, opt.Table.Missing == matio.Allow); err != nil {
				return nil, err
			}
		}
	}
	rows, cols := m.Dims()
	if d.Rows != rows || d.Cols != cols {
		x, err := newPixels(path, d.Dense, opt.Transpose, m)
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

// weight returns the weight that a number of the file stands for.
func (f *MissingFlags) weight(path string, i, j int, x float64, gaps bool) (float64, error) {
	switch {
	case gaps && x != x:
		return 0, nil
	case f.Uncertainties == "":
		return x, nil
	case !(x > 0):
		return 0, fmt.Errorf("row %d, column %d of %s is %v: an uncertainty is a number above 0; if the entry is missing, leave it empty there too, with --missing allow", i+1, j+1, path, x)
	}
	return 1 / (x * x), nil
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
	case f.Weighs() && (f.Mask == "" || errors.As(err, &bad) && bad.Matrix == "the weights"):
		return fmt.Errorf("--%s %s: %w", f.weighing(), cmp.Or(f.Weights, f.Uncertainties), err)
	case f.Mask != "":
		return fmt.Errorf("--mask %s: %w", f.Mask, err)
	}
	return err
}

// check blames a file for what the library refuses. If rows and columns may be empty, it looks at
// those with an observed entry. Of a part of the matrix it checks nothing: all parts together count.
func (f *MissingFlags) check(o Observed, flag, path string, m *matio.File) error {
	if f.Own != nil {
		return nil
	}
	var l *Lines
	rows, cols := f.Kept.Dims(m.Dims())
	if f.Empty {
		l = LinesOf(rows, cols, o.Mask, o.Weights)
	}
	rows, cols = l.Dims(rows, cols)
	_, err := lnmu.Normalized[float64](lnmu.Observed[float64]{Matrix: lnmu.Unread[float64]{Rows: rows, Cols: cols}, Mask: l.Mask(o.Mask), Weights: l.Weights(o.Weights)})
	if err != nil {
		l.Locate(err)
		f.Kept.Locate(err)
		return fmt.Errorf("--%s %s: %w%s", flag, path, err, unobservedHint(err, m))
	}
	return nil
}
