// Package biom reads tables of the Biological Observation Matrix format, version 1, which is JSON.
// Version 2 is HDF5, see package hdf5.
package biom

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
)

// Is says whether head begins such a table.
func Is(head []byte) bool {
	begin := bytes.TrimLeft(head, " \t\r\n")
	return bytes.HasPrefix(begin, []byte("{")) && bytes.Contains(begin, []byte("Biological Observation Matrix"))
}

// table is the matrix while it is read.
type table struct {
	f     *input.File
	text  *text.Reader
	d     *json.Decoder
	shape []int64
	kind  string // of the matrix: sparse or dense
	seen  map[string]bool

	held  input.Entries // of a sparse matrix
	lines [][2]int64    // of a dense one: where each line ends in held.Val, and the byte where it began
	names [2][]string   // of rows and columns
}

// Open reads a table. It is a sparse matrix, of observations x samples, with the names of both.
func Open(f *input.File, r *text.Reader) error {
	if err := f.NoVar(); err != nil {
		return err
	}
	t := &table{f: f, text: r, d: json.NewDecoder(r), seen: map[string]bool{}}
	t.d.UseNumber()
	if err := t.delim('{'); err != nil {
		return err
	}
	for t.d.More() {
		name, err := t.token()
		if err != nil {
			return err
		}
		member, _ := name.(string)
		if t.seen[member] && (member == "shape" || member == "data" || member == "rows" || member == "columns") {
			return t.bad("a second member %q", member)
		}
		t.seen[member] = true
		switch member {
		case "shape":
			err = t.sizes()
		case "matrix_type":
			err = t.word(&t.kind)
		case "data":
			err = t.data()
		case "rows":
			err = t.axis(0)
		case "columns":
			err = t.axis(1)
		default:
			err = t.skip()
		}
		if err != nil {
			return err
		}
	}
	if err := t.delim('}'); err != nil {
		return err
	}
	if _, err := t.d.Token(); err != io.EOF {
		return t.bad("something follows the table")
	}
	return t.end()
}

// bad is File.Bad at the current byte.
func (t *table) bad(format string, args ...any) error {
	return t.f.Bad(t.d.InputOffset(), format, args...)
}

// token returns the next token.
func (t *table) token() (json.Token, error) {
	x, err := t.d.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, t.f.Bad(syntax.Offset, "%v", err)
	case err != nil:
		return nil, t.f.ReadError(t.d.InputOffset(), err)
	}
	t.text.EndRecord() // the memory of a token is used again
	return x, nil
}

// delim reads a bracket.
func (t *table) delim(want json.Delim) error {
	x, err := t.token()
	if err == nil && x != want {
		err = t.bad("%v instead of %v", x, want)
	}
	return err
}

// word reads a text.
func (t *table) word(to *string) error {
	x, err := t.token()
	s, ok := x.(string)
	if err == nil && !ok {
		err = t.bad("%.40v instead of a text", x)
	}
	*to = s
	return err
}

// number reads a number.
func (t *table) number() (float64, error) {
	x, err := t.token()
	if err != nil {
		return 0, err
	}
	n, ok := x.(json.Number)
	if !ok {
		return 0, t.bad("%.40v instead of a number", x)
	}
	v, err := n.Float64()
	if err != nil {
		return 0, t.bad("%.40q is beyond the range of float64", n.String())
	}
	return v, nil
}

// index reads the number of a row or a column.
func (t *table) index() (int32, error) {
	v, err := t.number()
	if err == nil && (v != math.Trunc(v) || v < 0 || v >= math.MaxInt32) {
		err = t.bad("%v is no index of a row or a column", v)
	}
	return int32(v), err
}

// skip passes over a value.
func (t *table) skip() error {
	depth := 0
	for {
		x, err := t.token()
		if err != nil {
			return err
		}
		switch x {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// sizes reads the shape.
func (t *table) sizes() error {
	if err := t.delim('['); err != nil {
		return err
	}
	for t.d.More() {
		n, err := t.index()
		if err != nil {
			return err
		}
		if t.shape = append(t.shape, int64(n)); len(t.shape) > 2 {
			return t.bad("the shape has more than two sizes")
		}
	}
	return t.delim(']')
}

// data reads the entries: of a sparse matrix row, column and value of each, of a dense one a list of
// values for each row. The kind may be told behind them, so that it is looked at in the end.
func (t *table) data() error {
	if err := t.delim('['); err != nil {
		return err
	}
	for t.d.More() {
		if err := t.delim('['); err != nil {
			return err
		}
		from := t.d.InputOffset()
		for t.d.More() {
			v, err := t.number()
			if err != nil {
				return err
			}
			if t.held.Val, err = input.Grown(t.f, t.held.Val, 1, 0, math.MaxInt64); err != nil {
				return err
			}
			t.held.Val = append(t.held.Val, v)
		}
		if err := t.delim(']'); err != nil {
			return err
		}
		var err error
		if t.lines, err = input.Grown(t.f, t.lines, 1, 0, math.MaxInt64); err != nil {
			return err
		}
		t.lines = append(t.lines, [2]int64{int64(len(t.held.Val)), from})
	}
	return t.delim(']')
}

// axis reads the names of rows or of columns.
func (t *table) axis(which int) error {
	if err := t.delim('['); err != nil {
		return err
	}
	for t.d.More() {
		if err := t.delim('{'); err != nil {
			return err
		}
		id := ""
		for t.d.More() {
			name, err := t.token()
			if err != nil {
				return err
			}
			if name == "id" {
				err = t.word(&id)
			} else {
				err = t.skip()
			}
			if err != nil {
				return err
			}
		}
		if err := t.delim('}'); err != nil {
			return err
		}
		if t.f.Spill != nil {
			continue // names take memory
		}
		if err := t.f.Reserve(int64(len(id))+input.NameBytes, input.Reading); err != nil {
			return err
		}
		list, err := input.Grown(t.f, t.names[which], 1, 0, math.MaxInt64)
		if err != nil {
			return err
		}
		t.names[which] = append(list, id)
	}
	return t.delim(']')
}

// end makes the matrix.
func (t *table) end() error {
	f := t.f
	if len(t.shape) != 2 || !t.seen["data"] {
		return t.bad("a table has a shape of two sizes, and data")
	}
	for x, what := range []string{"rows", "columns"} {
		if t.names[x] != nil && int64(len(t.names[x])) != t.shape[x] {
			return t.bad("%d %s of a shape of %d x %d", len(t.names[x]), what, t.shape[0], t.shape[1])
		}
	}
	f.Sparse = t
	if _, err := f.SetDims(t.shape[0], t.shape[1]); err != nil {
		return err
	}
	f.RowNames, f.ColNames = t.names[0], t.names[1]
	switch t.kind {
	case "sparse":
		return t.entries()
	case "dense":
		return t.rows()
	}
	return t.bad("the matrix_type is %.40q: want sparse or dense", t.kind)
}

// entries makes the entries of a sparse matrix.
func (t *table) entries() (err error) {
	n := int64(len(t.lines))
	e := &t.held
	if e.Major, err = input.Alloc[int32](t.f, n); err != nil {
		return err
	}
	if e.Minor, err = input.Alloc[int32](t.f, n); err != nil {
		return err
	}
	for k, line := range t.lines {
		x := e.Val[int64(3*k):]
		if line[0] != int64(3*k+3) {
			return t.f.Bad(line[1], "entry %d has not three numbers: row, column, value", k)
		}
		i, j := x[0], x[1]
		if i != math.Trunc(i) || j != math.Trunc(j) || i < 0 || j < 0 || i >= float64(t.f.Rows) || j >= float64(t.f.Cols) {
			return t.f.Bad(line[1], "entry %d is at %v, %v of a shape of %d x %d", k, i, j, t.f.Rows, t.f.Cols)
		}
		e.Major[k], e.Minor[k], e.Val[k] = int32(i), int32(j), x[2]
	}
	e.ByRow, e.Val, t.lines = true, e.Val[:n], nil
	return nil
}

// rows makes entries of all numbers of a dense matrix but zeros.
func (t *table) rows() (err error) {
	if len(t.lines) != t.f.Rows {
		return t.bad("%d rows of data of a shape of %d x %d", len(t.lines), t.f.Rows, t.f.Cols)
	}
	e := &t.held
	n := int64(len(e.Val))
	if e.Major, err = input.Alloc[int32](t.f, n); err != nil {
		return err
	}
	if e.Minor, err = input.Alloc[int32](t.f, n); err != nil {
		return err
	}
	kept, from := 0, int64(0)
	for i, line := range t.lines {
		if line[0]-from != int64(t.f.Cols) {
			return t.f.Bad(line[1], "row %d has %d numbers of a shape of %d x %d", i, line[0]-from, t.f.Rows, t.f.Cols)
		}
		for j, v := range e.Val[from:line[0]] {
			if v != 0 {
				e.Major[kept], e.Minor[kept], e.Val[kept] = int32(i), int32(j), v
				kept++
			}
		}
		from = line[0]
	}
	e.ByRow, e.Major, e.Minor, e.Val, t.lines = true, e.Major[:kept], e.Minor[:kept], e.Val[:kept], nil
	return nil
}

// Entries implements input.Sparse.
func (t *table) Entries() (input.Entries, error) { return t.held, nil }

// Each implements input.Sparse.
func (t *table) Each(do func(i, j int32, v float64) error) error { return t.held.Each(do) }

// Count implements input.Sparse.
func (t *table) Count() int64 { return int64(len(t.held.Val)) }

// Order implements input.Sparse.
func (t *table) Order() input.Order { return input.Held }

// Single implements input.Sparse.
func (t *table) Single() bool { return false }
