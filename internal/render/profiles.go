package render

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Profile is a nonnegative number for each row or column, perhaps with an interval and a curve behind it: functions that
// may be nil. NaN is left out.
type Profile struct {
	Name                      string
	Values, Low, High, Behind func(i int) float64
}

// mostPoints is the largest number of points of a curve.
const mostPoints = 400

// Profiles draws profiles of n numbers one below the other, each in its own scale, and returns a complete SVG document. With a
// scale they are curves over its axis, and else bars; lines and bands are their intervals. The names of the bars, or
// nil, stand upright below the last profile if there is room for them. What is left out is a gap of a curve, and grey
// among bars. The label says in words what is seen.
func Profiles(label string, n int, list []Profile, names []string, scale Scale) []byte {
	const (
		width, height = 720.0, 54.0 // of a profile
		left, above   = 56.0, 22.0
		narrowest     = 4.7 // bar with a name
		longest       = 16  // characters of a name
	)
	d := &drawing{label: label, left: left, right: left + width, width: left + width + 16}
	var shown []string
	if size := width / float64(max(1, len(names))); size >= narrowest && scale.At == nil {
		for _, name := range names {
			shown = append(shown, cut(Printable(name), longest))
		}
	}
	for k, p := range list {
		d.top = above + float64(k)*(height+above)
		d.bottom = d.top + height
		d.place(p.Name, d.left, d.top-6, start, `font-weight="bold"`)
		y := axis{from: d.bottom, to: d.top}
		for _, x := range []func(int) float64{p.Values, p.High, p.Behind} {
			for i := 0; i < n && x != nil; i++ {
				y.max = max(y.max, finite(x(i)))
			}
		}
		x := axis{max: float64(n), from: d.left, to: d.right}
		if scale.At != nil {
			x = scale.axis(8)
			if k < len(list)-1 {
				x.name = ""
				for i := range x.ticks {
					x.ticks[i].label = ""
				}
			}
			d.across(&x)
		} else {
			d.stroke(d.left, d.bottom, d.right, d.bottom, ink, "")
		}
		d.stroke(d.left, d.top, d.left, d.bottom, ink, "")
		d.text(d.left-6, d.bottom, end, "0")
		if !(y.max > 0) {
			continue
		}
		d.text(d.left-6, d.top, end, Number(y.max))
		if scale.At != nil {
			d.curves(p, scale.At, &x, &y)
		} else {
			d.bars(p, n, &x, &y)
		}
	}
	below := 8.0
	if scale.At != nil {
		below = 44
	}
	size := min(10, width/float64(max(1, len(shown))))
	for i, name := range shown {
		x := left + width/float64(len(shown))*(float64(i)+0.4) + size/3
		d.place(name, 0, 0, end, fmt.Sprintf(`font-size="%.1f" transform="translate(%s %s) rotate(-90)"`, size, Coordinate(x), Coordinate(d.bottom+5)))
		below = max(below, 12+wide(name)*size/small)
	}
	d.height = d.bottom + below
	return d.document()
}

// fill draws an area.
func (d *drawing) fill(path, color string) {
	if path != "" {
		fmt.Fprintf(d, `<path d="%s" fill="%s"/>`+"\n", path, color)
	}
}

// bars draws a profile as bars, with the lines of its intervals.
func (d *drawing) bars(p Profile, n int, x, y *axis) {
	var bars, absent, lines strings.Builder
	wide := 0.8 * (d.right - d.left) / float64(n)
	for i := range n {
		v, at := p.Values(i), x.place(float64(i)+0.1)
		to, top := &bars, y.place(finite(v))
		if math.IsNaN(v) {
			to, top = &absent, d.top
		}
		if top < d.bottom {
			fmt.Fprintf(to, "M%s %sV%sH%sV%s", Coordinate(at), Coordinate(d.bottom), Coordinate(top), Coordinate(at+wide), Coordinate(d.bottom))
		}
		if p.High != nil && p.High(i) > p.Low(i) {
			fmt.Fprintf(&lines, "M%s %sV%s", Coordinate(at+wide/2), Coordinate(y.place(finite(p.Low(i)))), Coordinate(y.place(finite(p.High(i)))))
		}
	}
	d.fill(absent.String(), "#eeeeee")
	d.fill(bars.String(), "#56b4e9")
	if lines.Len() > 0 {
		fmt.Fprintf(d, `<path d="%s" fill="none" stroke="#111111" stroke-width="%s"/>`+"\n", &lines, Coordinate(min(1.2, max(0.2, 0.4*wide))))
	}
}

// curves draws a profile as a curve, with the band of its intervals and the curve behind it.
func (d *drawing) curves(p Profile, at []float64, x, y *axis) {
	// path returns stretches of a curve between gaps. With back each is an area down to that curve.
	path := func(value, back func(i int) float64) string {
		var b strings.Builder
		if value == nil {
			return ""
		}
		var run []int
		end := func() {
			for n := len(run) - 1; n >= 0 && back != nil; n-- {
				b.WriteString(Step(false, x.place(at[run[n]]), y.place(finite(back(run[n])))))
			}
			run = run[:0]
		}
		for _, i := range Thin(len(at), mostPoints, value) {
			v := value(i)
			if finite(v) != v {
				end()
				continue
			}
			b.WriteString(Step(len(run) == 0, x.place(at[i]), y.place(v)))
			run = append(run, i)
		}
		end()
		return b.String()
	}
	if p.High != nil {
		d.fill(path(p.High, p.Low), "#cfe3f2")
	}
	for _, c := range []struct {
		value func(i int) float64
		color string
	}{{p.Behind, "#999999"}, {p.Values, colors[0]}} {
		if line := path(c.value, nil); line != "" {
			fmt.Fprintf(d, `<path d="%s" fill="none" stroke="%s" stroke-width="1.3"/>`+"\n", line, c.color)
		}
	}
}

// Image is a picture in a drawing: its name, and its data as a URL with the scheme data.
type Image struct {
	Name          string
	URL           string
	Height, Width int // in pixels
}

// Images draws pictures of one size beside and below each other and returns a complete SVG document. The ends of their
// axes, from top to bottom and from left to right, are written at the first one, unless they are empty.
func Images(label string, list []Image, down, across [2]string) []byte {
	const side, between, above = 96.0, 10.0, 18.0
	most := list[0]
	for _, x := range list {
		most.Height, most.Width = max(most.Height, x.Height), max(most.Width, x.Width)
	}
	high, wide := side, side*float64(most.Width)/float64(most.Height)
	if wide > 6*side {
		high, wide = 6*side*float64(most.Height)/float64(most.Width), 6*side
	}
	columns := max(1, min(len(list), int(math.Sqrt(float64(len(list))*1.5*high/wide)+0.999)))
	left, step := 8+widest(down[:]), high+above+between
	if across[0] != "" {
		step += line
	}
	d := &drawing{label: label, width: left + float64(columns)*(wide+between), height: float64((len(list)-1)/columns+1)*step + 4}
	for k, x := range list {
		at, top := left+float64(k%columns)*(wide+between), above+float64(k/columns)*step
		d.place(x.Name, at, top-5, start, `font-weight="bold"`)
		fmt.Fprintf(d, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" style="image-rendering:pixelated" href="%s"/>`+"\n", Coordinate(at), Coordinate(top), Coordinate(wide), Coordinate(high), x.URL)
		if k == 0 {
			d.text(at-4, top+4, end, down[0])
			d.text(at-4, top+high-4, end, down[1])
			d.text(at, top+high+9, start, across[0])
			d.text(at+wide, top+high+9, end, across[1])
		}
	}
	return d.document()
}

// Bars are numbers with names, the largest first.
type Bars struct {
	Name   string
	Names  []string
	Values []float64
}

// Lists draws lists of bars beside and below each other and returns a complete SVG document.
func Lists(label string, list []Bars) []byte {
	const (
		columns, wide, above = 3, 250.0, 26.0
		longest              = 16 // characters of a name
	)
	rows := 0
	for _, x := range list {
		rows = max(rows, len(x.Names))
	}
	high := above + line*float64(rows)
	d := &drawing{label: label, width: wide * float64(min(columns, len(list))), height: high*float64((len(list)-1)/columns+1) + 6}
	for k, x := range list {
		left, top := wide*float64(k%columns), high*float64(k/columns)
		d.place(x.Name, left+8, top+above-8, start, `font-weight="bold"`)
		for i, name := range x.Names {
			y := top + above + line*(float64(i)+0.5)
			d.text(left+112, y, end, cut(Printable(name), longest))
			d.fill(fmt.Sprintf("M%s %sH%sV%sH%sZ", Coordinate(left+116), Coordinate(y-5), Coordinate(left+116+(wide-124)*finite(x.Values[i]/x.Values[0])), Coordinate(y+5), Coordinate(left+116)), colors[0])
		}
	}
	return d.document()
}

// cut returns a text of at most n characters.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) > n {
		return string([]rune(text)[:n-1]) + "…"
	}
	return text
}

// finite returns x, or 0 unless it is finite.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// Shades draws a matrix of rows x cols numbers from 0 to 1 as squares, white for 0 and black for 1,
// and returns a complete SVG document. The squares of a small matrix are larger.
func Shades(rows, cols int, at func(i, j int) float64) []byte {
	const least, wide, most = 5, 300, 20 // sides of squares, and of the picture of a small matrix
	const levels = 16
	side := max(least, min(most, wide/max(1, rows, cols)))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" shape-rendering="crispEdges">`, side*cols, side*rows, side*cols, side*rows)
	b.WriteString(paper)
	for i := range rows {
		level := func(j int) int { return int(math.Round(levels * min(1, max(0, finite(at(i, j)))))) }
		for j := 0; j < cols; {
			from, now := j, level(j)
			for j < cols && level(j) == now {
				j++
			}
			if grey := 255 - 255*now/levels; now > 0 {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#%02x%02x%02x"/>`, side*from, side*i, side*(j-from), side, grey, grey, grey)
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
