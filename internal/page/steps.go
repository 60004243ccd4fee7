package page

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"nmu/internal/render"
)

// stepsData is the data of the section of single columns: frames for readers without script,
// and the numbers from which the script draws.
type stepsData struct {
	Recursive bool
	Parts     int // that are added
	Without   bool
	Title     string // of the frames
	Frames    []card
	Data      scriptData
}

// scriptData is the data of the script. Numbers of a column are fractions of its unit.
type scriptData struct {
	Kind     string          `json:"kind"` // picture, curve or bars
	Height   int             `json:"height,omitempty"`
	Width    int             `json:"width,omitempty"`
	X        []float64       `json:"x,omitempty"`     // of a curve, from 0 to 1
	Names    []string        `json:"names,omitempty"` // of bars
	Parts    int             `json:"parts"`
	V        string          `json:"v"`                  // the parts one after the other, 0 to 65535, in base64
	Errors   map[int]float64 `json:"errors"`             // of V W, by rank
	Weighted bool            `json:"weighted,omitempty"` // those errors
	Columns  []scriptColumn  `json:"columns"`
	First    int             `json:"first"` // the column that is shown at first
}

// scriptColumn is a column of M for the script.
type scriptColumn struct {
	Name   string    `json:"name"`
	Unit   float64   `json:"unit"`
	M      string    `json:"m,omitempty"` // like V
	W      []float64 `json:"w"`           // how much of each part, as its largest entry
	Errors []float64 `json:"errors,omitempty"`
	Rows   []int     `json:"rows,omitempty"` // of bars: those to show
}

// steps makes the section of single columns.
func (p *page) steps() any {
	columns := []column(nil)
	known := spread(p.Rows, p.Rows)
	data := stepsData{Recursive: p.Method.Recursive, Parts: p.parts, Without: p.Distance == nil}
	shown := -1
	if d := p.Distance; d != nil {
		columns, known, shown = d.columns, d.is, d.middle
	} else {
		for _, j := range spread(p.Cols, mostColumns) {
			columns = append(columns, column{j: j})
		}
	}
	picture := p.rows.pixels.Known()
	if picture && len(known) < p.Rows {
		known = spread(p.Rows, p.Rows)
		for i := range columns {
			columns[i].m, columns[i].errors = nil, nil
		}
	}

	// at are the indices in known of the shown rows.
	var at []int
	script := scriptData{Parts: p.parts, Weighted: p.Weighted, Errors: map[int]float64{}}
	each := mostPoints
	if picture {
		each = min(len(known), p.pixels())
	}
	columns = some(columns, max(3, mostNumbers/2/each), shown, p.Distance)
	switch {
	case picture:
		script.Kind = "picture"
		script.Height, script.Width, _ = p.rows.pixels.shrink(p.pixels())
	case p.rows.curves():
		script.Kind = "curve"
		at = slices.DeleteFunc(spread(len(known), mostPoints), func(n int) bool { return p.rows.without(known[n]) })
		lo, hi := p.rows.scale.Ends()
		for _, n := range at {
			script.X = append(script.X, math.Round(1e4*(p.rows.scale.At[known[n]]-lo)/(hi-lo))/1e4)
		}
	default:
		script.Kind = "bars"
		for i := range columns {
			at = append(at, p.tallest(columns[i], known)...)
		}
		slices.Sort(at)
		at = slices.Compact(at)
		for _, n := range at {
			script.Names = append(script.Names, p.rows.name(known[n]))
		}
	}
	// look returns the entries of a vector in the shown rows.
	look := func(x func(n int) float64) []float64 {
		if picture {
			pixels, _, _ := p.rows.pixels.reduce(x, p.pixels())
			return pixels
		}
		values := make([]float64, len(at))
		for i, n := range at {
			values[i] = x(n)
		}
		return values
	}

	var v []byte
	tops := make([]float64, p.parts)
	for k := range p.parts {
		part := look(func(n int) float64 { return p.V.At(known[n], k) })
		tops[k] = largest(part)
		v = append(v, words(part, tops[k])...)
	}
	script.V = base64.StdEncoding.EncodeToString(v)
	for _, b := range p.blocks() {
		script.Errors[b.Rank] = b.Error
	}
	for i, c := range columns {
		s := scriptColumn{Name: p.columnName(c.j), Errors: rounded(c.errors, p.parts+1)}
		if c.m != nil {
			m := look(func(n int) float64 { return c.m[n] })
			s.Unit = largest(m)
			s.M = base64.StdEncoding.EncodeToString(words(m, s.Unit))
		}
		if s.Unit == 0 {
			s.Unit = largest(look(func(n int) float64 { return p.entry(known[n], c.j, p.parts) }))
		}
		if s.Unit == 0 {
			s.Unit = 1
		}
		for k := range p.parts {
			s.W = append(s.W, digits(tops[k]*p.W.At(k, c.j)/s.Unit))
		}
		if script.Kind == "bars" {
			for _, n := range p.tallest(c, known) {
				place, _ := slices.BinarySearch(at, n)
				s.Rows = append(s.Rows, place)
			}
		}
		if c.j == shown {
			script.First = i
		}
		script.Columns = append(script.Columns, s)
	}
	data.Data = script
	p.frames(&data, columns[script.First], known)
	return data
}

// some returns at most most of the columns, among them the shown, the best and the worst one.
func some(columns []column, most, shown int, d *Distance) []column {
	if len(columns) <= most {
		return columns
	}
	var list []column
	few := spread(len(columns), max(1, most-3))
	for i, c := range columns {
		if slices.Contains(few, i) || d != nil && (c.j == d.best || c.j == shown || c.j == d.worst) {
			list = append(list, c)
		}
	}
	return list
}

// entry returns entry i, j of V W with the first k parts.
func (p *page) entry(i, j, k int) float64 {
	sum := 0.0
	for l := range k {
		sum += p.V.At(i, l) * p.W.At(l, j)
	}
	return sum
}

// tallest returns the indices in known of the rows with the largest entries of the column, or
// of its reconstruction if M is missing.
func (p *page) tallest(c column, known []int) []int {
	if c.m != nil {
		return Top(len(known), func(n int) float64 { return c.m[n] }, mostBars)
	}
	sums := make([]float64, len(known))
	for n, i := range known {
		sums[n] = p.entry(i, c.j, p.parts)
	}
	return Top(len(known), func(n int) float64 { return sums[n] }, mostBars)
}

// columnName returns the name of a column, and what is special about it.
func (p *page) columnName(j int) string {
	name := p.cols.name(j)
	if d := p.Distance; d != nil {
		switch j {
		case d.best:
			name += " (least error)"
		case d.middle:
			name += " (error in the middle)"
		case d.worst:
			name += " (largest error)"
		}
	}
	return name
}

// frames adds the pictures of a column for readers without script: M, and V W with more and
// more parts.
func (p *page) frames(data *stepsData, c column, known []int) {
	data.Title = p.columnName(c.j)
	unit := 0.0
	full := make([]float64, p.Rows)
	if c.m != nil {
		for n, i := range known {
			full[i] = c.m[n]
		}
		unit = largest(full)
	}
	add := func(says, e string, x []float64) {
		f := p.rows.face(says, func(i int) float64 { return x[i] }, unit, p.pixels())
		if p.rows.curves() && c.m != nil && says != "M" {
			f.Behind = data.Frames[0].Face.Path
		}
		data.Frames = append(data.Frames, card{Says: says, Error: e, Face: f})
	}
	if unit == 0 {
		unit = most(p.Rows, func(i int) float64 { return p.entry(i, c.j, p.parts) })
	}
	if c.m != nil && len(known) == p.Rows {
		add("M", "", full)
	} else if c.m != nil {
		c.m = nil
	}
	sum := make([]float64, p.Rows)
	a, b := 1, 2
	for k := 1; k <= p.parts; k++ {
		w := p.W.At(k-1, c.j)
		for i := range sum {
			sum[i] += p.V.At(i, k-1) * w
		}
		if k == p.parts || p.Method.Recursive && k == a && k < p.parts {
			says := render.Plural(k, "part")
			e := ""
			if c.errors != nil {
				e = percent(c.errors[k])
			}
			add(says, e, sum)
		}
		if k == a {
			a, b = b, a+b
		}
	}
}

// words writes numbers as fractions of most in 16 bits each, least significant byte first.
func words(x []float64, most float64) []byte {
	b := make([]byte, 0, 2*len(x))
	for _, e := range x {
		b = binary.LittleEndian.AppendUint16(b, uint16(math.Round(65535*part(e, most))))
	}
	return b
}

// rounded returns the first n numbers with five significant digits.
func rounded(x []float64, n int) []float64 {
	if x == nil {
		return nil
	}
	short := make([]float64, n)
	for i := range short {
		short[i] = digits(x[i])
	}
	return short
}

// digits rounds a number to five significant digits.
func digits(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	if y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64); err == nil {
		return y
	}
	return x // rounded up it is out of range
}
