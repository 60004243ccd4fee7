package record

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"nmu/internal/render"
)

// TopFactor is what --top prints of a factor: the rows where its column of V is
// largest, and the columns where its row of W is.
type TopFactor struct {
	Factor int        `json:"factor"` // 1-based
	Rows   []TopEntry `json:"rows"`
	Cols   []TopEntry `json:"cols"`
}

// TopEntry is a row or a column of M, and its entry in a factor.
type TopEntry struct {
	Name  string  `json:"name,omitempty"`
	Index int     `json:"index"` // 1-based
	Value float64 `json:"value"`
}

// Text names the entry.
func (e TopEntry) Text() string {
	if e.Name == "" {
		return strconv.Itoa(e.Index)
	}
	return render.Printable(e.Name)
}

// writeTop prints the largest entries for people.
func writeTop(w io.Writer, top []TopFactor) error {
	list := func(entries []TopEntry) string {
		var s []string
		for _, e := range entries {
			s = append(s, e.Text())
		}
		return strings.Join(s, ", ")
	}
	for _, f := range top {
		if _, err := fmt.Fprintf(w, "\nfactor %d\n  rows     %s\n  columns  %s\n", f.Factor, list(f.Rows), list(f.Cols)); err != nil {
			return err
		}
	}
	return nil
}
