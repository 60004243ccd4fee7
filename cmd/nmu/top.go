package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"nmu/internal/render"
)

// topFactor is what --top prints of a factor: the rows where its column of V is
// largest, and the columns where its row of W is.
type topFactor struct {
	Factor int        `json:"factor"` // 1-based
	Rows   []topEntry `json:"rows"`
	Cols   []topEntry `json:"cols"`
}

// topEntry is a row or a column of M, and its entry in a factor.
type topEntry struct {
	Name  string  `json:"name,omitempty"`
	Index int     `json:"index"` // 1-based
	Value float64 `json:"value"`
}

// text names the entry.
func (e topEntry) text() string {
	if e.Name == "" {
		return strconv.Itoa(e.Index)
	}
	return render.Printable(e.Name)
}

// writeTop prints the largest entries for people.
func writeTop(w io.Writer, top []topFactor) error {
	list := func(entries []topEntry) string {
		var s []string
		for _, e := range entries {
			s = append(s, e.text())
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
