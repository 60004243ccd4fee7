package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/input"
	"nmu/cmd/internal/program"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/biclique"
)

// bicliqueFlags is the command line of nmu biclique.
type bicliqueFlags struct {
	input.Matrix
}

// bicliqueReport is what --json prints.
type bicliqueReport struct {
	Schema     string `json:"schema"` // "nmu-biclique/1"
	Input      string `json:"input"`
	GraphRows  int    `json:"graph_rows"`
	GraphCols  int    `json:"graph_cols"`
	GraphEdges int    `json:"graph_edges"`
	Seed       uint64 `json:"seed"`
	Start      int    `json:"start"` // that found it
	Edges      int    `json:"edges"`
	Bound      int    `json:"bound"`   // no biclique has more edges
	Maximal    bool   `json:"maximal"` // always
	Rows       []int  `json:"rows"`    // from 0
	Cols       []int  `json:"cols"`
}

func bicliqueCommand() *program.Command {
	var f bicliqueFlags
	return &program.Command{
		Of: options.Biclique | options.Graph, Run: &f.Run, Without: []string{"dense"}, First: []string{"starts", "iterations", "seed", "threads", "json"},
		Use:   "biclique INPUT",
		Short: "Find a biclique with many edges in a bipartite graph",
		Long: `Look for a biclique with many edges in a bipartite graph: rows and columns of a 0/1
matrix that have a 1 wherever they meet. INPUT is the matrix, dense or sparse. A .mtx
file can list the edges ("%%MatrixMarket matrix coordinate pattern general").

Finding a biclique with the most edges is NP-hard. This heuristic, nonnegative
underapproximation of rank one from several starts, finds a maximal biclique: no row
or column can be added to it, but there may be a larger one. The bound follows from
the degrees: no biclique has more edges. Rows and columns are counted from 0.`,
		Example: `  nmu biclique graph.mtx
  nmu biclique likes.csv --starts 100 --seed 7 --json`,
		Least: 1, Most: 1, Takes: "one INPUT, got %d",
		Do: func(c *program.Call) error {
			if f.Path = c.Args[0]; f.Missing == options.MissingAllow {
				return exit.Misuse(errors.New("--missing allow: a graph has no missing entries; choose zero, drop-rows or drop-cols"))
			}
			return c.With(&f.Matrix, nil, func(m program.Open) error { return runBiclique(c, &f, m) })
		},
	}
}

func runBiclique(c *program.Call, f *bicliqueFlags, m program.Open) error {
	f.Say(c.Console, m.File)
	search := find[float64]
	if m.Sparse() {
		search = find[float32]
	}
	g, res, err := search(m.Context, f, m.File)
	if err != nil && (m.Context.Err() == nil || res.Edges == 0) {
		if errors.Is(err, lnmu.ErrValue) {
			err = fmt.Errorf("%s: %w", f.Path, err)
		}
		return exit.MarkInterrupted(m.Context, err)
	}
	rep := bicliqueReport{
		Schema: "nmu-biclique/1", Input: f.Path, GraphRows: g.Rows(), GraphCols: g.Cols(), GraphEdges: g.Edges(), Seed: f.Seed,
		Start: res.Start, Edges: res.Edges, Bound: res.Bound, Maximal: true, Rows: res.Rows, Cols: res.Cols,
	}
	write := rep.writeTable
	if f.JSON {
		write = rep.writeJSON
	}
	if failed := write(c.Out); failed != nil {
		return failed
	}
	return exit.MarkInterrupted(m.Context, err)
}

// find looks for a biclique in the graph of a file, in one precision.
func find[T lnmu.Float](ctx context.Context, f *bicliqueFlags, file *matio.File) (*biclique.Graph, biclique.Result, error) {
	m := work.Call[T]{Job: work.Job{Path: f.Path, Run: f.Run}, File: file}
	if err := m.Select(options.Biclique, &data.Request{Run: &f.Run}, false); err != nil {
		return nil, biclique.Result{}, err
	}
	return m.Biclique(ctx)
}

func (r *bicliqueReport) writeJSON(w io.Writer) error { return render.WriteJSON(w, r) }

func (r *bicliqueReport) writeTable(w io.Writer) error {
	var t render.Facts
	t.Add("graph", "%s, %d x %d, %s", r.Input, r.GraphRows, r.GraphCols, render.Plural(r.GraphEdges, "edge"))
	t.Add("biclique", "%d x %d, %s", len(r.Rows), len(r.Cols), render.Plural(r.Edges, "edge"))
	t.Add("rows", "%s", strings.Trim(fmt.Sprint(r.Rows), "[]"))
	t.Add("columns", "%s", strings.Trim(fmt.Sprint(r.Cols), "[]"))
	if r.Edges == r.Bound {
		t.Add("checked", "a biclique; none has more edges")
	} else {
		t.Add("checked", "a biclique, and maximal; a heuristic: others may have more edges, up to %d", r.Bound)
	}
	return t.WriteText(w)
}
