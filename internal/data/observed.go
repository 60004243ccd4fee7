package data

import (
	"cmp"
	"errors"
	"fmt"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// Request says what is read beside M, the matrix of an open file: which entries count, and how much.
type Request struct {
	*options.Run              // mask, weights or uncertainties, the rows and columns to leave out, and how M is read
	Empty        bool         // rows and columns need no observed entry, as in a scene
	Own          *matio.Block // what is wanted of M; nil: all
	Kept         *Lines       // the lines of that which count; nil: all
}

// Skips reports whether rows or columns are to be left out.
func (r *Request) Skips() bool { return r.SkipRows != "" || r.SkipCols != "" }

// Paths returns the paths of the files, of which some may be empty.
func (r *Request) Paths() []string {
	return []string{r.Mask, r.Weights, r.Uncertainties, r.SkipRows, r.SkipCols}
}

// Weighs reports whether entries have weights.
func (r *Request) Weighs() bool { return r.Weights != "" || r.Uncertainties != "" }

// Observed says which entries of the matrix count, and how much.
type Observed struct {
	Mask    *lnmu.Mask // or nil: all entries
	Weights lnmu.Matrix[float64]
	Zeros   bool // some weights are 0
	Gaps    bool // the entries of the matrix that are no numbers are missing as well
}

// Missing reports whether entries may be missing.
func (o Observed) Missing() bool { return o.Mask != nil || o.Zeros || o.Gaps }

// Read reads the files. They are transposed as the matrix is, brought into the order of its rows
// and columns, and stay within the memory that it leaves. Of what is kept they have the lines alone.
func (r *Request) Read(file *matio.File) (Observed, error) {
	o := Observed{Gaps: r.Missing == options.MissingAllow}
	rows, cols := file.Dims()
	own := matio.Block{I1: rows, J1: cols}
	if r.Own != nil {
		own = *r.Own
	}
	var err error
	if r.Mask != "" {
		if o.Mask, err = readMask(r.Mask, r.Transpose, file, own); err != nil {
			return o, fmt.Errorf("--mask: %w", err)
		}
		o.Mask = r.Kept.Mask(o.Mask)
		if err := r.check(o, "mask", r.Mask, file); err != nil {
			return o, err
		}
	}
	if r.Skips() {
		if o.Mask, err = r.skip(o.Mask, file); err != nil {
			return o, err
		}
	}
	if r.Weights != "" && r.Uncertainties != "" {
		return o, errors.New("--weights and --uncertainties both give the weights: choose one of them")
	}
	if r.Weighs() {
		if o.Weights, err = r.readWeights(o.Gaps, file, own); err != nil {
			return o, fmt.Errorf("--%s: %w", r.weighing(), err)
		}
		o.Weights = r.Kept.Weights(o.Weights)
		o.Zeros = zeros(o.Weights)
		if err := r.check(o, r.weighing(), cmp.Or(r.Weights, r.Uncertainties), file); err != nil {
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
func (r *Request) weighing() string {
	if r.Uncertainties != "" {
		return "uncertainties"
	}
	return "weights"
}

// readWeights reads the weights of a block of the matrix of the file m, or those of the pixels of a
// scene. Where entries may be missing, a weight that is no number is 0. It takes 8 bytes for each and,
// if the file can be read by lines, the memory of a few lines.
func (r *Request) readWeights(gaps bool, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	path := cmp.Or(r.Weights, r.Uncertainties)
	opt := matio.Options{Transpose: r.Transpose}
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
		return r.readOther(path, opt, m, own)
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
		w.Row(i)[j], err = r.weight(path, own.I0+i, own.J0+j, x, gaps)
		return err
	})
}

// readOther is readWeights for a file that has another shape than the matrix: it may have a number for
// each pixel, or labels in its first column.
func (r *Request) readOther(path string, opt matio.Options, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	d, err := readFurther[float64](path, m, opt)
	if err != nil {
		return nil, err
	}
	for i := range d.Rows {
		for j, x := range d.Row(i) {
			if d.Row(i)[j], err = r.weight(path, i, j, x, opt.Table.Missing == matio.Allow); err != nil {
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
func (r *Request) weight(path string, i, j int, x float64, gaps bool) (float64, error) {
	switch {
	case gaps && x != x:
		return 0, nil
	case r.Uncertainties == "":
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

// UnobservedHint returns the name of a row or column without an observed entry, and the flag that leaves it out.
func UnobservedHint(err error, file *matio.File) string {
	var empty *lnmu.UnobservedError
	if !errors.As(err, &empty) {
		return ""
	}
	names, name := file.RowNames(), ""
	if empty.Line == "column" {
		names = file.ColNames()
	}
	if empty.At < len(names) {
		name = fmt.Sprintf(" (%s %q)", empty.Line, names[empty.At])
	}
	return fmt.Sprintf("%s, or leave it out with --skip-%.3ss FILE", name, empty.Line)
}

// Blame names the file of a mask, or of weights, in an error about the entries of all parts.
func (r *Request) Blame(err error) error {
	bad := (*lnmu.ValueError)(nil)
	switch {
	case r.Own == nil || !errors.Is(err, lnmu.ErrValue):
		return err
	case r.Weighs() && (r.Mask == "" || errors.As(err, &bad) && bad.Matrix == "the weights"):
		return fmt.Errorf("--%s %s: %w", r.weighing(), cmp.Or(r.Weights, r.Uncertainties), err)
	case r.Mask != "":
		return fmt.Errorf("--mask %s: %w", r.Mask, err)
	}
	return err
}

// check blames a file for what the library refuses. If rows and columns may be empty, it looks at
// those with an observed entry. Of a part of the matrix it checks nothing: all parts together count.
func (r *Request) check(o Observed, flag, path string, m *matio.File) error {
	if r.Own != nil {
		return nil
	}
	var l *Lines
	rows, cols := r.Kept.Dims(m.Dims())
	if r.Empty {
		l = LinesOf(rows, cols, o.Mask, o.Weights)
	}
	rows, cols = l.Dims(rows, cols)
	_, err := lnmu.Normalized[float64](lnmu.Observed[float64]{Matrix: lnmu.Unread[float64]{Rows: rows, Cols: cols}, Mask: l.Mask(o.Mask), Weights: l.Weights(o.Weights)})
	if err != nil {
		l.Locate(err)
		r.Kept.Locate(err)
		return fmt.Errorf("--%s %s: %w%s", flag, path, err, UnobservedHint(err, m))
	}
	return nil
}
