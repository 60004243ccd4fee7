package render

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// Profile is a row of bars with an interval for each.
type Profile struct {
	Name              string
	Values, Low, High []float64 // nonnegative, of one length
}

// Profiles draws the profiles one below the other, each in its own scale, and returns a complete SVG
// document. Bars are the values, lines their intervals. A number that is not finite is drawn as 0.
func Profiles(list []Profile) []byte {
	const (
		width, height = 760.0, 54.0 // of the bars of a profile
		left, above   = 8.0, 18.0
	)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" font-family="sans-serif" font-size="11">`,
		width+2*left, (height+above)*float64(len(list))+8, width+2*left, (height+above)*float64(len(list))+8)
	b.WriteString(paper)
	for k, p := range list {
		base := float64(k+1) * (height + above)
		fmt.Fprintf(&b, `<text x="%g" y="%.1f">%s</text>`, left, base-height-4, html.EscapeString(Printable(p.Name)))
		most := 0.0
		for i := range p.Values {
			most = max(most, finite(p.Values[i]), finite(p.High[i]))
		}
		if !(most > 0) {
			continue
		}
		step := width / float64(len(p.Values))
		y := func(x float64) float64 { return base - height*finite(x)/most }
		for i, x := range p.Values {
			at := left + step*float64(i)
			fmt.Fprintf(&b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#56b4e9"/>`, at, y(x), max(0.3, 0.8*step), base-y(x))
			if p.High[i] > p.Low[i] {
				fmt.Fprintf(&b, `<line x1="%.2f" x2="%.2f" y1="%.2f" y2="%.2f" stroke="#111" stroke-width="%.2f"/>`, at+0.4*step, at+0.4*step, y(p.Low[i]), y(p.High[i]), min(1.2, 0.3*step))
			}
		}
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="#999"/>`, left, left+width, base, base)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// finite returns x, or 0 unless it is finite.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// Shades draws a matrix of rows x cols numbers from 0 to 1 as squares, white for 0 and black for 1,
// and returns a complete SVG document.
func Shades(rows, cols int, at func(i, j int) float64) []byte {
	const side = 5
	const levels = 16
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
