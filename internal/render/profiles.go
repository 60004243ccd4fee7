package render

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"unicode/utf8"
)

// Profile is a row of bars with an interval for each.
type Profile struct {
	Name              string
	Values, Low, High []float64 // nonnegative, of one length
}

// Profiles draws the profiles one below the other, each in its own scale, and returns a complete SVG
// document. Bars are the values, lines their intervals. A number that is not finite is drawn as 0. The
// names of the bars, or nil, stand upright below the last profile if there is room for them.
func Profiles(list []Profile, names []string) []byte {
	const (
		width, height = 760.0, 54.0 // of the bars of a profile
		left, above   = 8.0, 18.0
		narrowest     = 7.0 // bar with a name
		longest       = 16  // characters of a name
	)
	shown := make([]string, len(names))
	for i, name := range names {
		if shown[i] = Printable(name); utf8.RuneCountInString(shown[i]) > longest {
			shown[i] = string([]rune(shown[i])[:longest-1]) + "…"
		}
	}
	size := min(10, width/float64(max(1, len(names))))
	if size < narrowest {
		shown = nil
	}
	below, bottom := 8.0, (height+above)*float64(len(list))
	if len(shown) > 0 {
		below += widest(shown) * size / small
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%.1f" viewBox="0 0 %g %.1f" font-family="sans-serif" font-size="11">`,
		width+2*left, bottom+below, width+2*left, bottom+below)
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
	for i, name := range shown {
		x := left + width/float64(len(shown))*(float64(i)+0.4) + size/3
		fmt.Fprintf(&b, `<text x="%.2f" y="%.1f" font-size="%.1f" text-anchor="end" transform="rotate(-90 %.2f %.1f)">%s</text>`, x, bottom+4, size, x, bottom+4, html.EscapeString(name))
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
