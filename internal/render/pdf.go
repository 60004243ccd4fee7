package render

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"regexp"
	"strconv"
	"strings"
)

// PDF returns a drawing of this package, an SVG document, as a PDF document of one page. Characters beyond Latin-1 are
// question marks, since the font is Helvetica, which every reader has.
func PDF(svg []byte) ([]byte, error) {
	var p pdf
	var page element
	err := xml.Unmarshal(svg, &page)
	if err == nil {
		err = p.draw(page, "#000000", small)
	}
	if err != nil {
		return nil, fmt.Errorf("render: a drawing as PDF: %w", err)
	}
	width, height := page.number("width"), page.number("height")
	const points = 0.75 // of a pixel
	content := fmt.Sprintf("%g 0 0 %g 0 %g cm\n%s", points, -points, points*height, &p.content)
	var images strings.Builder
	for i := range p.images {
		fmt.Fprintf(&images, "/I%d %d 0 R ", i, 7+i)
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Contents 4 0 R/Resources<</Font<</F 5 0 R/B 6 0 R>>/XObject<<%s>>>>>>", points*width, points*height, &images),
		stream("", []byte(content)),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
	}, p.images...) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	end := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, x := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", x)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, end)
	return b.Bytes(), nil
}

// stream returns a compressed object with more entries of its dictionary.
func stream(more string, data []byte) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(data) // a buffer takes everything
	z.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", more, b.Len(), &b)
}

// element is an element of the drawing.
type element struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Text       string     `xml:",chardata"`
	Elements   []element  `xml:",any"`
}

// value returns the value of an attribute, or nothing if there is none.
func (e element) value(name string) (value string) {
	for _, a := range e.Attributes {
		if a.Name.Local == name {
			value = a.Value
		}
	}
	return value
}

// number is value for a number; none is 0.
func (e element) number(name string) float64 {
	x, _ := strconv.ParseFloat(e.value(name), 64)
	return x
}

// pdf is a page in the making.
type pdf struct {
	content bytes.Buffer
	images  []string
}

var (
	stepOf  = regexp.MustCompile(`([MLHV])([-.0-9]+) ?([-.0-9]*)`)
	rotated = regexp.MustCompile(`translate\((\S+) (\S+)\) rotate\(-90\)`)
)

// draw draws an element, which inherits a colour and a size of text, and what is within it.
func (p *pdf) draw(e element, fill string, size float64) error {
	x, y, width, height := e.number("x"), e.number("y"), e.number("width"), e.number("height")
	if own := e.value("fill"); own != "" {
		fill = own
	} else if e.value("stroke") != "" {
		fill = "none"
	}
	size = cmp.Or(e.number("font-size"), size)
	w := &p.content
	switch e.XMLName.Local {
	case "svg":
		fmt.Fprintf(w, "q %g %g %g %g re W n\n", x, y, width, height)
		for _, inner := range e.Elements {
			if err := p.draw(inner, fill, size); err != nil {
				return fmt.Errorf("%s: %w", inner.XMLName.Local, err)
			}
		}
		w.WriteString("Q\n")
	case "rect":
		if width > 0 { // else it is the paper
			fmt.Fprintf(w, "%s rg %g %g %g %g re f\n", rgb(fill), x, y, width, height)
		}
	case "circle": // a line of no length with round ends
		cx, cy := e.number("cx"), e.number("cy")
		fmt.Fprintf(w, "q 1 J %s RG %g w %g %g m %g %g l S Q\n", rgb(fill), 2*e.number("r"), cx, cy, cx, cy)
	case "path":
		p.path(e, fill)
	case "image":
		_, data, _ := strings.Cut(e.value("href"), "base64,")
		m, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "q %g 0 0 %g %g %g cm /I%d Do Q\n", width, -height, x, y+height, len(p.images))
		p.images = append(p.images, imageObject(m))
	case "text":
		if e.Text == "" {
			return errors.New("it has no text")
		}
		p.text(e, size, x, y+e.number("dy"))
	}
	return nil
}

// path draws a path, which is filled unless fill is none.
func (p *pdf) path(e element, fill string) {
	var x, y float64
	var steps strings.Builder
	for _, m := range stepOf.FindAllStringSubmatch(e.value("d"), -1) {
		at, _ := strconv.ParseFloat(m[2], 64)
		if m[1] == "V" {
			y = at
		} else {
			x = at
		}
		if m[3] != "" {
			y, _ = strconv.ParseFloat(m[3], 64)
		}
		command := "l"
		if m[1] == "M" {
			command = "m"
		}
		fmt.Fprintf(&steps, "%g %g %s ", x, y, command)
	}
	if fill != "none" {
		fmt.Fprintf(&p.content, "%s rg %sf\n", rgb(fill), &steps)
	}
	if stroke := e.value("stroke"); stroke != "" {
		wide := cmp.Or(e.value("stroke-width"), "1")
		fmt.Fprintf(&p.content, "q [%s] 0 d 1 j %s w %s RG %sS Q\n", e.value("stroke-dasharray"), wide, rgb(stroke), &steps)
	}
}

// helvetica has the widths of the characters from the space to the tilde, in thousandths of the size.
var helvetica = strings.Fields(`278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556
	1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556
	333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584`)

// others are characters beyond Latin-1 that the font has elsewhere, or one like them.
var others = map[rune]rune{'−': '-', '≈': '~', '…': 0x85, '’': 0x92, '–': 0x96, '—': 0x97}

// text writes a text at its place or, with a transform, upright.
func (p *pdf) text(e element, size, x, y float64) {
	wide, shown := 0.0, []byte(nil)
	for _, r := range e.Text {
		if c, ok := others[r]; ok {
			r = c
		} else if r > 0xff || r < ' ' || r >= 0x7f && r < 0xa0 {
			r = '?'
		}
		shown = append(shown, byte(r))
		each := 556.0
		if n := int(r) - ' '; n < len(helvetica) {
			each, _ = strconv.ParseFloat(helvetica[n], 64)
		}
		wide += each * size / 1000
	}
	back := map[string]float64{middle: wide / 2, end: wide}[e.value("text-anchor")]
	font, turn := "F", "1 0 0 -1"
	if e.value("font-weight") == "bold" {
		font = "B"
	}
	if m := rotated.FindStringSubmatch(e.value("transform")); m != nil {
		x, _ = strconv.ParseFloat(m[1], 64)
		y, _ = strconv.ParseFloat(m[2], 64)
		turn, y = "0 -1 -1 0", y+back
	} else {
		x -= back
	}
	fmt.Fprintf(&p.content, "BT 0 g /%s %g Tf %s %.2f %.2f Tm <%x> Tj ET\n", font, size, turn, x, y, shown)
}

// rgb writes a colour such as #56b4e9.
func rgb(color string) string {
	x, _ := strconv.ParseUint(strings.TrimPrefix(color, "#"), 16, 32)
	return fmt.Sprintf("%.3f %.3f %.3f", float64(x>>16)/255, float64(x>>8&255)/255, float64(x&255)/255)
}

// imageObject returns a picture as an object, on white paper.
func imageObject(m image.Image) string {
	size := m.Bounds()
	flat := image.NewRGBA(size)
	draw.Draw(flat, size, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, size, m, size.Min, draw.Over)
	data := make([]byte, 0, 3*size.Dx()*size.Dy())
	for i := 0; i < len(flat.Pix); i += 4 {
		data = append(data, flat.Pix[i:i+3]...)
	}
	return stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8", size.Dx(), size.Dy()), data)
}
