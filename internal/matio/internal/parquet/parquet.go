//go:build !js

package parquet

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/table"
)

// Available says whether this program reads Parquet files.
const Available = true

// Open reads a Parquet file.
func Open(f *input.File, opt *table.Options) error {
	ends := make([]byte, 12) // the signature, then the size of the footer and the signature
	var err error
	if f.Size >= 12 {
		if _, err = f.ReadAt(ends[:4], 0); err == nil {
			_, err = f.ReadAt(ends[4:], f.Size-8)
		}
	}
	if err != nil {
		return f.ReadError(0, err)
	}
	size := int64(binary.LittleEndian.Uint32(ends[4:]))
	at := f.Size - 8 - size
	if string(ends[:4]) != magic || string(ends[8:]) != magic || at < 4 {
		return f.Bad(max(0, f.Size-8), "the file does not begin and end like a Parquet file: it is cut short, encrypted or has the wrong extension")
	}
	footer, err := input.Alloc[byte](f, size)
	if err != nil {
		return err
	}
	if _, err := f.ReadAt(footer, at); err != nil {
		return f.ReadError(at, err)
	}
	meta, _, err := decode[format.FileMetaData](f, at, footer)
	if err != nil {
		return err
	}
	r := &rows{f: f, groups: meta.RowGroups, window: make([]byte, longest)}
	if err := r.columnsOf(meta.Schema, opt.Skip); err != nil {
		return err
	}
	named, header := *opt, []string(nil)
	name := indexOf(meta.KeyValueMetadata)
	if index := slices.IndexFunc(r.columns, func(c *column) bool { return c.name == name }); name != "" && index >= 0 {
		r.columns = slices.Concat(r.columns[index:index+1], r.columns[:index], r.columns[index+1:])
		if opt.RowLabels == "" {
			named.RowLabels = table.Present
		}
	}
	for _, c := range r.columns {
		header = append(header, c.name)
	}
	r.cells = make([]string, len(header))
	return table.ReadRows(f, named, header, r.next)
}

// indexOf returns the name of the only column that is the index of a pandas frame, which comes first in a CSV, or "".
func indexOf(meta []format.KeyValue) string {
	var pandas struct {
		Index []any `json:"index_columns"`
	}
	for _, kv := range meta {
		if kv.Key == "pandas" && json.Unmarshal([]byte(kv.Value), &pandas) == nil && len(pandas.Index) == 1 {
			name, _ := pandas.Index[0].(string) // a range has no column
			return name
		}
	}
	return ""
}

// rows are the rows of a file while they are read, group after group.
type rows struct {
	f       *input.File
	columns []*column
	groups  []format.RowGroup // behind the current one
	left    int64             // rows of the current one
	read    int
	cells   []string
	window  []byte // for the header of a page
}

// columnsOf takes the columns from the schema. One that is nested, or of another type than numbers and text, is an
// error unless it is skipped.
func (r *rows) columnsOf(schema []format.SchemaElement, skip []string) error {
	leaf := 0
	for at := 1; at < len(schema); {
		e, leaves, end := &schema[at], 0, at
		for open := int64(1); open > 0; end++ {
			switch {
			case end == len(schema):
				return r.f.Bad(0, "the schema ends within column %.40q", e.Name)
			case schema[end].NumChildren.V > 0:
				open += int64(schema[end].NumChildren.V) - 1
			default:
				leaves++
				open--
			}
		}
		c := &column{f: r.f, window: r.window, name: e.Name, leaf: leaf, kind: e.Type.V, optional: e.RepetitionType.V == format.Optional}
		if e.Type.Valid && end == at+1 && e.RepetitionType.V != format.Repeated {
			c.width, c.text = cellOf(e)
		}
		r.columns = append(r.columns, c)
		number := strconv.Itoa(len(r.columns))
		if c.text == nil && !slices.ContainsFunc(skip, func(s string) bool { return s == e.Name || s == number || s == "+"+number }) {
			return r.f.Unsupported("column %s, %.40q, is nested, or holds neither numbers nor text: %s leaves it out", number, e.Name, r.f.Setting("skip-columns", e.Name))
		}
		at, leaf = end, leaf+leaves
	}
	return nil
}

// next returns the next row, valid until the next call. At the end the error is io.EOF.
func (r *rows) next() ([]string, error) {
	for r.left <= 0 {
		if len(r.groups) == 0 {
			return nil, io.EOF
		}
		group := &r.groups[0]
		for _, c := range r.columns {
			if c.text == nil {
				continue
			}
			if c.leaf >= len(group.Columns) {
				return nil, r.f.Bad(0, "a group of rows lacks column %.40q", c.name)
			}
			if err := c.begin(&group.Columns[c.leaf]); err != nil {
				return nil, err
			}
		}
		r.left, r.groups = group.NumRows, r.groups[1:]
	}
	r.left--
	if r.read++; r.read&(1<<12-1) == 0 {
		if err := r.f.Ended(); err != nil {
			return nil, err
		}
	}
	for j, c := range r.columns {
		var err error
		if c.text != nil {
			r.cells[j], err = c.next()
		}
		if err != nil {
			return nil, err
		}
	}
	return r.cells, nil
}
