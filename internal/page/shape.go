package page

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"nmu/internal/render"
)

// Pixels is the size of an image and the order of its pixels, column by column or line by line.
// The zero value means unknown.
type Pixels struct {
	Height, Width int
	ByRows        bool
}

// Known reports whether the size is known.
func (p Pixels) Known() bool { return p.Height > 0 && p.Width > 0 }

// MarshalJSON implements json.Marshaler. The order is that of the pixels: columns or rows, one after the other.
func (p Pixels) MarshalJSON() ([]byte, error) {
	order := "columns"
	if p.ByRows {
		order = "rows"
	}
	return fmt.Appendf(nil, `{"height":%d,"width":%d,"order":%q}`, p.Height, p.Width, order), nil
}

// UnmarshalJSON implements json.Unmarshaler. It refuses an unknown size or order.
func (p *Pixels) UnmarshalJSON(text []byte) error {
	var size struct {
		Height, Width int
		Order         string
	}
	err := json.Unmarshal(text, &size)
	*p = Pixels{size.Height, size.Width, size.Order == "rows"}
	if err == nil && (!p.Known() || !p.ByRows && size.Order != "columns") {
		err = fmt.Errorf("the size of an image is %s", text)
	}
	return err
}

// At returns the index of pixel (y, x).
func (p Pixels) At(y, x int) int {
	if p.ByRows {
		return y*p.Width + x
	}
	return x*p.Height + y
}

// side describes the rows of M or its columns, and how a vector over them is drawn.
type side struct {
	n      int
	left   []bool // those that are left out; nil: none
	what   string // row, column
	pixels Pixels
	names  []string     // nil if there are none
	scale  render.Scale // of curves: the names as numbers or times, else 1 to n; without numbers if they are no curves
}

// fewRows is the largest number of unnamed rows that are drawn as bars instead of a curve.
const fewRows = 24

func newSide(n int, what string, pixels Pixels, names []string, left []bool) side {
	s := side{n: n, what: what, pixels: pixels, left: left}
	if len(names) == n {
		s.names = names
	}
	if pixels.Known() {
		return s
	}
	if s.scale = render.NewScale(s.names); s.scale.At != nil && !s.scale.Times {
		s.scale.Name = "name of the " + what + ", a number"
	} else if s.names == nil && n > fewRows {
		s.scale.Name = what + " of M"
		for i := range n {
			s.scale.At = append(s.scale.At, float64(i+1))
		}
	}
	return s
}

// without reports whether row or column i is left out.
func (s side) without(i int) bool { return s.left != nil && s.left[i] }

// curves reports whether vectors over the side are curves.
func (s side) curves() bool { return s.scale.At != nil }

// over returns the side with what its names are, if they are numbers or times.
func (s side) over(axis string) side {
	if axis != "" && s.curves() && s.names != nil {
		s.scale.Name = axis
	}
	return s
}

// twoNumbers matches the numbers in the name of a pixel.
var twoNumbers = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`)

// ends returns the ends of the axes of a picture, from top to bottom and from left to right. The name of each pixel must
// have two numbers, one for its line and one for its column, such as wavelengths of excitation and emission.
func (s side) ends() (down, across [2]string) {
	if s.names == nil || !s.pixels.Known() || s.pixels.Height < 2 || s.pixels.Width < 2 {
		return down, across
	}
	numbers := func(y, x int) []string { return twoNumbers.FindAllString(s.names[s.pixels.At(y, x)], -1) }
	first, last := numbers(0, 0), numbers(s.pixels.Height-1, s.pixels.Width-1)
	for of := range 2 { // the number that belongs to the line
		fits := len(first) == 2 && len(last) == 2
		for y := range s.pixels.Height {
			for x := 0; x < s.pixels.Width && fits; x++ {
				at, line, column := numbers(y, x), numbers(y, 0), numbers(0, x)
				fits = len(at) == 2 && len(line) == 2 && len(column) == 2 && at[of] == line[of] && at[1-of] == column[1-of]
			}
		}
		if fits && first[of] != last[of] && first[1-of] != last[1-of] {
			return [2]string{first[of], last[of]}, [2]string{first[1-of], last[1-of]}
		}
	}
	return down, across
}

// longestName is how many characters of a name are shown.
const longestName = 80

// name returns the name of a row or a column, or its number if it has none.
func (s side) name(i int) string {
	if s.names != nil && s.names[i] != "" {
		name := s.names[i]
		if n := 0; len(name) > longestName {
			for at := range name {
				if n++; n > longestName {
					return name[:at] + "…"
				}
			}
		}
		return name
	}
	return s.what + " " + strconv.Itoa(i+1)
}

// shrink returns the height and width of a reduced picture of at most most pixels. Each of its
// pixels is the mean of a block of step x step pixels, of those that are not NaN.
func (p Pixels) shrink(most int) (height, width, step int) {
	for step = 1; ; step++ {
		height, width = (p.Height-1)/step+1, (p.Width-1)/step+1
		if height == 1 && width == 1 || height <= most/width {
			return height, width, step
		}
	}
}

// reduce returns the reduced picture of a vector, line by line, with at most most pixels.
func (p Pixels) reduce(x func(i int) float64, most int) (pixels []float64, height, width int) {
	height, width, step := p.shrink(most)
	pixels = make([]float64, height*width)
	for y := range height {
		for z := range width {
			var mean float64
			bottom, right := min(p.Height, (y+1)*step), min(p.Width, (z+1)*step)
			all, blank := (bottom-y*step)*(right-z*step), 0
			each := 1 / float64(all)
			for yy := y * step; yy < bottom; yy++ {
				for zz := z * step; zz < right; zz++ {
					if e := x(p.At(yy, zz)); e == e {
						mean += e * each
					} else {
						blank++
					}
				}
			}
			if blank > 0 {
				mean *= float64(all) / float64(all-blank) // NaN if all are
			}
			pixels[y*width+z] = mean
		}
	}
	return pixels, height, width
}
