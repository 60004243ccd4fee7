package main

import (
	"cmp"
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
			return runBiclique(c, &f)
		},
	}
}

func runBiclique(c *program.Call, f *bicliqueFlags) error {
	defer work.ReadWithin(f.MaxMemory)()
	searches := min(f.Processors(), cmp.Or(f.Starts, biclique.DefaultStarts))
	g, err := readGraph(c, f, searches)
	if err != nil {
		return err
	}
	_, need := biclique.EstimateOf(g.Rows(), g.Cols(), g.Edges(), searches)
	defer work.KeepWithin(need)()
	ctx, stop := exit.Interruptible(c.Context)
	defer stop()
	res, err := biclique.Find(ctx, g, biclique.Options{Starts: f.Starts, Iterations: f.Iterations, Seed: f.Seed, Threads: f.Threads})
	if err != nil && (ctx.Err() == nil || res.Edges == 0) {
		return exit.MarkInterrupted(ctx, err)
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
	return exit.MarkInterrupted(ctx, err)
}

// readGraph reads a 0/1 matrix as a graph, for so many searches side by side.
func readGraph(c *program.Call, f *bicliqueFlags, searches int) (*biclique.Graph, error) {
	file, err := f.Open(c.Console)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, cols := file.Dims()
	held, reading, edges := work.Plus(matio.DenseSize[float64](file), work.Pages[float64](file, false)), int64(0), 0
	if file.Sparse() {
		held, edges = matio.SparseSize[float32](file)
		reading = work.Plus(matio.SparsePeak[float32](file), work.Process())
	}
	fits := func(unread, reading int64, edges int) error {
		build, find := biclique.EstimateOf(rows, cols, edges, searches)
		need := max(build, find-held) // the matrix is gone when the search begins
		return file.Fits(max(reading, work.Plus(work.Plus(work.Process(), unread), need)), "a search in it")
	}
	if err := fits(held, reading, edges); err != nil {
		return nil, err // before anything is read
	}
	f.Say(c.Console, file)
	var g *biclique.Graph
	if file.Sparse() {
		rows, cols, ptr, idx, val, err := matio.Sparse[float32](file)
		if err == nil {
			err = fits(0, 0, len(val))
		}
		if err != nil {
			return nil, err
		}
		g, err = biclique.FromSparse(lnmu.CSR[float32]{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Val: val})
		return g, inFile(f.Path, err)
	}
	m, err := data.Dense[float64](file)
	if err != nil {
		return nil, err
	}
	err = file.Guard(func() (err error) {
		edges := 0
		for _, x := range m.Data {
			if x != 0 {
				edges++
			}
		}
		if err := fits(work.Pages[float64](file, true), 0, edges); err != nil {
			return err
		}
		g, err = biclique.FromDense(m)
		return inFile(f.Path, err)
	})
	return g, err
}

// inFile names the file in an error about its content.
func inFile(path string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return err
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
