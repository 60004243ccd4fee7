// Package convert converts matrices from any file that package matio reads into files for
// reading by parts: a dense .npy file, or a folder with the arrays of a sparse matrix. The
// matrices need not fit in memory. Several inputs are stacked in rows.
//
//	         dense, by rows ──────────────────────────────┐
//	input ─┬ dense, by columns ── bands or tiles of it ───┼─▶ sink: .npy or CSR folder
//	       ├ sparse, by rows ─────────────────────────────┤
//	       └ sparse, otherwise ── sorted in runs, merged ─┘
//
// A matrix by columns is read in bands of rows if the contiguous pieces are long enough.
// Otherwise it is transposed tile by tile in a temporary file. Unsorted entries are sorted in
// memory. If memory is too small, sorted runs go to a temporary file and are merged. Each
// number is read and written only a few times, whatever the memory.
//
// A .npy file in Fortran order is written as the transpose by rows.
package convert

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"nmu/internal/fileset"
	"nmu/internal/matio"
)

// Settings says what to write and how.
type Settings struct {
	Single  bool  // float32 rather than float64
	Auto    bool  // Single if there is one input and float32 holds its numbers
	Columns bool  // a .npy file in Fortran order
	Missing bool  // NaN is allowed; else it is an error
	Keep    bool  // existing files are not replaced
	Memory  int64 // bytes that the conversion may take
}

// Input is a matrix to read.
type Input struct {
	Path string // for messages
	// Open opens the matrix. spill says where numbers go that Open has to read. transposed asks
	// for the transpose. memory is how many bytes reading may take.
	Open func(spill *matio.Spill, transposed bool, memory int64) (*matio.File, error)
}

// Summary describes the files that were written.
type Summary struct {
	Rows, Cols int64
	Single     bool  // float32
	Entries    int64 // stored entries of a sparse matrix
	Bytes      int64 // of the files
}

// ToNpy writes the inputs, stacked in rows, to a .npy file. If it fails, it leaves path
// unchanged. Errors about an input name it. For an infinite number the error wraps ErrValue,
// and for NaN unless Settings.Missing.
func ToNpy(ctx context.Context, path string, inputs []Input, s Settings) (sum Summary, err error) {
	err = matio.ReplaceFile(path, func(folder *os.Root, tmp *os.File) (err error) {
		defer func() {
			if _, there := folder.Lstat(filepath.Base(path)); s.Keep && there == nil && err == nil { // by now
				err = fmt.Errorf("%s is there already; --force replaces it", path)
			}
		}()
		j := newJob(ctx, folder, s)
		defer j.removeTemps(&err)
		turned := s.Columns && len(inputs) == 1
		if !s.Columns || turned {
			if err := j.all(newNpySink(tmp, turned), inputs, turned); err != nil {
				return err
			}
			sum, err = j.finish()
			return err
		}
		// Stack the inputs first, then write the columns of the whole.
		whole, err := j.temp()
		if err != nil {
			return err
		}
		raw := newNpySink(whole, false)
		raw.header = 0
		if err := j.all(raw, inputs, false); err != nil {
			return err
		}
		if _, err := j.finish(); err != nil {
			return err
		}
		rows, cols := int(j.rows), j.cols
		j.rows, j.begun = 0, false
		if err := j.begin(newNpySink(tmp, true), rows); err != nil {
			return err
		}
		if err := j.addParts(matio.PartsOf(whole, cols, rows, j.Single, true)); err != nil {
			return err
		}
		j.rows = int64(cols)
		sum, err = j.finish()
		return err
	})
	return sum, err
}

// ToCSR is ToNpy for a folder with a sparse matrix, see matio.CSRNames.
func ToCSR(ctx context.Context, dir string, inputs []Input, s Settings) (sum Summary, err error) {
	to, err := fileset.Open(dir, matio.CSRNames(), "", !s.Keep)
	if err != nil {
		return sum, err
	}
	defer to.Close()
	err = to.Fill(func(folder *os.Root) (err error) {
		j := newJob(ctx, folder, s)
		defer j.removeTemps(&err)
		out, err := newCSRSink(folder)
		if err != nil {
			return err
		}
		defer out.close()
		if err := j.all(out, inputs, false); err != nil {
			return err
		}
		sum, err = j.finish()
		return err
	})
	return sum, err
}

// job is one conversion.
type job struct {
	Settings
	ctx   context.Context
	dir   *os.Root          // of temporary files
	temps map[*os.File]bool // whether a temporary file has a name
	out   sink
	begun bool
	rows  int64 // written
	cols  int
}

// newJob returns a conversion with temporary files in dir.
func newJob(ctx context.Context, dir *os.Root, s Settings) *job {
	s.Memory = min(s.Memory, math.MaxInt/2) // bytes that can be counted
	return &job{Settings: s, ctx: ctx, dir: dir, temps: map[*os.File]bool{}}
}

// temp returns a temporary file.
func (j *job) temp() (*os.File, error) {
	file, named, err := matio.TempFile(j.dir)
	if err == nil {
		j.temps[file] = named
	}
	return file, err
}

// removeTemp removes a temporary file.
func (j *job) removeTemp(file *os.File) error {
	named := j.temps[file]
	delete(j.temps, file)
	return matio.RemoveTemp(file, named)
}

// removeTemps removes all temporary files. An error goes to *err, unless that already holds
// one.
func (j *job) removeTemps(err *error) {
	for file := range j.temps {
		*err = errors.Join(*err, j.removeTemp(file))
	}
}

// all adds the rows of all inputs.
func (j *job) all(out sink, inputs []Input, transposed bool) error {
	j.out = out
	j.Auto = j.Auto && len(inputs) == 1
	for _, in := range inputs {
		if err := j.input(in, transposed); err != nil {
			var most *matio.MemoryError
			if errors.As(err, &most) && most.Limit < j.Memory {
				most.Need, most.Limit = most.Need+j.Memory-most.Limit, j.Memory // the rest is in use here
			}
			return err
		}
	}
	return nil
}

// input adds the rows of one input.
func (j *job) input(in Input, transposed bool) error {
	if err := j.ctx.Err(); err != nil {
		return err
	}
	f, err := in.Open(&matio.Spill{Context: j.ctx, Folder: j.dir}, transposed, j.Memory/2)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, cols := f.Dims()
	if j.begun && cols != j.cols {
		what := "columns"
		if transposed {
			what = "rows"
		}
		return fmt.Errorf("%s has %d %s, but the input before it has %d: %w", in.Path, cols, what, j.cols, matio.ErrUnsupported)
	}
	if rows == 0 && !j.begun || cols == 0 {
		if transposed {
			rows, cols = cols, rows
		}
		return fmt.Errorf("%s: a matrix of %d x %d has no entries: %w", in.Path, rows, cols, matio.ErrUnsupported)
	}
	if !j.begun {
		j.Single = j.Single || j.Auto && f.Float32()
		if err := j.begin(j.out, cols); err != nil {
			return fmt.Errorf("%s: %w", in.Path, err)
		}
	}
	switch p := f.Parts(); {
	case f.Sparse():
		err = j.addSparse(f)
	case p != nil:
		err = j.addParts(p)
	case f.ByColumn():
		err = j.addColumns(f)
	default:
		err = j.each(f, j.out.elements)
	}
	if bad := (*valueError)(nil); errors.As(err, &bad) {
		bad.path, bad.row = in.Path, bad.row-j.rows
		if transposed {
			bad.row, bad.col = bad.col, bad.row
		}
	}
	j.rows += int64(rows)
	return err
}

// begin begins a matrix with cols columns.
func (j *job) begin(out sink, cols int) error {
	j.out, j.cols, j.begun = out, cols, true
	return out.begin(cols, j.Settings)
}

func (j *job) finish() (Summary, error) {
	if err := j.ctx.Err(); err != nil {
		return Summary{}, err
	}
	return j.out.finish(j.rows)
}

// writer is a buffered file that counts the bytes written.
type writer struct {
	*bufio.Writer
	file *os.File
	size int64
}

// writeBuffer is the size of a write in bytes.
const writeBuffer = 1 << 19

func newWriter(file *os.File) *writer {
	return &writer{Writer: bufio.NewWriterSize(file, writeBuffer), file: file}
}

func (w *writer) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.size += int64(n)
	return n, err
}

// finish writes the buffer, and the header into the room left at the beginning, and syncs the
// file.
func (w *writer) finish(header []byte) error {
	if err := w.Flush(); err != nil {
		return err
	}
	if len(header) > 0 {
		if _, err := w.file.WriteAt(header, 0); err != nil {
			return err
		}
	}
	return w.file.Sync()
}
