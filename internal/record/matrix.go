package record

import (
	"fmt"
	"runtime"

	"nmu/internal/data"
	"nmu/internal/picture"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Program says in which form a file is, and which program wrote it.
type Program struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// program returns the head of a file that this program writes.
func program(schema string) Program {
	return Program{schema, release.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

// Matrix describes M, as it was read.
type Matrix struct {
	Input   string `json:"path"`
	Rows    int    `json:"rows"`
	Cols    int    `json:"cols"`
	Entries int    `json:"entries,omitempty"` // stored, if the matrix is sparse
	Partial

	Image picture.Pixels `json:"image,omitzero"` // of the columns of M
	Map   picture.Pixels `json:"map,omitzero"`   // of which the columns of M are the pixels

	RowNames []string    `json:"row_names,omitempty"`
	RowAxis  string      `json:"row_axis,omitempty"` // what the names of the rows are, if they are numbers
	ColNames []string    `json:"col_names,omitempty"`
	ColAxis  string      `json:"col_axis,omitempty"`
	Left     *data.Lines `json:"-"` // those that count, if some are left out; V and W are zero in the others
}

// Partial describes missing entries and weights.
type Partial struct {
	Missing  int  `json:"missing_entries,omitempty"`
	Weighted bool `json:"weighted,omitempty"`
	Sparse   bool `json:"sparse_missing,omitempty"` // all that is not stored
}

// validate reports what cannot be so in a matrix.
func (m *Matrix) validate(c *checks) {
	c.count("rows", m.Rows, 1)
	c.count("cols", m.Cols, 1)
	c.size("image", m.Image, m.Rows)
	c.size("map", m.Map, m.Cols)
	c.names("row_names", m.RowNames, m.Rows)
	c.names("col_names", m.ColNames, m.Cols)
}

// text describes M in a table: its path, how it was read, and its size.
func (m *Matrix) text(s *Settings) string {
	text := m.Input
	if s.Variable != "" {
		text += ", variable " + s.Variable
	}
	if s.Run.Transpose {
		text += ", transposed"
	}
	text += fmt.Sprintf(", %d x %d", m.Rows, m.Cols)
	if m.Entries > 0 {
		text += fmt.Sprintf(", sparse, %d entries", m.Entries)
	}
	return text
}

// observed describes which entries count and how, and is empty for a complete matrix.
func (m *Matrix) observed(solver string) string {
	var s string
	switch {
	case m.Sparse:
		s = "the stored entries"
	case m.Missing > 0:
		s = fmt.Sprintf("all but %d entries (%s)", m.Missing, render.Percent(float64(m.Missing)/(float64(m.Rows)*float64(m.Cols))))
	case m.Weighted:
		s = "all entries"
	default:
		return ""
	}
	if m.Weighted {
		s += ", with weights"
	}
	if solver == string(lnmu.MissingExact) {
		s += ", solved exactly"
	}
	return s
}
