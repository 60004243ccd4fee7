package matio

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
)

// openCSV reads a table of numbers.
func (f *File) openCSV(t *text, tabs bool) error {
	if err := f.noVar(); err != nil {
		return err
	}
	if t.hasPrefix("\xff\xfe") || t.hasPrefix("\xfe\xff") {
		return f.unsupported("text in UTF-16: save it as UTF-8")
	}
	comma := separator(t, tabs)
	t.meter.comma = byte(comma)
	r := csv.NewReader(t.Reader)
	r.Comma = comma
	r.Comment = '#'
	r.TrimLeadingSpace = r.Comma != '\t' // else empty cells would vanish
	r.ReuseRecord = true
	var v values
	rows, cols := int64(0), int64(0)
	for first := true; ; first = false {
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f.csvError(r, rec, cols, err)
		}
		t.meter.need = 0
		cols = int64(len(rec))
		if first && isHeader(rec) {
			continue
		}
		for j, cell := range rec {
			cell = strings.TrimSpace(cell)
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				line, _ := r.FieldPos(j)
				return f.badCell(line, j+1, rows+1, cell, err)
			}
			if err := v.add(f, x); err != nil {
				return err
			}
		}
		rows++
	}
	if rows == 0 {
		cols = 0 // a header alone is no matrix
	}
	f.data = v
	_, err := f.setDims(rows, cols)
	return err
}

// badCell is the error for a cell that is no number.
func (f *File) badCell(line, col int, row int64, cell string, err error) error {
	switch {
	case cell == "":
		return f.badLine(line, "row %d, column %d is empty", row, col)
	case errors.Is(err, strconv.ErrRange):
		return f.badLine(line, "row %d, column %d: %.40q is beyond float64", row, col, cell)
	case row == 1:
		return f.badLine(line, "row %d, column %d: %.40q is not a number (nor is the row a header, as others of its cells are)", row, col, cell)
	}
	return f.badLine(line, "row %d, column %d: %.40q is not a number", row, col, cell)
}

func (f *File) csvError(r *csv.Reader, rec []string, cols int64, err error) error {
	var pe *csv.ParseError
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		line, _ := r.FieldPos(0)
		return f.badLine(line, "%d cells, where the first row has %d", len(rec), cols)
	case errors.As(err, &pe):
		return f.badLine(pe.Line, "column %d of the text: %v", pe.Column, pe.Err)
	}
	return f.readError(r.InputOffset(), err)
}

// isHeader says whether none of the cells is a number.
func isHeader(rec []string) bool {
	blank := true
	for _, cell := range rec {
		cell = strings.TrimSpace(cell)
		blank = blank && cell == ""
		if _, err := strconv.ParseFloat(cell, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return !blank
}

// separator finds what separates the cells of the first line that is no comment.
func separator(t *text, tabs bool) rune {
	b, _ := t.Peek(maxLine)
	for bytes.HasPrefix(b, []byte("#")) {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	b, _, _ = bytes.Cut(b, []byte("\n"))
	has := func(c byte) bool { return bytes.IndexByte(b, c) >= 0 }
	switch {
	case tabs:
		return '\t'
	case has(','):
		return ','
	case has('\t'):
		return '\t'
	case has(';'):
		return ';'
	}
	return ','
}
