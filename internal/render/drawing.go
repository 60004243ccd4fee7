package render

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// paper is the background of a drawing: a page may be dark.
const paper = `<rect width="100%" height="100%" style="fill:#FFFFFF" />` + "\n"

// Lengths of a drawing, in pixels.
const (
	small = 11.0 // text
	large = 14.0 // the title
	line  = 16.0 // from one line of text to the next
)

// Anchors of a text.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

// wide returns about the width of a text. The font is that of the reader.
func wide(text string) float64 { return 0.6 * small * float64(utf8.RuneCountInString(text)) }

// widest returns the width of the widest text.
func widest(texts []string) float64 {
	most := 0.0
	for _, t := range texts {
		most = max(most, wide(t))
	}
	return most
}

// Coordinate writes a place on a drawing with the digits that make a visible difference.
func Coordinate(x float64) string {
	return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64)
}

// drawing is an SVG document in the making, with the rectangle that axes surround.
type drawing struct {
	bytes.Buffer
	label                    string // in words, for those who do not see it
	width, height            float64
	left, top, right, bottom float64
}

// newDrawing begins a drawing around a rectangle of a size. left is the room at its left, names
// stand at its right.
func newDrawing(title string, left, width, height float64, names []string) *drawing {
	d := &drawing{left: left, top: 14}
	if title != "" {
		d.top += large + 6
	}
	d.right, d.bottom = d.left+width, d.top+height
	d.width, d.height = d.right+44+widest(names), d.bottom+44
	d.place(title, d.left, large+2, start, fmt.Sprintf(`font-size="%g"`, large))
	return d
}

// document returns the SVG document.
func (d *drawing) document() []byte {
	size := Coordinate(d.width) + " " + Coordinate(d.height)
	width, height, _ := strings.Cut(size, " ")
	says := ""
	if d.label != "" {
		says = ` role="img" aria-label="` + html.EscapeString(Printable(d.label)) + `"`
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg"%s width="%s" height="%s" viewBox="0 0 %s" font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="%g">`+"\n%s%s</svg>\n",
		says, width, height, size, small, paper, d.Bytes())
}

// place writes a text with more attributes.
func (d *drawing) place(text string, x, y float64, anchor, more string) {
	if text != "" {
		fmt.Fprintf(d, `<text x="%s" y="%s" text-anchor="%s" %s>%s</text>`+"\n", Coordinate(x), Coordinate(y), anchor, more, html.EscapeString(Printable(text)))
	}
}

// text writes a text whose middle has the height y.
func (d *drawing) text(x, y float64, anchor, text string) {
	d.place(text, x, y, anchor, `dy="4"`)
}

// stroke draws a line.
func (d *drawing) stroke(x1, y1, x2, y2 float64, color, more string) {
	fmt.Fprintf(d, `<path d="M%s %sL%s %s" stroke="%s"%s/>`+"\n", Coordinate(x1), Coordinate(y1), Coordinate(x2), Coordinate(y2), color, more)
}

// Colours of axes.
const (
	ink  = "#666666"
	grid = "#dddddd"
)

// across draws an axis below the rectangle.
func (d *drawing) across(a *axis) {
	a.from, a.to = d.left, d.right
	for _, t := range a.ticks {
		x := a.place(t.at)
		d.stroke(x, d.top, x, d.bottom, grid, "")
		d.stroke(x, d.bottom, x, d.bottom+5, ink, "")
		d.text(x, d.bottom+14, middle, t.label)
	}
	d.stroke(d.left, d.bottom, d.right, d.bottom, ink, "")
	d.text((d.left+d.right)/2, d.bottom+32, middle, a.name)
}

// upward draws an axis at the left of the rectangle.
func (d *drawing) upward(a *axis) {
	a.from, a.to = d.bottom, d.top
	for _, t := range a.ticks {
		y := a.place(t.at)
		d.stroke(d.left, y, d.right, y, grid, "")
		d.stroke(d.left-5, y, d.left, y, ink, "")
		d.text(d.left-8, y, end, t.label)
	}
	d.stroke(d.left, d.top, d.left, d.bottom, ink, "")
	x, y := Coordinate(line), Coordinate((d.top+d.bottom)/2)
	d.place(a.name, 0, 0, middle, fmt.Sprintf(`transform="translate(%s %s) rotate(-90)"`, x, y))
}

// legend writes the names of lines at the right of the rectangle. first is the number of the first
// colour.
func (d *drawing) legend(names []string, first int) {
	x, y := d.right+14, d.top+line/2
	for i, name := range names {
		d.stroke(x, y, x+14, y, colors[(first+i)%len(colors)], ` stroke-width="2"`)
		d.text(x+20, y, start, name)
		y += line
	}
}

// fewPoints is the largest number of points that a line marks.
const fewPoints = 60

// panel draws lines over two axes in the rectangle. first is the number of the first colour, and dashed the place of a
// vertical line, unless it is 0.
func (d *drawing) panel(lines []Line, across, upward *axis, first int, dashed float64) {
	d.across(across)
	d.upward(upward)
	if dashed != 0 {
		x := across.place(dashed)
		d.stroke(x, d.top, x, d.bottom, "#000000", ` stroke-dasharray="4 3"`)
	}
	// A document within the document shows no part of a line beyond the axes.
	box := Coordinate(d.left-1) + " " + Coordinate(d.top-1) + " " + Coordinate(d.right-d.left+2) + " " + Coordinate(d.bottom-d.top+2)
	sides := strings.Fields(box)
	fmt.Fprintf(d, `<svg x="%s" y="%s" width="%s" height="%s" viewBox="%s" fill="none">`+"\n", sides[0], sides[1], sides[2], sides[3], box)
	var names []string
	for i, l := range lines {
		names = append(names, l.Name)
		color := colors[(first+i)%len(colors)]
		var path strings.Builder
		for n, at := range l.Points {
			x, y := across.place(at.X), upward.place(at.Y)
			path.WriteString(Step(n == 0, x, y))
			if at.Error > 0 {
				d.stroke(x, upward.place(at.Y-at.Error), x, upward.place(at.Y+at.Error), color, "")
			}
		}
		if path.Len() > 0 {
			fmt.Fprintf(d, `<path d="%s" stroke="%s" stroke-width="1.8"/>`+"\n", &path, color)
		}
	}
	d.WriteString("</svg>\n")
	for i, l := range lines {
		for _, at := range l.Points {
			if at.Y <= upward.max && len(l.Points) <= fewPoints {
				fmt.Fprintf(d, `<circle cx="%s" cy="%s" r="2.5" fill="%s"/>`+"\n", Coordinate(across.place(at.X)), Coordinate(upward.place(at.Y)), colors[(first+i)%len(colors)])
			}
		}
	}
	d.legend(names, first)
}

// Step returns a step of a path to a point: a move to the first one, a line to the others.
func Step(first bool, x, y float64) string {
	command := "L"
	if first {
		command = "M"
	}
	return command + Coordinate(x) + " " + Coordinate(y)
}
