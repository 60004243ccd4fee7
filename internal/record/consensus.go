package record

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// The files of nmu consensus, beside the tables of each rank.
const (
	NameConsensus     = "consensus.json"
	NameConsensusPlot = "consensus.svg"
	NameConsensusPage = "consensus.html"
)

// ConsensusNames returns the names of the files of nmu consensus for some ranks.
func ConsensusNames(ranks []int) []string {
	names := []string{NameConsensus, NameConsensusPlot, NameConsensusPage}
	for _, r := range ranks {
		for _, name := range []string{"V-%d.csv", "W-%d.csv", "V-%d.npy", "W-%d.npy", "map-%d.csv"} {
			names = append(names, fmt.Sprintf(name, r))
		}
	}
	return names
}

// ConsensusSchema names the format of consensus.json.
const ConsensusSchema = "nmu-consensus/3"

// Consensus is what consensus.json holds, and the names for the tables.
type Consensus[T lnmu.Float] struct {
	About
	*compare.StabilityResult[T] `json:"result"`
}

// Show writes the report to the folder dir, if it is not nil, and prints it.
func (c *Consensus[T]) Show(out io.Writer, folder *fileset.Folder, dir string, asJSON bool) error {
	c.Program = program(ConsensusSchema)
	p := presented{
		Document: c.document(), plot: c.plot, names: ConsensusNames(nil), list: slices.Concat(c.terms(), c.Notes), more: ", and tables of each rank,",
		sections: func() (list []render.Section) {
			for _, p := range c.advisedFirst() {
				list = append(list, c.sections(p)...)
			}
			return list
		},
	}
	for _, x := range c.Points {
		p.tables = append(p.tables, c.tables(x)...)
	}
	return c.show(c, p, out, folder, dir, asJSON)
}

// tables returns the files of a rank.
func (c *Consensus[T]) tables(p compare.StabilityPoint[T]) []fileset.File {
	r := p.Rank
	var heads []string
	for k := range r {
		part := fmt.Sprintf("part %d", k+1)
		heads = append(heads, part, part+" low", part+" high")
	}
	beside := func(all ...lnmu.Dense[T]) lnmu.Dense[T] { // their columns in turn
		d := lnmu.NewDense[T](all[0].Rows, 3*r, nil)
		for i := range d.Rows {
			for k := range d.Row(i) {
				d.Row(i)[k] = all[k%3].At(i, k/3)
			}
		}
		return d
	}
	v, w := beside(p.V, p.VLow, p.VHigh), beside(p.W.Transposed(), p.WLow.Transposed(), p.WHigh.Transposed())
	var shown []string
	if c.ColNames != nil {
		for x := range c.Columns {
			shown = append(shown, c.ColNames[compare.Mapped(c.Comparison.Cols, x)])
		}
	}
	csv := func(name string, d lnmu.Dense[T], rows, cols []string) fileset.File {
		return fileset.File{Name: fmt.Sprintf(name, r), Write: func(to io.Writer) error { return matio.EncodeCSV(to, Labelled(d, rows, cols)) }}
	}
	npy := func(name string, d lnmu.Dense[T]) fileset.File {
		return fileset.File{Name: fmt.Sprintf(name, r), Write: func(to io.Writer) error { return matio.EncodeNpy(to, d.Rows, d.Cols, d.Data, d.Stride) }}
	}
	return []fileset.File{
		csv("V-%d.csv", v, c.RowNames, heads), csv("W-%d.csv", w, c.ColNames, heads),
		npy("V-%d.npy", p.V), npy("W-%d.npy", p.W), csv("map-%d.csv", p.Map, shown, shown),
	}
}

// document is the report for people, without its plot.
func (c *Consensus[T]) document() render.Document {
	how := "from other starts"
	switch c.Resample {
	case compare.Columns:
		how = "of resampled columns"
	case compare.Poisson:
		how = "of Poisson counts"
	}
	runs := fmt.Sprintf("%d for each rank, %s, seed %d", c.Runs, how, c.Seed)
	if c.Finished < c.AllRuns {
		runs += fmt.Sprintf("; %d of %d in all, ended by %s", c.Finished, c.AllRuns, c.Stop)
	}
	t := render.Table{Head: []string{"rank", "runs", "stability", "least part", "outliers", measure(&c.Comparison), "of the runs", "cophenetic"}, Align: "r"}
	if c.Comparison.Weighted {
		t.Head = append(t.Head, "Q / expected", "least of the runs")
	}
	t.Head, t.Align = append(t.Head, ""), strings.Repeat("r", len(t.Head))+"l"
	for _, p := range c.Points {
		kept := 0
		for _, k := range p.Kept {
			kept += k
		}
		row := options.Texts(options.Pick(options.FieldsOf("nmu_consensus_point"), "rank", "runs", "stability", "error", "run_error", "cophenetic"), p, render.Percent)
		row = slices.Insert(row, 3, fmt.Sprintf("%.3f", slices.Min(p.Silhouettes)), render.Percent(1-float64(kept)/float64(p.Runs*p.Rank)))
		if c.Comparison.Weighted {
			row = append(row, page.OverExpected(p.Q, p.ExpectedQ), page.OverExpected(p.RunQ, p.ExpectedQ))
		}
		t.Rows = append(t.Rows, append(row, advised(&c.Comparison, p.Rank)))
	}
	return c.About.document(&c.Comparison, "nmu consensus", "Consensus", "", render.Facts{{Name: "runs", Value: runs}, {Name: "intervals", Value: fmt.Sprintf("hold %g %% of the runs", 100*c.Level)}}, t)
}

// terms explains the columns of the table.
func (c *Consensus[T]) terms() []string {
	list := []string{
		"stability: the mean silhouette of the matched parts, 1 if all runs find the same parts; least part: that of the least stable part",
		"outliers: parts of runs that are left out of the medians; of the runs: the median " + measure(&c.Comparison) + " of single runs",
		"cophenetic: the correlation of the consensus map, 1 if columns go together in all runs or in none",
	}
	if d, _ := options.Describe(c.Method); d.Underapproximates {
		list = append(list, "W: fitted to M under V W <= M, at the observed entries")
	}
	if c.Comparison.Weighted {
		list = append(list, "Q / expected: the weighted sum of squares of M - V W, near 1 for a good fit if the weights are 1/s² for errors of standard deviation s; V has medians, so that single runs have less: least of the runs")
	}
	return list
}

// advisedFirst returns the points, that of the advised rank first.
func (c *Consensus[T]) advisedFirst() []compare.StabilityPoint[T] {
	list := slices.Clone(c.Points)
	if at := slices.IndexFunc(list, func(p compare.StabilityPoint[T]) bool { return p.Rank == c.Advice.Rank }); at > 0 {
		list = slices.Insert(slices.Delete(list, at, at+1), 0, c.Points[at])
	}
	return list
}

// plot draws stability and error by rank.
func (c *Consensus[T]) plot() ([]byte, error) {
	by := func(name, field string) render.Line {
		return lineOf(name, options.FieldsOf("nmu_consensus_point"), c.Points, field)
	}
	least, lowest := render.Line{Name: "least part"}, 0.0
	for _, p := range c.Points {
		y := slices.Min(p.Silhouettes)
		least.Points, lowest = append(least.Points, render.Spread{X: float64(p.Rank), Y: y}), min(lowest, y)
	}
	return render.Panels(fmt.Sprintf("Stability and %s by rank: %s, %d x %d", measure(&c.Comparison), c.Method, c.Comparison.Rows, c.Comparison.Cols), "Rank", []render.Panel{
		{Y: "Silhouette", Min: lowest, Max: 1, Lines: []render.Line{by("stability", "stability"), least}},
		{Y: fmt.Sprintf("Relative %s (%%)", measure(&c.Comparison)), Lines: []render.Line{by("consensus", "error"), by("median of the runs", "run_error")}},
	}, c.Advice.Rank)
}

// Limits of what a page shows.
const (
	mostBars    = 400 // rows of V in a picture of its parts
	mostSquares = 100 // rows of a picture of a consensus map
	namedRows   = 5   // of a part, the largest
)

// sections is what the page shows of a rank: its parts and its consensus map.
func (c *Consensus[T]) sections(p compare.StabilityPoint[T]) []render.Section {
	t := render.Table{Head: []string{"part", "share of W", "silhouette", "runs", "largest entries of V, with their intervals"}, Align: "rrrrl"}
	sums, all := make([]float64, p.Rank), 0.0
	for k := range sums {
		if p.Kept[k] == 0 {
			continue // its entries are missing
		}
		for _, x := range p.W.Row(k) {
			sums[k] += float64(x)
		}
		all += sums[k]
	}
	rows, cols := render.NewScale(c.RowNames), render.NewScale(c.ColNames)
	rows.Name, cols.Name = cmp.Or(c.RowAxis, rows.Name), cmp.Or(c.ColAxis, cols.Name)
	var profiles, series []render.Profile
	for k := range p.Rank {
		var largest []string
		for _, i := range page.Top(p.V.Rows, func(i int) float64 { return float64(p.V.At(i, k)) }, namedRows) {
			text := fmt.Sprintf("%s %.3g", nameOf(c.RowNames, i), float64(p.V.At(i, k)))
			if p.Kept[k] > 1 {
				text += fmt.Sprintf(" (%.3g to %.3g)", float64(p.VLow.At(i, k)), float64(p.VHigh.At(i, k)))
			}
			largest = append(largest, text)
		}
		share := 0.0
		if all > 0 {
			share = sums[k] / all
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(k + 1), render.Percent(share), fmt.Sprintf("%.3f", p.Silhouettes[k]), fmt.Sprintf("%d of %d", p.Kept[k], p.Runs), strings.Join(largest, ", ")})
		name := fmt.Sprintf("part %d", k+1)
		of := func(d lnmu.Dense[T]) func(int) float64 { return func(i int) float64 { return float64(d.At(i, k)) } }
		across := func(d lnmu.Dense[T]) func(int) float64 { return func(j int) float64 { return float64(d.At(k, j)) } }
		profiles = append(profiles, render.Profile{Name: name, Values: of(p.V), Low: of(p.VLow), High: of(p.VHigh)})
		series = append(series, render.Profile{Name: name, Values: across(p.W), Low: across(p.WLow), High: across(p.WHigh)})
	}
	parts := render.Section{Title: fmt.Sprintf("Rank %d", p.Rank), Table: t}
	if p.Rank == c.Advice.Rank {
		parts.Title += ", advised"
	}
	if rows.At != nil || p.V.Rows <= mostBars {
		parts.SVG = append(parts.SVG, render.Profiles("parts with their intervals", p.V.Rows, profiles, c.RowNames, rows))
		parts.List = append(parts.List, fmt.Sprintf("V: its rows, from %s to %s, with their intervals", nameOf(c.RowNames, 0), nameOf(c.RowNames, p.V.Rows-1)))
	}
	if cols.At != nil {
		parts.SVG = append(parts.SVG, render.Profiles("weights with their intervals", p.W.Cols, series, nil, cols))
		parts.List = append(parts.List, fmt.Sprintf("W: its columns, from %s to %s, with their intervals", c.ColNames[0], c.ColNames[p.W.Cols-1]))
	}
	return []render.Section{parts, {
		Title: fmt.Sprintf("Consensus map, rank %d", p.Rank), SVG: [][]byte{mapOf(p)},
		List: []string{"columns of M by their largest part; black: in the same part in all runs, white: in none"},
	}}
}

// nameOf returns the name of a row, or its number.
func nameOf(names []string, i int) string {
	if names == nil || names[i] == "" {
		return fmt.Sprintf("row %d", i+1)
	}
	return names[i]
}

// mapOf draws the consensus map with the columns in the order of their largest parts, and in each
// of how often it is theirs. Of many columns a square is the mean of several.
func mapOf[T lnmu.Float](p compare.StabilityPoint[T]) []byte {
	n := p.Map.Cols
	labels := make([]int, n)
	order := make([]int, n)
	for x := range order {
		order[x] = x
		j := compare.Mapped(p.W.Cols, x)
		for k := range p.Rank {
			if p.W.At(k, j) > p.W.At(labels[x], j) {
				labels[x] = k
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	squares := min(n, mostSquares)
	from := func(s int) int { return s * n / squares }
	return render.Shades(squares, squares, func(a, b int) float64 {
		sum, count := 0.0, 0
		for x := from(a); x < from(a+1); x++ {
			for y := from(b); y < from(b+1); y++ {
				sum += float64(p.Map.At(order[x], order[y]))
				count++
			}
		}
		return sum / float64(count)
	})
}
