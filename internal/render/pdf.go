package render

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// PDF returns a drawing of this package, an SVG document, as a PDF document of one page. Characters beyond Latin-1 are
// question marks, since the font is Helvetica, which every reader has.
func PDF(svg []byte) ([]byte, error) {
	p := pdf{decoder: xml.NewDecoder(bytes.NewReader(svg))}
	if err := p.draw(style{fill: "#000000", size: small}); err != nil {
		return nil, fmt.Errorf("render: a drawing as PDF: %w", err)
	}
	const points = 0.75 // of a pixel
	content := fmt.Sprintf("%g 0 0 %g 0 %g cm\n%s", points, -points, points*p.height, &p.content)
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
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Contents 4 0 R/Resources<</Font<</F 5 0 R/B 6 0 R>>/XObject<<%s>>>>>>", points*p.width, points*p.height, &images),
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

// pdf is a page in the making.
type pdf struct {
	decoder       *xml.Decoder
	width, height float64
	content       bytes.Buffer
	images        []string
}

// style is what elements within an element inherit.
type style struct {
	fill string
	size float64
}

// draw draws the elements up to the end of the one that has begun.
func (p *pdf) draw(s style) error {
	for {
		token, err := p.decoder.Token()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if err := p.element(t, s); err != nil {
				return fmt.Errorf("%s: %w", t.Name.Local, err)
			}
		}
	}
}

var (
	stepOf  = regexp.MustCompile(`([MLHVZ])([^MLHVZ]*)`)
	rotated = regexp.MustCompile(`translate\((\S+) (\S+)\) rotate\(-90\)`)
)

// element draws an element and what is within it.
func (p *pdf) element(t xml.StartElement, s style) error {
	attributes := map[string]string{}
	for _, a := range t.Attr {
		attributes[a.Name.Local] = a.Value
	}
	number := func(name string) float64 {
		x, _ := strconv.ParseFloat(attributes[name], 64) // none is 0
		return x
	}
	x, y, width, height := number("x"), number("y"), number("width"), number("height")
	if fill := attributes["fill"]; fill != "" {
		s.fill = fill
	} else if attributes["stroke"] != "" {
		s.fill = "none"
	}
	if size := number("font-size"); size > 0 {
		s.size = size
	}
	w := &p.content
	switch t.Name.Local {
	case "svg":
		if p.height == 0 {
			p.width, p.height = width, height
			return p.draw(s)
		}
		fmt.Fprintf(w, "q %g %g %g %g re W n\n", x, y, width, height)
		err := p.draw(s)
		w.WriteString("Q\n")
		return err
	case "rect":
		if width > 0 { // else it is the paper
			fmt.Fprintf(w, "%s rg %g %g %g %g re f\n", rgb(s.fill), x, y, width, height)
		}
	case "circle": // a line of no length with round ends
		cx, cy := number("cx"), number("cy")
		fmt.Fprintf(w, "q 1 J %s RG %g w %g %g m %g %g l S Q\n", rgb(s.fill), 2*number("r"), cx, cy, cx, cy)
	case "path":
		p.path(attributes["d"], s.fill, attributes)
	case "image":
		_, data, _ := strings.Cut(attributes["href"], "base64,")
		m, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "q %g 0 0 %g %g %g cm /I%d Do Q\n", width, -height, x, y+height, len(p.images))
		p.images = append(p.images, imageObject(m))
	case "text":
		text, err := p.decoder.Token()
		if data, ok := text.(xml.CharData); ok {
			p.text(string(data), attributes, s.size, x, y+number("dy"))
		} else if err == nil {
			err = errors.New("it has no text")
		}
		if err != nil {
			return err
		}
	}
	return p.decoder.Skip()
}

// path draws a path, which is filled unless fill is none.
func (p *pdf) path(d, fill string, attributes map[string]string) {
	var x, y float64
	var steps strings.Builder
	for _, m := range stepOf.FindAllStringSubmatch(d, -1) {
		a, b, _ := strings.Cut(strings.TrimSpace(m[2]), " ")
		at, _ := strconv.ParseFloat(a, 64)
		command := "l"
		switch m[1] {
		case "M", "L":
			x = at
			y, _ = strconv.ParseFloat(b, 64)
			if m[1] == "M" {
				command = "m"
			}
		case "H":
			x = at
		case "V":
			y = at
		}
		fmt.Fprintf(&steps, "%g %g %s ", x, y, command)
	}
	stroke, w := attributes["stroke"], &p.content
	if fill != "none" {
		fmt.Fprintf(w, "%s rg %sf\n", rgb(fill), &steps)
	}
	if stroke != "" {
		wide := attributes["stroke-width"]
		if wide == "" {
			wide = "1"
		}
		fmt.Fprintf(w, "q [%s] 0 d 1 j %s w %s RG %sS Q\n", attributes["stroke-dasharray"], wide, rgb(stroke), &steps)
	}
}

// helvetica has the widths of the characters from the space to the tilde, in thousandths of the size.
var helvetica = strings.Fields(`278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556
	1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556
	333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584`)

// others are characters beyond Latin-1 that the font has elsewhere, or one like them.
var others = map[rune]rune{'−': '-', '≈': '~', '…': 0x85, '’': 0x92, '–': 0x96, '—': 0x97}

// text writes a text at its place or, with a transform, upright.
func (p *pdf) text(text string, attributes map[string]string, size, x, y float64) {
	wide, shown := 0.0, []byte(nil)
	for _, r := range text {
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
	back := map[string]float64{middle: wide / 2, end: wide}[attributes["text-anchor"]]
	font, turn := "F", "1 0 0 -1"
	if attributes["font-weight"] == "bold" {
		font = "B"
	}
	if m := rotated.FindStringSubmatch(attributes["transform"]); m != nil {
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
