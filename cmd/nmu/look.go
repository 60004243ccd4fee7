package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/program"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/render"
)

func lookCommand() *program.Command {
	var f input.Matrix
	return &program.Command{
		Of: options.Inspect, Run: &f.Run, First: []string{"json"},
		Use:   "look INPUT",
		Short: "Show how a file is read, and what the matrix holds",
		Long: `Read the matrix in INPUT and show how nmu reads it: the kind of the file, its size,
what became the names of rows and columns, and what was left out. Then come its first
rows and columns, the range of its entries, the shares of zeros and of missing entries,
whether it holds counts (whole numbers), and the command that is advised next. Nothing
is factored. Empty cells of a table are missing entries here.

A dense matrix is read in pieces, and a table larger than memory by temporary files.

` + input.Help(),
		Example: `  nmu look counts.csv
  nmu look table.csv --row-labels no --json`,
		Least: 1, Most: 1, Takes: "one INPUT, got %d arguments",
		Do: func(c *program.Call) error {
			f.Path = c.Args[0]
			stop := func() {}
			defer func() { stop() }()
			// A signal now leaves no temporary files. It ends the program while standard input is awaited.
			interruptible := sync.OnceValue(func() (ctx context.Context) {
				ctx, stop = exit.Interruptible(c.Context)
				return ctx
			})
			l, err := data.LookAt(interruptible, &f.Run, func(spill *matio.Spill) (*matio.File, error) { return f.OpenSpilled(c.Console, spill) })
			switch ctx := interruptible(); {
			case ctx.Err() != nil:
				return exit.Interruption(ctx)
			case err != nil:
				return err
			case c.Text("json") == "true":
				return render.WriteJSON(c.Out, l)
			}
			return writeLook(c.Out, l)
		},
	}
}

// writeLook prints a Look.
func writeLook(w io.Writer, l *data.Look) error {
	var t render.Facts
	t.Add("read as", "%s", l.Reading)
	if l.Least != nil {
		t.Add("entries", "%.6g to %.6g", *l.Least, *l.Largest)
	}
	all := float64(l.Rows) * float64(l.Cols)
	for _, x := range []struct {
		what string
		n    int64
	}{{"zeros", l.Zeros}, {"missing", l.Missing}, {"infinite", l.Infinite}, {"negative", l.Negative}} {
		if x.n > 0 || x.what == "zeros" || x.what == "missing" {
			t.Add(x.what, "%d (%s)", x.n, render.Percent(float64(x.n)/max(1, all)))
		}
	}
	t.Add("counts", "%s", map[bool]string{true: "yes, all entries are whole", false: "no"}[l.Counts])
	words := make([]string, len(l.Advised))
	for i, word := range l.Advised {
		words[i] = message.ShellWord(word)
	}
	t.Add("advised", "%s", strings.Join(words, " "))
	if err := t.WriteText(w); err != nil {
		return err
	}
	corner := render.Table{Align: "lr", Rows: [][]string{append([]string{""}, l.ColNames...)}}
	for i, row := range l.Corner {
		cells := []string{fmt.Sprint(i + 1)}
		if i < len(l.RowNames) {
			cells[0] = l.RowNames[i]
		}
		for _, x := range row {
			cell := "missing"
			if x != nil {
				cell = fmt.Sprintf("%.6g", *x)
			}
			cells = append(cells, cell)
		}
		corner.Rows = append(corner.Rows, cells)
	}
	if l.ColNames == nil {
		corner.Rows = corner.Rows[1:]
	}
	fmt.Fprintln(w)
	return corner.WriteText(w, "  ")
}
