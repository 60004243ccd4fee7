package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"nmu/internal/picture"
	"nmu/internal/render"
	"nmu/lnmu"
)

// WriteMarkdown writes the tables of all sets.
func (p *Tables) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# The experiments of section 4\n\n%s. Each row is the best of %s, seeds %d to %d, the same for all methods.\n",
		p.Origin.Line(), render.Plural(p.Restarts, "random start"), p.Seed, p.Seed+uint64(p.Restarts)-1)
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "\n%s.\n", note)
	}
	for _, s := range p.Sets {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Title)
		b.WriteString(s.Markdown())
		fmt.Fprintf(&b, "\n![basis images, %s](%s)\n", s.Title, s.FigureName())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// FigureName returns the file name of the figure of a set.
func (s *Set) FigureName() string { return s.Name + ".png" }

// Markdown returns the table of a set and the remarks below it. A cell holds the measured
// figure and, in brackets, the printed one and the difference.
func (s *Set) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d x %d, r = %d", s.Source, s.Height*s.Width, s.Images, s.Rank)
	b.WriteString(". All figures are in percent. Brackets hold the paper's figure and the difference.\n\n")
	table := render.Table{Head: []string{""}, Align: "l" + strings.Repeat("r", len(columns)) + "l"}
	for _, c := range columns {
		table.Head = append(table.Head, c.name)
	}
	table.Head = append(table.Head, "")
	var notes []string
	for _, row := range s.Rows {
		table.Rows = append(table.Rows, row.cells(row.Name))
		for _, v := range row.Variants {
			table.Rows = append(table.Rows, v.cells(row.Name+", "+v.Variant))
		}
		for _, reason := range row.Reasons {
			notes = append(notes, row.Name+": "+reason+".")
		}
		notes = append(notes, row.partsText()...)
	}
	b.WriteString(table.Markdown())
	b.WriteString(render.Bullets(append(notes, s.columnsText()...)))
	return b.String()
}

// cells returns the cells of a row under name. A variant has no verdict and no brackets.
func (row *Row) cells(name string) []string {
	if row.Asked != "" {
		name += " (" + row.Asked + ")"
	}
	cells := []string{name}
	for i, ours := range row.Figures {
		c, x := column(i), row.Paper[i]
		cell := c.format(ours)
		switch {
		case !x.Known() || row.Variant != "":
		case row.Verdict == NotJudged, !ours.Known():
			cell += fmt.Sprintf(" (%s)", c.format(x))
		default:
			cell += fmt.Sprintf(" (%s, %s)", c.format(x), c.difference(ours, x))
		}
		cells = append(cells, cell)
	}
	return append(cells, string(row.Verdict))
}

// columnsText compares the printed sh(W) of NMF, G-NMU and R-NMU with both ways to measure it.
func (s *Set) columnsText() []string {
	var byRows, byColumns float64
	n := 0
	for _, name := range []string{rowNMF, rowGNMU, rowRNMU} {
		row := s.find(name)
		if row == nil || !row.Paper[colSHW].Known() {
			return nil
		}
		byRows += math.Abs(float64(row.Figures[colSHW] - row.Paper[colSHW]))
		byColumns += math.Abs(float64(row.Figures[colSHColumns] - row.Paper[colSHW]))
		n++
	}
	return []string{fmt.Sprintf("The paper's sh(W) of NMF, G-NMU and R-NMU differs by %.0f points on average from the mean over the rows of W. It differs by %.0f points from the mean over the columns of W, if every column of V is scaled to a largest entry of 1.",
		byRows/float64(n), byColumns/float64(n))}
}

// partsText says which parts R-NMU separates on the swimmer set, for the row and its variants.
func (row *Row) partsText() []string {
	var out []string
	last := ""
	for _, x := range append([]*Row{row}, row.Variants...) {
		if x.Parts == nil {
			continue
		}
		list := strings.Join(x.Parts.Images, "; ")
		if list == last {
			list = "the same"
		} else {
			last = list
		}
		text := "each basis image shows one part of the body and nothing else"
		if !x.Parts.Separate {
			text = "the basis images show several parts"
		}
		out = append(out, fmt.Sprintf("%s, %d iterations: %s, counting pixels above %.0f %% of its maximum: %s.", x.Name, x.Iterations, text, 100*touchFraction, list))
	}
	return out
}

// WriteFigure writes the figure of a set as PNG: a sample of its images, and
// below it the columns of V of each method.
func (s *Set) WriteFigure(w io.Writer) error {
	m := s.data.m
	shown := min(s.data.columns, m.Cols)
	sample := lnmu.NewDense[float64](m.Rows, shown, nil)
	for k := range shown {
		for i := range m.Rows {
			sample.Data[i*shown+k] = m.At(i, k*m.Cols/shown)
		}
	}
	bases := []picture.Basis[float64]{s.images("sample of the data", sample)}
	add := func(row *Row, label string) {
		if row.basis.Cols > 0 {
			bases = append(bases, s.images(label, row.basis))
		}
	}
	for _, row := range s.Rows {
		add(row, row.Name)
		for _, v := range row.Variants {
			if v.Name == rowRNMU {
				add(v, row.Name+", "+v.Variant)
			}
		}
	}
	return picture.Stack(w, bases, picture.Layout{Columns: s.data.columns, Zoom: s.data.zoom})
}

func (s *Set) images(label string, v lnmu.Dense[float64]) picture.Basis[float64] {
	return picture.Basis[float64]{Label: label, V: v, Size: picture.Pixels{Height: s.Height, Width: s.Width}}
}
