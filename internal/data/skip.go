package data

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// Skips reports whether rows or columns are to be left out.
func (r *Request) Skips() bool { return r.Has("skip-rows") || r.Has("skip-cols") }

// Leave lets rows and columns of M be empty if M is dense and in a file, or some are skipped, unless factors are given for all
// of them. The error says why none can be skipped.
func (r *Request) Leave(m *matio.File, sparse, inFile, given bool) error {
	may := !given && (!sparse || r.Skips() && !r.Has("mask") && !r.Weighs() && !r.StoredOnly)
	if r.Skips() && !may {
		return kindError{fmt.Errorf("%s and %s do not go with %s, a given start or fixed factors, nor with a sparse matrix that has a mask, weights or %s (%s makes a dense one)",
			m.Setting("skip-rows", ""), m.Setting("skip-cols", ""), m.Setting("continue", ""), m.Setting("sparse-missing", ""), m.Setting("dense", "")), lnmu.ErrOption}
	}
	r.Empty = may && (inFile && !sparse || r.Skips())
	return nil
}

// Unskipped returns the lines that skip-rows and skip-cols leave, or nil if that is all of them.
func (r *Request) Unskipped(m *matio.File) (*Lines, error) {
	rows, cols := m.Dims()
	var inRows, inCols []bool
	for _, x := range []struct {
		setting, what string
		names         []string
		n             int
		skip          *[]bool
	}{{"skip-rows", "row", m.RowNames(), rows, &inRows}, {"skip-cols", "column", m.ColNames(), cols, &inCols}} {
		var err error
		if given := r.Given[x.setting]; given != nil {
			*x.skip, err = marked(given, "the matrix", x.what, x.n, r.Transpose, m)
		} else {
			*x.skip, err = skipped(r.path(x.setting), x.what, x.names, x.n, r.Transpose, m)
		}
		if err == nil && *x.skip != nil && !slices.Contains(*x.skip, false) {
			err = fmt.Errorf("it leaves out all %ss", x.what)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Setting(x.setting, ""), err)
		}
	}
	if !slices.Contains(inRows, true) && !slices.Contains(inCols, true) {
		return nil, nil
	}
	return &Lines{without(inRows, rows), without(inCols, cols)}, nil
}

// Of returns the request for the lines of the matrix that are kept, and in them for the block own; nil stands
// for all lines, and for the whole. The request does not skip what is left out already.
func (r *Request) Of(l *Lines, own *matio.Block) *Request {
	run := *r.Run
	run.SkipRows, run.SkipCols = "", ""
	rest := *r
	rest.Run, rest.Given, rest.Kept, rest.Own = &run, maps.Clone(r.Given), l, nil
	delete(rest.Given, "skip-rows")
	delete(rest.Given, "skip-cols")
	if own != nil {
		span, within := l.In(*own)
		rest.Kept, rest.Own = within, &span
	}
	return &rest
}

// skip returns the mask without the rows and columns of --skip-rows and --skip-cols.
func (r *Request) skip(mask *lnmu.Mask, m *matio.File) (*lnmu.Mask, error) {
	l, err := r.Unskipped(m)
	if err != nil || l == nil {
		return mask, err
	}
	rows, cols := m.Dims()
	if err := m.Reserve(MaskBytes(rows, cols), "leaving rows and columns out"); err != nil {
		return nil, err
	}
	rest := lnmu.NewMask(rows, cols)
	inRows, inCols := l.Left()
	for i := range rows {
		for j := range cols {
			rest.Set(i, j, !inRows[i] && !inCols[j] && (mask == nil || mask.Observed(i, j)))
		}
	}
	return rest, nil
}

// listed are the extensions of files that list names or numbers. Others hold a matrix.
var listed = []string{"", ".txt", ".list"}

// skipped reports which of n rows or columns the file at path lists, or nil if path is empty.
func skipped(path, what string, names []string, n int, transposed bool, m *matio.File) ([]bool, error) {
	switch {
	case path == "":
		return nil, nil
	case slices.Contains(listed, strings.ToLower(filepath.Ext(path))):
		return listedLines(path, what, names, n, m)
	}
	if bad, err := bandsMarked(path, n, transposed, m); bad != nil || err != nil {
		return bad, err
	}
	d, err := ReadFurther[float64](path, m, matio.Options{})
	if err != nil {
		return nil, err
	}
	return marked(d.Dense, path, what, n, transposed, m)
}

// marked reports which of n rows or columns a matrix marks by numbers other than 0.
func marked(d lnmu.Matrix[float64], path, what string, n int, transposed bool, m *matio.File) ([]bool, error) {
	rows, cols := d.Dims()
	h, w, scene := m.MapSize()
	pixels := scene && rows == h && cols == w && h*w == n && transposed == (what == "row")
	if !pixels && (min(rows, cols) != 1 || max(rows, cols) != n) {
		return nil, kindError{fmt.Errorf("%s is %d x %d; it has to hold a number for each of %d %ss", path, rows, cols, n, what), lnmu.ErrShape}
	}
	skip := make([]bool, n)
	for k := range skip {
		x := d.At(k/cols, k%cols)
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

// listedLines reads a file that lists some of n rows or columns, by their names or by their numbers from 1, one in a
// line. Empty lines do not count. All lines are of one kind: names if each of them is one, else numbers. If they
// could be both, and mean different lines, that is an error.
func listedLines(path, what string, names []string, n int, m *matio.File) ([]bool, error) {
	at := map[string][]int{}
	for k, name := range names {
		at[name] = append(at[name], k)
	}
	byName, byNumber := make([]bool, n), make([]bool, n)
	var noName, noNumber string // of the first line that is none
	err := m.EachLine(path, func(line int, text string) error {
		word := strings.TrimSpace(text)
		if word == "" {
			return nil
		}
		k, err := strconv.Atoi(word)
		number := err == nil && k >= 1 && k <= n
		if number {
			byNumber[k-1] = true
		} else if noNumber == "" {
			noNumber = fmt.Sprintf("line %d: %.40q", line, word)
		}
		for _, k := range at[word] {
			byName[k] = true
		}
		if at[word] == nil && noName == "" {
			noName = fmt.Sprintf("line %d: %.40q", line, word)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case noName != "" && noNumber != "" && slices.Contains(byName, true):
		return nil, fmt.Errorf("%s: %s is no name of a %s, as others are", path, noName, what)
	case noName != "" && noNumber != "":
		return nil, fmt.Errorf("%s: %s is no name of a %s, and no number from 1 to %d", path, noNumber, what, n)
	case noName == "" && noNumber == "" && !slices.Equal(byName, byNumber):
		return nil, fmt.Errorf("%s: its lines are names of %ss, and also numbers of others; for numbers write +1 for 1, for names a matrix with a number for each %s, not 0 to leave it out", path, what, what)
	case noName == "":
		return byName, nil
	case slices.Contains(byName, true):
		m.Note("the lines of %s are taken for numbers of %ss, as not all are names", path, what)
	}
	return byNumber, nil
}
