package input

import (
	"bufio"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/regular"
	"nmu/lnmu"
)

// Unskipped returns the lines that --skip-rows and --skip-cols leave, or nil if that is all of them.
func (f *MissingFlags) Unskipped(in *Matrix, m *matio.File) (*Lines, error) {
	inRows, inCols, err := f.skipped(in.Transpose, m)
	if err != nil {
		return nil, err
	}
	rows, cols := m.Dims()
	if !slices.Contains(inRows, true) && !slices.Contains(inCols, true) {
		return nil, nil
	}
	return &Lines{kept(inRows, rows), kept(inCols, cols), rows, cols}, nil
}

// Of returns the flags for the lines of the matrix that are kept, and in them for the block own; nil stands
// for all lines, and for the whole. The flags do not skip what is left out already.
func (f *MissingFlags) Of(l *Lines, own *matio.Block) *MissingFlags {
	rest := *f
	rest.SkipRows, rest.SkipCols, rest.Kept, rest.Own = "", "", l, nil
	if own != nil {
		span := l.Span(*own)
		rest.Kept, rest.Own = l.Within(*own), &span
	}
	return &rest
}

// skipped reports which rows and columns --skip-rows and --skip-cols leave out; nil for none.
func (f *MissingFlags) skipped(transposed bool, m *matio.File) (inRows, inCols []bool, err error) {
	rows, cols := m.Dims()
	if inRows, err = skipped(f.SkipRows, "row", m.RowNames(), rows, transposed, m); err != nil {
		return nil, nil, fmt.Errorf("--skip-rows: %w", err)
	}
	if inCols, err = skipped(f.SkipCols, "column", m.ColNames(), cols, transposed, m); err != nil {
		return nil, nil, fmt.Errorf("--skip-cols: %w", err)
	}
	for _, x := range []struct {
		flag, what string
		skip       []bool
	}{{"skip-rows", "rows", inRows}, {"skip-cols", "columns", inCols}} {
		if x.skip != nil && !slices.Contains(x.skip, false) {
			return nil, nil, fmt.Errorf("--%s: it leaves out all %s", x.flag, x.what)
		}
	}
	return inRows, inCols, nil
}

// skip returns the mask without the rows and columns of --skip-rows and --skip-cols.
func (f *MissingFlags) skip(mask *lnmu.Mask, transposed bool, m *matio.File) (*lnmu.Mask, error) {
	rows, cols := m.Dims()
	inRows, inCols, err := f.skipped(transposed, m)
	if err != nil {
		return nil, err
	}
	if err := m.Reserve(int64(rows)*int64((cols+7)/8), "leaving rows and columns out"); err != nil {
		return nil, err
	}
	without := lnmu.NewMask(rows, cols)
	for i := range rows {
		for j := range cols {
			if inRows != nil && inRows[i] || inCols != nil && inCols[j] || mask != nil && !mask.Observed(i, j) {
				without.Set(i, j, false)
			}
		}
	}
	return without, nil
}

// listed are the extensions of files that list names or numbers. Others hold a matrix.
var listed = []string{"", ".txt", ".list"}

// skipped reports which of n rows or columns the file at path lists, or nil if path is empty.
func skipped(path, what string, names []string, n int, transposed bool, m *matio.File) ([]bool, error) {
	switch {
	case path == "":
		return nil, nil
	case slices.Contains(listed, strings.ToLower(filepath.Ext(path))):
		return skippedByName(path, what, names, n)
	}
	if bad, err := bandsMarked(path, n, transposed, m); bad != nil || err != nil {
		return bad, err
	}
	d, err := ReadFurther[float64](path, m)
	if err != nil {
		return nil, err
	}
	h, w, scene := m.MapSize()
	pixels := scene && d.Rows == h && d.Cols == w && h*w == n && transposed == (what == "row")
	if !pixels && (min(d.Rows, d.Cols) != 1 || max(d.Rows, d.Cols) != n) {
		return nil, fmt.Errorf("%s is %d x %d; it has to hold a number for each of %d %ss", path, d.Rows, d.Cols, n, what)
	}
	skip := make([]bool, n)
	for k := range skip {
		x := d.At(k/d.Cols, k%d.Cols)
		if x != x {
			return nil, fmt.Errorf("%s: number %d is NaN; choose 0 to keep, 1 to leave out", path, k+1)
		}
		skip[k] = x != 0
	}
	return skip, nil
}

// bandsMarked reports which of n bands the header of the scene at path marks as bad. It returns nil if the file is no
// scene with n bands, but may be one with a number for each pixel.
func bandsMarked(path string, n int, transposed bool, m *matio.File) ([]bool, error) {
	file, err := m.OpenBeside(path, matio.Options{Transpose: transposed})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, cols := file.Dims()
	inRows, inCols := file.Bad()
	bands, bad := rows, inRows
	if transposed {
		bands, bad = cols, inCols
	}
	if _, _, scene := file.MapSize(); !scene || bands != n || bands == 1 {
		return nil, nil
	}
	if bad == nil {
		return nil, fmt.Errorf("%s: its header marks no band as bad (bbl)", path)
	}
	skip := make([]bool, n)
	for _, k := range bad {
		skip[k] = true
	}
	return skip, nil
}

// skippedByName reads names or numbers from 1, one in a line. Empty lines do not count.
func skippedByName(path, what string, names []string, n int) ([]bool, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := map[string][]int{}
	for k, name := range names {
		lines[name] = append(lines[name], k)
	}
	skip := make([]bool, n)
	s := bufio.NewScanner(file)
	line := 0
	for s.Scan() {
		line++
		word := strings.TrimSpace(strings.TrimPrefix(s.Text(), "\ufeff"))
		if word == "" {
			continue
		}
		if at := lines[word]; at != nil {
			for _, k := range at {
				skip[k] = true
			}
			continue
		}
		k, err := strconv.Atoi(word)
		if err != nil || k < 1 || k > n {
			return nil, fmt.Errorf("%s: line %d: %.40q is no name of a %s, and no number from 1 to %d", path, line, word, what, n)
		}
		skip[k-1] = true
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", path, line+1, err)
	}
	return skip, nil
}
