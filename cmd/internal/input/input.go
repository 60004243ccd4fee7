package input

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nmu/cmd/internal/message"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Matrix is the matrix of a command line: INPUT and the flags that say how to read it.
type Matrix struct {
	Path string
	options.Run
	InUse int64 // bytes of MaxMemory that the command has taken already

	context context.Context // of Limit; nil for none
	opened  *matio.File     // or nil
	said    []string        // notes, and the names of files
}

// Standard input: the path that stands for it, and its name in messages.
const (
	Stdin      = "-"
	streamName = "standard input"
)

// Help describes an INPUT.
func Help() string {
	var formats []string
	for _, f := range matio.FileFormats() {
		formats = append(formats, strings.ReplaceAll(f.String(), " ", "\x00")) // so that each is whole
	}
	files := render.Wrap("a file: "+strings.Join(formats, ", ")+";", helpWidth-4)
	return "INPUT is one of\n  " + strings.NewReplacer("\n", "\n    ", "\x00", " ").Replace(files) + `
  a folder of .npy files of equal width, stacked in the order of their names;
  a folder with a sparse matrix from nmu convert;
  a folder of Cell Ranger: matrix.mtx, features or genes, barcodes, also .gz;
  a folder of PGM, PPM, PNG, JPEG or TIFF images of one size. Each image, upright
    by its EXIF orientation, becomes a column: its pixels column by column,
    scaled to [0, 1]. Each page of a TIFF file is an image;
  a folder of two-column files of text, such as .csv, .xy or .gr. Each is a curve
    and becomes a column; they share an axis, or --align interpolates them;
  -, standard input: a table unless its first bytes show another format.
nmu detects the separator, the decimal sign, the header and the row labels of a
table, and reports them. --sep, --decimal, --header and --row-labels override that.`
}

// helpWidth is the width of a line of Help.
const helpWidth = 80

// FlagVar is the flag for the variable in a file.
const FlagVar = "var"

// Options returns what is asked of the reader.
func (in *Matrix) Options() matio.Options {
	opt := data.Options(&in.Run)
	opt.InUse, opt.Context = in.InUse, in.context
	return opt
}

// Open opens the matrix, which may not be empty.
func (in *Matrix) Open(c *message.Console) (*matio.File, error) {
	file, err := in.OpenSpilled(c, nil)
	if most := (*matio.MemoryError)(nil); in.Memory != 0 && errors.As(err, &most) {
		err = fmt.Errorf("%w; nmu convert writes a file that can stay where it is", err)
	}
	if err != nil {
		return nil, err
	}
	file.AtClose(func() { in.Say(c, file) }) // what was recognised may be why the work failed
	in.opened = file
	return file, nil
}

// Changed returns an error if the file that is open, if any, has changed since then.
func (in *Matrix) Changed() error {
	if in.opened == nil {
		return nil
	}
	return in.opened.Changed()
}

// OpenSpilled is Open without notes. The numbers of a table go to spill, if it is not nil.
func (in *Matrix) OpenSpilled(c *message.Console, spill *matio.Spill) (*matio.File, error) {
	opt := in.Options()
	opt.Spill = spill
	file, err := in.OpenWith(c, opt)
	if err != nil {
		return nil, err
	}
	err = file.ReadAllNames(in.RowNames, in.ColNames)
	if rows, cols := file.Dims(); err == nil && (rows == 0 || cols == 0) {
		err = fmt.Errorf("%s: the matrix is empty (%d x %d)", in.Path, rows, cols)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// OpenWith opens the matrix as the options say.
func (in *Matrix) OpenWith(c *message.Console, opt matio.Options) (file *matio.File, err error) {
	if in.Path == Stdin {
		file, err = matio.OpenStream(c.In, streamName, opt)
	} else {
		file, err = matio.Open(in.Path, opt)
	}
	if err != nil {
		return nil, Hint(err)
	}
	return file, nil
}

// Say says how an open file is read, and those beside it, before the work begins, where a file leaves that open, and
// then what is noted later. A note is said once.
func (in *Matrix) Say(c *message.Console, file *matio.File) {
	name := in.Path
	if name == Stdin {
		name = streamName
	}
	if file.Guessed() && !slices.Contains(in.said, name) {
		c.Note("%s: %s", name, file.Reading())
		in.said = append(append(in.said, name), file.Notes()...)
	}
	for i, note := range append(slices.Clone(file.Notes()), file.Beside()...) {
		if slices.Contains(in.said, note) {
			continue
		}
		in.said = append(in.said, note)
		if i < len(file.Notes()) {
			note = name + ": " + note
		}
		c.Note("%s", note)
	}
}

// chooseError is a *matio.VarError in the words of the command.
type chooseError struct{ *matio.VarError }

func (e *chooseError) Error() string {
	return fmt.Sprintf("%s %s with --%s: %s", e.Path, e.Question(), FlagVar, e.Listed)
}

func (e *chooseError) Unwrap() error { return e.VarError }

// Hint adds the flag that helps to an error about a file.
func Hint(err error) error {
	var v *matio.VarError
	switch {
	case errors.As(err, &v) && v.Asked == "":
		return &chooseError{v}
	case errors.As(err, &v):
		if near := options.Nearest(v.Names, v.Asked); near != "" {
			return fmt.Errorf("%w; did you mean --%s %s?", err, FlagVar, near)
		}
	case errors.Is(err, matio.ErrColour):
		return fmt.Errorf("%w; --grey takes it as a grey one", err)
	case errors.Is(err, matio.ErrMissing):
		return fmt.Errorf("%w; choose --missing %s", err, render.Enumerate(render.Strings(matio.WaysOfMissing), "or"))
	case errors.Is(err, matio.ErrLimit):
		return fmt.Errorf("%w; --below %s takes such cells for half of their limit, their limit or missing", err, render.Enumerate(render.Strings(matio.WaysOfBelow), "or"))
	case errors.Is(err, matio.ErrText):
		return fmt.Errorf("%w; --missing-text names texts of cells without a number, --skip-columns leaves columns out, --header yes and --row-labels yes read the first row and column as names, --sep sets the separator of cells, --triples reads rows of row, column and value", err)
	case errors.Is(err, matio.ErrHeader):
		return fmt.Errorf("%w; --header yes reads it as names, --header no as data", err)
	case errors.Is(err, matio.ErrDecimal):
		return fmt.Errorf("%w; --decimal sets the decimal sign; remove thousands separators from the file", err)
	}
	return err
}

// TransposeHint returns a hint at --transpose for an error about a matrix that does not have the
// rows that are wanted. It is empty unless the transpose has them.
func TransposeHint(rows, cols, want int, transposed bool) string {
	switch {
	case rows == want || cols != want:
		return ""
	case transposed:
		return "; it would fit without --transpose"
	}
	return "; it would fit with --transpose"
}

// NamesFrom is value with another path.
func NamesFrom(value string, from func(path string) string) string {
	path, column := matio.NamesFile(value)
	if column == 0 {
		return from(path)
	}
	return fmt.Sprintf("%s:%d", from(path), column)
}

// NamesPaths returns the paths of the files with names.
func (in *Matrix) NamesPaths() (rows, cols string) {
	rows, _ = matio.NamesFile(in.RowNames)
	cols, _ = matio.NamesFile(in.ColNames)
	return rows, cols
}

// Explain adds the file, the names of row and column, and what to do to an error about the
// matrix.
func Explain(err error, path, precision string, file *matio.File) error {
	var bad *lnmu.ValueError
	switch {
	case !errors.Is(err, lnmu.ErrValue):
		return Hint(err)
	case errors.As(err, &bad) && math.IsInf(bad.Value, 1) && precision == "float32":
		return fmt.Errorf("%s: %w (float32 holds no number above %.2g; try --precision float64)", path, err, math.MaxFloat32)
	}
	return fmt.Errorf("%s: %w%s%s%s", path, err, Names(file, bad), data.ValueHint(bad, file), data.UnobservedHint(err, file))
}

// Names returns the names of the row and the column of a bad value, in brackets, or nothing
// if they have none. UnobservedHint names a row or column as a whole.
func Names(file *matio.File, bad *lnmu.ValueError) string {
	if bad == nil || bad.Matrix != "M" || bad.Row < 0 || bad.Col < 0 {
		return ""
	}
	var s []string
	for _, x := range []struct {
		what  string
		names []string
		i     int
	}{{"row", file.RowNames(), bad.Row}, {"column", file.ColNames(), bad.Col}} {
		if x.i < len(x.names) && x.names[x.i] != "" {
			s = append(s, fmt.Sprintf("%s %q", x.what, x.names[x.i]))
		}
	}
	if s == nil {
		return ""
	}
	return " (" + strings.Join(s, ", ") + ")"
}

// ErrTime reports that the time of --time-limit was over before the matrix was read.
var ErrTime = errors.New("--time-limit: the time was over before the matrix was read; nothing is written")

// leastReading is the time that reading has at least, so that a run with a short limit has a
// result, which is better than none.
const leastReading = time.Second

// Limit makes the reading of the matrix end after the time of --time-limit, with ErrTime; 0
// stands for no limit.
func (in *Matrix) Limit(ctx context.Context, limit time.Duration) context.CancelFunc {
	if limit <= 0 {
		return func() {}
	}
	var done context.CancelFunc
	in.context, done = context.WithTimeoutCause(ctx, max(limit, leastReading), ErrTime)
	return done
}

// Until makes ctx, and the limit of Limit, end the reading of an open file.
func (in *Matrix) Until(ctx context.Context, file *matio.File) context.CancelFunc {
	done := context.CancelFunc(func() {})
	if in.context != nil {
		if end, ok := in.context.Deadline(); ok {
			ctx, done = context.WithDeadlineCause(ctx, end, ErrTime)
		}
	}
	file.Until(ctx)
	return done
}
