package data

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// Request says what is read beside M, the matrix of an open file: which entries count, and how much.
type Request struct {
	*options.Run                                 // mask, weights or uncertainties, the rows and columns to leave out, and how M is read
	Given        map[string]lnmu.Matrix[float64] // the matrices of these settings that are in memory, by name
	Empty        bool                            // rows and columns need no observed entry
	Own          *matio.Block                    // what is wanted of M; nil: all
	Kept         *Lines                          // the lines of that which count; nil: all
}

// Has reports whether there is a matrix of a setting, in memory or in a file.
func (r *Request) Has(setting string) bool { return r.path(setting) != "" || r.Given[setting] != nil }

// path returns the path that a setting gives, or "".
func (r *Request) path(setting string) string {
	return map[string]string{"mask": r.Mask, "weights": r.Weights, "uncertainties": r.Uncertainties, "skip-rows": r.SkipRows, "skip-cols": r.SkipCols}[setting]
}

// Paths returns the paths of the files, of which some may be empty.
func (r *Request) Paths() []string {
	return []string{r.Mask, r.Weights, r.Uncertainties, r.SkipRows, r.SkipCols}
}

// Weighs reports whether entries have weights.
func (r *Request) Weighs() bool { return r.Has("weights") || r.Has("uncertainties") }

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
	o := Observed{Gaps: r.WayOfMissing() == options.MissingAllow}
	rows, cols := file.Dims()
	own := matio.Block{I1: rows, J1: cols}
	if r.Own != nil {
		own = *r.Own
	}
	var err error
	if r.Has("mask") {
		if o.Mask, err = r.readMask(file, own); err != nil {
			return o, fmt.Errorf("%s: %w", file.Setting("mask", ""), err)
		}
		o.Mask = r.Kept.Mask(o.Mask)
		if err := r.check(o, "mask", file); err != nil {
			return o, err
		}
	}
	if r.Skips() {
		if o.Mask, err = r.skip(o.Mask, file); err != nil {
			return o, err
		}
	}
	if r.Has("weights") && r.Has("uncertainties") {
		return o, fmt.Errorf("%s and %s both give the weights: choose one of them", file.Setting("weights", ""), file.Setting("uncertainties", ""))
	}
	if r.Weighs() {
		if o.Weights, err = r.readWeights(o.Gaps, file, own); err != nil {
			return o, fmt.Errorf("%s: %w", file.Setting(r.weighing(), ""), err)
		}
		o.Weights = r.Kept.Weights(o.Weights)
		o.Zeros = zeros(o.Weights)
		if err := r.check(o, r.weighing(), file); err != nil {
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

// weighing names the setting of the weights.
func (r *Request) weighing() string {
	if r.Has("uncertainties") {
		return "uncertainties"
	}
	return "weights"
}

// target takes the numbers of a setting that has one for each entry of M.
type target struct {
	bytes int64                                                   // that it keeps
	begin func()                                                  // takes the memory
	gaps  bool                                                    // a number may be missing
	value func(path string, i, j int, x float64) (float64, error) // what a number stands for
	set   func(i, j int, x float64)                               // sets an entry of the block
}

// fill sets the entries of a block of M to the numbers of a setting: those of a matrix in memory, or of a file, which is
// transposed as M is. Of a file of the shape of M that can be read by lines it takes the memory of a few lines. Of another
// file it returns the block of the matrix that it stands for instead: it may have a number for each pixel, or labels in its
// first column.
func (r *Request) fill(setting string, to target, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	path, given := r.path(setting), r.Given[setting]
	set := func(i, j int, x float64) error {
		x, err := to.value(path, own.I0+i, own.J0+j, x)
		if err == nil {
			to.set(i, j, x)
		}
		return err
	}
	if given != nil {
		path = "the matrix"
		if err := cmp.Or(sized(given, setting, m), m.Reserve(to.bytes, "keeping its "+setting)); err != nil {
			return nil, err
		}
		to.begin()
		for i := range own.Rows() {
			for j := range own.Cols() {
				if err := set(i, j, given.At(own.I0+i, own.J0+j)); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	}
	opt := matio.Options{Transpose: r.Transpose, Alike: true}
	if to.gaps {
		opt.Table.Missing, opt.Codes = matio.Allow, r.Codes()
	}
	file, err := m.OpenBeside(path, opt)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, cols := m.Dims()
	if ofRows, ofCols := file.Dims(); ofRows != rows || ofCols != cols {
		return other(path, opt, to, m, own)
	}
	if err := m.Reserve(to.bytes, "reading it and "+path); err != nil {
		return nil, err
	}
	to.begin()
	e, err := newEntries(file, m, own)
	if err != nil {
		return nil, err
	}
	return nil, e.each(set)
}

// other returns the block of the matrix that a file of another shape than M stands for.
func other(path string, opt matio.Options, to target, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	d, err := ReadFurther[float64](path, m, opt)
	if err != nil {
		return nil, err
	}
	for i := range d.Rows {
		for j, x := range d.Row(i) {
			if d.Row(i)[j], err = to.value(path, i, j, x); err != nil {
				return nil, err
			}
		}
	}
	rows, cols := m.Dims()
	if d.Rows != rows || d.Cols != cols {
		return newPixels(path, d.Dense, opt.Transpose, m, own)
	}
	if err := d.matchEntries(m); err != nil {
		return nil, err
	}
	return d.Slice(own.I0, own.I1, own.J0, own.J1), nil
}

// readMask reads a block of the mask of M. It takes a bit for each entry.
func (r *Request) readMask(m *matio.File, own matio.Block) (mask *lnmu.Mask, err error) {
	to := target{bytes: MaskBytes(own.Rows(), own.Cols())}
	to.begin = func() { mask = lnmu.NewMask(own.Rows(), own.Cols()) }
	to.set = func(i, j int, x float64) { mask.Set(i, j, x != 0) }
	to.value = func(path string, i, j int, x float64) (float64, error) {
		if x != x {
			return 0, fmt.Errorf("row %d, column %d of %s is no number; choose 0 for missing, 1 for observed", i+1, j+1, path)
		}
		return x, nil
	}
	like, err := r.fill("mask", to, m, own)
	if err != nil || like == nil {
		return mask, err
	}
	if err := m.Reserve(to.bytes, "keeping its mask"); err != nil {
		return nil, err
	}
	to.begin()
	for i := range own.Rows() {
		for j := range own.Cols() {
			to.set(i, j, like.At(i, j))
		}
	}
	return mask, nil
}

// MaskBytes returns the memory of a mask.
func MaskBytes(rows, cols int) int64 { return int64(rows) * (int64(cols) + 7) / 8 }

// readWeights reads the weights of a block of M, or those of the pixels of a scene. Where entries may be missing, a weight
// that is no number is 0. It takes 8 bytes for each. A matrix in memory stays there if it holds weights and entries cannot
// be missing.
func (r *Request) readWeights(gaps bool, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
	if given := r.Given["weights"]; given != nil && !gaps {
		return given, sized(given, "weights", m)
	}
	var w lnmu.Dense[float64]
	to := target{bytes: 8 * int64(own.Rows()) * int64(own.Cols()), gaps: gaps}
	to.begin = func() { w = lnmu.NewDense[float64](own.Rows(), own.Cols(), nil) }
	to.set = func(i, j int, x float64) { w.Row(i)[j] = x }
	to.value = func(path string, i, j int, x float64) (float64, error) {
		switch {
		case gaps && x != x:
			return 0, nil
		case !r.Has("uncertainties"):
			return x, nil
		case !(x > 0):
			return 0, fmt.Errorf("row %d, column %d of %s is %v: an uncertainty is a number above 0; if the entry is missing, leave it empty there too, with %s", i+1, j+1, path, x, m.Setting("missing", options.MissingAllow))
		}
		return 1 / (x * x), nil
	}
	if like, err := r.fill(r.weighing(), to, m, own); err != nil || like != nil {
		return like, err
	}
	return w, nil
}

// sized refuses a matrix in memory that has not the size of M. The error wraps lnmu.ErrShape.
func sized(given lnmu.Matrix[float64], name string, m *matio.File) error {
	rows, cols := given.Dims()
	ofRows, ofCols := m.Dims()
	if rows == ofRows && cols == ofCols {
		return nil
	}
	if name != "mask" {
		name = "matrix of " + name
	}
	return kindError{fmt.Errorf("the %s is %d x %d and M is %d x %d; they must be the same", name, rows, cols, ofRows, ofCols), lnmu.ErrShape}
}

// kindError is an error of a kind, for errors.Is, whose text does not say so again.
type kindError struct {
	error
	kind error
}

// Is implements errors.Is.
func (e kindError) Is(target error) bool { return target == e.kind }

// pixels is a block of a matrix that has a number for each pixel of a scene, the same in all bands.
type pixels struct {
	lnmu.Dense[float64] // the image, or its numbers in one row or column
	own                 matio.Block
	byRows              bool // the pixels are the rows of the matrix
}

// newPixels returns a block of a matrix like that of the file m, for a file that has a number for each pixel
// of the scene: an image of its height and width, or one band. Other files are an error.
func newPixels(path string, d lnmu.Dense[float64], transposed bool, m *matio.File, own matio.Block) (lnmu.Matrix[float64], error) {
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
		return nil, kindError{fmt.Errorf("%s is %d x %d and the matrix is %d x %d; they must be the same%s", path, d.Rows, d.Cols, rows, cols, also), lnmu.ErrShape}
	}
	return &pixels{d, own, transposed}, nil
}

// Dims returns the size of the block.
func (x *pixels) Dims() (rows, cols int) { return x.own.Rows(), x.own.Cols() }

// At returns entry (i, j) of the block.
func (x *pixels) At(i, j int) float64 {
	pixel := x.own.J0 + j
	if x.byRows {
		pixel = x.own.I0 + i
	}
	return x.Dense.At(pixel/x.Dense.Cols, pixel%x.Dense.Cols)
}

// UnobservedHint returns the name of a row or column without an observed entry, and the setting that leaves it out.
func UnobservedHint(err error, file *matio.File) string {
	var bad *lnmu.ValueError
	if !errors.As(err, &bad) || bad.Row >= 0 && bad.Col >= 0 {
		return ""
	}
	line, at, names, skip := "row", bad.Row, file.RowNames(), "skip-rows"
	if at < 0 {
		line, at, names, skip = "column", bad.Col, file.ColNames(), "skip-cols"
	}
	name := ""
	if at < len(names) {
		name = fmt.Sprintf(" (%s %q)", line, names[at])
	}
	return fmt.Sprintf("%s, or leave it out with %s", name, file.Setting(skip, "FILE"))
}

// usualCodes are numbers that often stand for missing entries.
var usualCodes = []float64{-9, -99, -999, -9999, -99999}

// likelyCodes returns the indexes of the usualCodes in t that are below twice the least other number. It counts the others
// as negative numbers.
func likelyCodes(t *matio.Tally) (codes []int) {
	for k, x := range usualCodes {
		switch n := t.Of(k); {
		case n > 0 && x < 2*t.Least:
			codes = append(codes, k)
		case n > 0:
			t.Negative, t.Least = t.Negative+n, min(t.Least, x)
		}
	}
	return codes
}

// ValueHint returns what helps where an entry of M is NaN or negative. For that it reads M once more, in the file m.
func ValueHint(bad *lnmu.ValueError, m *matio.File) string {
	switch {
	case bad == nil || bad.Matrix != "M" || math.IsInf(bad.Value, 0) || bad.Value >= 0:
		return ""
	case math.IsNaN(bad.Value):
		hint := fmt.Sprintf("; %s takes NaN as a missing entry", m.Setting("missing", options.MissingAllow))
		if m.Sparse() {
			hint += " of a dense matrix, which " + m.Setting("dense", "") + " makes"
		}
		return hint
	}
	t := &matio.Tally{Codes: usualCodes}
	if err := m.Tally(t); err != nil {
		return "; shift or clip the data"
	}
	var hint strings.Builder
	for _, k := range likelyCodes(t) {
		code := strconv.FormatFloat(usualCodes[k], 'f', -1, 64)
		fmt.Fprintf(&hint, "; M has %s of %s, which looks like a code for a missing value: %s", plural(t.Of(k)), code, m.Setting("missing-value", code))
	}
	if t.Negative > 0 {
		fmt.Fprintf(&hint, "; M has %s below 0, the least is %.4g and the largest of all %.4g: %s makes them 0, %s takes them as missing",
			plural(t.Negative), t.Least, t.Largest, m.Setting("negative", string(matio.NegativeClip)), m.Setting("negative", string(matio.NegativeMissing)))
		if same := (&matio.Tally{Codes: []float64{t.Least}}); t.Negative > 1 && m.Tally(same) == nil && same.Of(0) == t.Negative {
			fmt.Fprintf(&hint, "; these are equal, as a code for a missing value is: %s", m.Setting("missing-value", strconv.FormatFloat(t.Least, 'f', -1, 64)))
		}
	}
	return hint.String()
}

// plural returns a number of entries.
func plural(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// Blame names the file of a mask, or of weights, in an error about the entries of all parts.
func (s *Selection) Blame(err error) error {
	bad, r := (*lnmu.ValueError)(nil), s.request
	switch {
	case s.parts == nil || !errors.Is(err, lnmu.ErrValue):
		return err
	case r.Weighs() && (!r.Has("mask") || errors.As(err, &bad) && bad.Matrix == "the weights"):
		return fmt.Errorf("%s: %w", s.file.Setting(r.weighing(), r.path(r.weighing())), err)
	case r.Has("mask"):
		return fmt.Errorf("%s: %w", s.file.Setting("mask", r.Mask), err)
	}
	return err
}

// check blames a setting for what the library refuses. If rows and columns may be empty, it looks at
// those with an observed entry. Of a part of the matrix it checks nothing: all parts together count.
func (r *Request) check(o Observed, setting string, m *matio.File) error {
	if r.Own != nil {
		return nil
	}
	var l *Lines
	rows, cols := r.Kept.Dims(m.Dims())
	if r.Empty {
		l = linesOf(rows, cols, o.Mask, o.Weights)
	}
	rows, cols = l.Dims(rows, cols)
	_, err := lnmu.Observed[float64]{Matrix: lnmu.Unread[float64]{Rows: rows, Cols: cols}, Mask: l.Mask(o.Mask), Weights: l.Weights(o.Weights)}.Normalized()
	if err != nil {
		l.Locate(err)
		r.Kept.Locate(err)
		return fmt.Errorf("%s: %w%s", m.Setting(setting, r.path(setting)), err, UnobservedHint(err, m))
	}
	return nil
}
