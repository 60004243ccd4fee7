package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"nmu/lnmu"
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
	return e.Name
}

// topOf returns the k largest entries of each factor, or fewer: zeros are none. Of
// equal ones the first come first.
func topOf[T lnmu.Float](res *lnmu.Result[T], k int, rowNames, colNames []string) []topFactor {
	var top []topFactor
	for f := range res.V.Cols {
		column := make([]T, res.V.Rows)
		for i := range column {
			column[i] = res.V.At(i, f)
		}
		top = append(top, topFactor{f + 1, largest(column, k, rowNames), largest(res.W.Row(f), k, colNames)})
	}
	return top
}

// largest returns the k largest entries of x that are not zero.
func largest[T lnmu.Float](x []T, k int, names []string) []topEntry {
	var index []int
	for i, v := range x {
		if v > 0 {
			index = append(index, i)
		}
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
	entries := make([]topEntry, min(k, len(index)))
	for n := range entries {
		i := index[n]
		entries[n] = topEntry{Index: i + 1, Value: float64(x[i])}
		if names != nil {
			entries[n].Name = names[i]
		}
	}
	return entries
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
