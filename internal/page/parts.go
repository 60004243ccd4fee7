package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// card is a drawing with its caption: of a part, its weights, the residual or a column of M.
type card struct {
	Number      int
	Face        face
	Lift        face // the rows of a part by lift, if they have names
	Says, Error string
}

// legend explains the drawings of a side.
type legend struct {
	Pictures, Curves bool
	Height, Width    int // of pictures as they are shown,
	Reduced          bool
	From, To, Axis   string    // of curves
	Down, Across     [2]string // the ends of the axes of pictures
	Shown, All       int       // parts
	Left             bool      // some entries are left out
}

func (p *page) legend(s side) legend {
	l := legend{Shown: p.parts, All: p.Rank, Left: s.left != nil}
	switch {
	case s.pixels.Known():
		l.Pictures = true
		l.Height, l.Width, _ = s.pixels.shrink(p.pixels())
		l.Reduced = l.Height*l.Width < s.n
		l.Down, l.Across = s.ends()
	case s.curves():
		l.Curves = true
		lo, hi := s.scale.Ends()
		l.From, l.To, l.Axis = s.scale.Text(lo), s.scale.Text(hi), s.scale.Name
	}
	return l
}

// pixels returns the largest number of pixels in the picture of a part.
func (p *page) pixels() int { return min(mostPixels, mostNumbers/p.parts) }

// basis makes the section of the parts.
func (p *page) basis() any {
	data := struct {
		legend
		Profiles template.HTML // of few rows with names
		Cards    []card
		Lifts    bool
		Behind   string // whose spectra are drawn
		Error    string // the name of that of each card
	}{legend: p.legend(p.rows), Error: p.named(relativeError)}
	if p.profiled() {
		data.Profiles = render.Inline(p.profiles(p.rows, "Parts as profiles", p.V.At))
	}
	data.Lifts = p.rows.names != nil && !data.Pictures && !data.Curves && p.Rank > 1
	var all []float64
	if data.Lifts {
		all = p.overall()
	}
	for k := range p.parts {
		c := card{Number: k + 1, Face: p.partFace(k)}
		if data.Lifts {
			c.Lift = p.liftFace(k, all)
		}
		if e, known := p.errorAt(k + 1); known {
			c.Says = percent(e)
		}
		if data.Cards = append(data.Cards, c); c.Face.Behind != "" {
			data.Behind = p.Library.File
		}
	}
	return data
}

// mostProfiled is the largest number of rows with names that are drawn as bars for each.
const mostProfiled = 150

// profiled says whether the parts are drawn as bars for each row.
func (p *page) profiled() bool {
	return p.rows.names != nil && !p.rows.curves() && !p.rows.pixels.Known() && p.Rows > mostNames && p.Rows <= mostProfiled
}

// profiles draws the shown parts, or their weights, over a side.
func (p *page) profiles(s side, label string, at func(i, k int) float64) []byte {
	list := make([]render.Profile, p.parts)
	for k := range list {
		list[k] = render.Profile{Name: fmt.Sprintf("part %d", k+1), Values: s.blank(func(i int) float64 { return at(i, k) })}
	}
	return render.Profiles(label, s.n, list, s.names, s.scale)
}

// weight returns the weight of part k in column j.
func (p *page) weight(j, k int) float64 { return p.W.At(k, j) }

// partFace draws column k of V, a curve with the nearest spectrum of the library behind it.
func (p *page) partFace(k int) face {
	x := func(i int) float64 { return p.V.At(i, k) }
	above := most(p.rows.n, x)
	var known func(i int) float64
	if p.Library != nil && p.rows.curves() {
		if known = p.Library.nearestTo(k, p.rows, x); known != nil {
			above = max(above, most(p.rows.n, func(i int) float64 {
				if p.rows.without(i) {
					return 0
				}
				return known(i)
			}))
		}
	}
	f := p.rows.face(fmt.Sprintf("Part %d", k+1), x, above, p.pixels())
	if known != nil {
		f.Behind, f.Known = p.rows.spark(render.Thin(p.rows.n, mostPoints, known), known, above), p.Library.Nearest(k)[0].Name
	}
	return f
}

// overall returns the share of each row of M in the sum of all entries of V W: the mean of its
// shares in the parts, weighted by the sums of the parts.
func (p *page) overall() []float64 {
	sizes := make([]float64, p.Rank)
	for k := range sizes {
		sizes[k] = logSum(column64(p.Rows, func(i int) float64 { return p.V.At(i, k) }).Data, 1) + logSum(column64(p.Cols, func(j int) float64 { return p.W.At(k, j) }).Data, 1)
	}
	all, total := make([]float64, p.Rows), 0.0
	for k, part := range relative(sizes) {
		total += part
		for i, share := range p.shares(k) {
			all[i] += float64(part * share)
		}
	}
	for i := range all {
		all[i] /= total
	}
	return all
}

// shares returns the entries of column k of V, scaled to the sum 1, or zeros for a zero column.
func (p *page) shares(k int) []float64 {
	shares := column64(p.Rows, func(i int) float64 { return p.V.At(i, k) }).Data
	scale, sum := toOne(largest(shares)), 0.0
	for _, x := range shares {
		sum += float64(x * scale)
	}
	for i, x := range shares {
		if x > 0 {
			shares[i] = x * scale / sum
		}
	}
	return shares
}

// liftFace draws the rows with the largest lifts in part k. The lift of a row is its share in
// the part over its share in all parts. A rare row may have a large lift by chance, so rows
// below the mean share are left out.
func (p *page) liftFace(k int, all []float64) face {
	shares := p.shares(k)
	lift := func(i int) float64 {
		if shares[i] < 1/float64(p.Rows) || all[i] < 1e-300 || math.IsNaN(all[i]) { // the quotient is in range
			return 0
		}
		return shares[i] / all[i]
	}
	return face{Alt: fmt.Sprintf("Part %d by lift", k+1), Bars: barsOf(p.Rows, lift, mostNames, 0, p.rows.name)}
}

// logSum returns the logarithm of the norm of nonnegative numbers: their sum if power is 1, the
// Euclidean norm if it is 2. The norm itself may overflow or underflow.
func logSum(x []float64, power int) float64 {
	scale, sum := toOne(largest(x)), 0.0
	for _, e := range x {
		e *= scale
		if power == 2 {
			e *= e
		}
		sum += float64(e)
	}
	return math.Log(sum)/float64(power) - math.Log(scale)
}

// relative returns numbers, given by their logarithms, as parts of the largest.
func relative(logs []float64) []float64 {
	parts, biggest := make([]float64, len(logs)), slices.Max(logs)
	for k, x := range logs {
		if !math.IsInf(x, -1) {
			parts[k] = math.Exp(x - biggest)
		}
	}
	return parts
}

// figureRow is a part as numbers.
type figureRow struct {
	Number         int
	Size           float64 // ||v|| ||w||, as a part of that of the largest
	ZerosV, ZerosW float64
	Error          float64 // with it, of a recursion
	Known          bool
}

// figures makes the section of the parts as numbers.
func (p *page) figures() any {
	data := struct {
		Rows       []figureRow
		Error      string // its name, if errors are known
		Shown, All int
	}{Shown: p.parts, All: p.Rank}
	if len(p.blocks()) > 0 {
		data.Error = headline(p.named("error"))
	}
	sizes := make([]float64, p.parts) // logarithms, which are in range
	for k := range p.parts {
		v := p.rows.kept(func(i int) float64 { return p.V.At(i, k) })
		w := p.cols.kept(func(j int) float64 { return p.W.At(k, j) })
		sizes[k] = logSum(v.Data, 2) + logSum(w.Data, 2)
		row := figureRow{Number: k + 1, ZerosV: factors.RowSparsity(v.Transposed()).Zeros, ZerosW: factors.RowSparsity(w.Transposed()).Zeros}
		row.Error, row.Known = p.errorAt(k + 1)
		data.Rows = append(data.Rows, row)
	}
	for k, size := range relative(sizes) {
		data.Rows[k].Size = size
	}
	return data
}

// kept returns a vector as a matrix with one column, without what is left out.
func (s side) kept(x func(i int) float64) lnmu.Dense[float64] {
	d := column64(s.n, x)
	rest := d.Data[:0]
	for i, e := range d.Data {
		if !s.without(i) {
			rest = append(rest, e)
		}
	}
	return lnmu.NewDense(len(rest), 1, rest)
}

// column64 returns a vector as a matrix with one column.
func column64(n int, x func(i int) float64) lnmu.Dense[float64] {
	d := lnmu.NewDense[float64](n, 1, nil)
	for i := range n {
		d.Data[i] = x(i)
	}
	return d
}

// mostLabels is the largest number of columns that are named below a heat map.
const mostLabels = 60

// weights makes the section of the use of the parts.
func (p *page) weights() any {
	data := struct {
		legend
		Cards          []card        // maps
		Series         template.HTML // curves, if the columns have numbers or times for names
		Heat           face
		First, Last    string // columns of the heat map
		Labels         []string
		Columns, AllOf int
		Top            []card
		Named          bool
		OneScale       bool
	}{legend: p.legend(p.cols), AllOf: p.Cols, Named: p.cols.names != nil, OneScale: p.SumToOne}
	for k := range p.parts {
		w := func(j int) float64 { return p.W.At(k, j) }
		above := most(p.Cols, w)
		if p.SumToOne {
			above = 1
		}
		if p.cols.pixels.Known() {
			alt := fmt.Sprintf("Weights of part %d", k+1)
			data.Cards = append(data.Cards, card{Number: k + 1, Face: p.cols.face(alt, w, above, p.pixels())})
			continue
		}
		data.Top = append(data.Top, card{Number: k + 1, Face: face{Bars: barsOf(p.Cols, w, mostNames, 0, p.cols.name)}})
	}
	switch {
	case data.Cards != nil:
	case p.cols.curves() && data.Named:
		data.Series = render.Inline(p.profiles(p.cols, "Weights of the parts as curves", p.weight))
	default:
		data.Heat, data.Columns = p.heat()
		data.First, data.Last = p.cols.name(0), p.cols.name(p.Cols-1)
		if data.Named && p.Cols <= mostLabels {
			for j := range p.Cols {
				data.Labels = append(data.Labels, p.cols.name(j))
			}
		}
	}
	return data
}

// heat draws the weights as a heat map of so many columns. What is left out is transparent.
func (p *page) heat() (f face, columns int) {
	js := spread(p.Cols, mostHeatCols)
	pixels := make([]float64, 0, p.parts*len(js))
	for k := range p.parts {
		above := most(p.Cols, func(j int) float64 { return p.W.At(k, j) })
		for _, j := range js {
			x := part(p.W.At(k, j), above)
			if p.cols.without(j) {
				x = math.NaN()
			}
			pixels = append(pixels, x)
		}
	}
	alt := fmt.Sprintf("Heat map of the weights: %s, %s", render.Plural(p.parts, "row"), render.Plural(len(js), "column"))
	return ink(alt, pixels, p.parts, len(js), 1), len(js)
}
