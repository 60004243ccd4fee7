package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/options"
)

// mostShown is how many rows and columns the corner of a Look has at most.
const mostShown = 5

// Look describes the matrix in a file, which is read but not factored.
type Look struct {
	Schema   string       `json:"schema"` // "nmu-look/1"
	Path     string       `json:"path"`
	Reading  string       `json:"reading"` // how the file is read, in one line
	Rows     int          `json:"rows"`
	Cols     int          `json:"cols"`
	Sparse   bool         `json:"sparse"`
	RowNames []string     `json:"row_names,omitempty"` // those of the corner
	ColNames []string     `json:"col_names,omitempty"`
	Corner   [][]*float64 `json:"corner"` // the first rows and columns; null for entries that are no finite numbers
	Least    *float64     `json:"least"`  // of the finite entries; null if there are none
	Largest  *float64     `json:"largest"`
	Zeros    int64        `json:"zeros"`
	Missing  int64        `json:"missing"` // entries that are no numbers
	Infinite int64        `json:"infinite"`
	Negative int64        `json:"negative"`
	Counts   bool         `json:"counts"`  // all entries that are numbers are whole and not negative
	Advised  []string     `json:"advised"` // the words of a command line

	tally matio.Tally
}

// LookAt describes the matrix in the file of the setting Input, which open opens as r says. Empty cells of a table
// are missing entries, if r says nothing of them. A table that does not fit into memory is read into
// temporary files, and its rows have no names then. Other dense matrices are read in pieces. Both end with the
// context of interruptible.
func LookAt(interruptible func() context.Context, r *options.Run, open func(spill *matio.Spill) (*matio.File, error)) (*Look, error) {
	file, err := open(nil)
	if errors.Is(err, matio.ErrMissing) && r.Missing == "" {
		r.Missing = options.MissingAllow
		file, err = open(nil)
	}
	if errors.As(err, new(*matio.MemoryError)) {
		file, err = open(&matio.Spill{Context: interruptible()})
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	l := &Look{Schema: "nmu-look/1", Path: file.Path(), Sparse: file.Sparse(), Counts: true, tally: matio.Tally{Codes: usualCodes}}
	l.Rows, l.Cols = file.Dims()
	l.RowNames, l.ColNames = file.RowNames()[:min(mostShown, len(file.RowNames()))], file.ColNames()[:min(mostShown, len(file.ColNames()))]
	l.Corner = make([][]*float64, min(mostShown, l.Rows))
	for i := range l.Corner {
		l.Corner[i] = make([]*float64, min(mostShown, l.Cols))
	}
	if err = file.Guard(func() error { return l.read(interruptible(), file) }); err != nil {
		return nil, err
	}
	l.Counts = l.Counts && l.Least != nil
	l.Reading = file.Reading()
	l.advise(r)
	return l, nil
}

// read reads the numbers, until ctx ends.
func (l *Look) read(ctx context.Context, file *matio.File) error {
	if !l.Sparse {
		return l.readDense(ctx, file)
	}
	entries, n := float64(l.Rows)*float64(l.Cols), 0
	zero := 0.0
	for _, row := range l.Corner {
		for j := range row {
			row[j] = &zero
		}
	}
	add := func(i, j int32, x float64) error {
		if n++; n%(1<<16) == 1 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		l.add(int(i), int(j), x)
		return nil
	}
	_, _, ptr, idx, val, err := matio.Sparse[float64](file)
	if errors.As(err, new(*matio.MemoryError)) {
		err = matio.Entries(file, add)
	}
	if err != nil {
		return err
	}
	for i := range len(ptr) - 1 {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			if err := add(int32(i), idx[k], val[k]); err != nil {
				return err
			}
		}
	}
	if others := max(0, entries-float64(n)); others > 0 {
		l.widen(0)
		l.Zeros += int64(min(others, math.MaxInt64/2))
	}
	return nil
}

// readDense reads the numbers of a dense matrix in pieces, until ctx ends.
func (l *Look) readDense(ctx context.Context, file *matio.File) error {
	if l.Rows == 0 || l.Cols == 0 {
		return nil
	}
	length := l.Cols
	if file.ByColumn() {
		length = l.Rows
	}
	i, k := 0, 0 // the line, and the place in it
	return file.Each(func(piece []float64) error {
		for _, x := range piece {
			if file.ByColumn() {
				l.add(k, i, x)
			} else {
				l.add(i, k, x)
			}
			if k++; k == length {
				i, k = i+1, 0
			}
		}
		return context.Cause(ctx)
	})
}

// add adds entry (i, j).
func (l *Look) add(i, j int, x float64) {
	if i < len(l.Corner) && j < len(l.Corner[i]) {
		if l.Corner[i][j] = &x; x-x != 0 {
			l.Corner[i][j] = nil
		}
	}
	switch {
	case x != x:
		l.Missing++
		return
	case math.IsInf(x, 0):
		l.Infinite++
		l.Counts = false
		return
	case x == 0:
		l.Zeros++
	case x < 0:
		l.Negative++
	}
	l.tally.Add(x)
	l.widen(x)
	l.Counts = l.Counts && x >= 0 && x == math.Trunc(x)
}

// widen widens the range of the entries to x.
func (l *Look) widen(x float64) {
	if l.Least == nil || x < *l.Least {
		l.Least = &x
	}
	if l.Largest == nil || x > *l.Largest {
		l.Largest = &x
	}
}

// advise sets the command that comes next: it compares ranks, by the divergence of counts if M holds them.
func (l *Look) advise(r *options.Run) {
	l.Advised = []string{"nmu", "rank", l.Path, "--ranks", fmt.Sprintf("1:%d", max(1, min(10, l.Rows-1, l.Cols-1)))}
	for _, s := range options.Settings(r) {
		value := s.Value.String()
		switch {
		case value == "" || s.Calls&options.Inspect == 0 || s.Name == "input" || s.Name == "max-memory":
		case value == "true":
			l.Advised = append(l.Advised, "--"+s.Name)
		default:
			l.Advised = append(l.Advised, "--"+s.Name, value)
		}
	}
	if codes := likelyCodes(&l.tally); len(codes) > 0 {
		words := make([]string, len(codes))
		for i, k := range codes {
			words[i] = fmt.Sprint(usualCodes[k])
		}
		l.Advised = append(l.Advised, "--missing-value", strings.Join(words, ","))
	} else if l.Missing > 0 && r.WayOfMissing() == "" {
		l.Advised = append(l.Advised, "--missing", options.MissingAllow)
	}
	if l.tally.Negative > 0 && -l.tally.Least <= l.tally.Largest/10 { // noise; others are no data for these methods
		l.Advised = append(l.Advised, "--negative", string(matio.NegativeClip))
	}
	if l.Counts && *l.Largest > 1 {
		l.Advised = append(l.Advised, "--method", "kl")
	}
}
