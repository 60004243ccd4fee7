package page

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
)

// Hues for positive and negative entries of M - V W, on light and dark pages.
var (
	leftHue = color.NRGBA{R: 0x2f, G: 0x74, B: 0xb5}
	overHue = color.NRGBA{R: 0xd2, G: 0x5f, B: 0x2b}
)

// inPage returns an image as a face.
func inPage(alt string, m image.Image) face {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, m); err != nil {
		panic(err) // the size is positive and the buffer takes everything
	}
	size := m.Bounds()
	return face{Alt: alt, Picture: template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), Height: size.Dy(), Width: size.Dx()}
}

// ink draws nonnegative numbers in gray: 0 is white, most is black, and NaN is transparent.
func ink(alt string, data []float64, height, width int, most float64) face {
	if slices.ContainsFunc(data, math.IsNaN) {
		m := image.NewNRGBA(image.Rect(0, 0, width, height))
		for i, x := range data {
			if gray := uint8(math.Round(255 * (1 - part(x, most)))); !math.IsNaN(x) {
				copy(m.Pix[4*i:], []uint8{gray, gray, gray, 255})
			}
		}
		return inPage(alt, m)
	}
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i, x := range data {
		m.Pix[i] = uint8(math.Round(255 * (1 - part(x, most))))
	}
	return inPage(alt, m)
}

// signed draws positive and negative numbers in two hues. They are full at most, and zero is
// transparent.
func signed(alt string, data []float64, height, width int, most float64) face {
	const steps = 127
	palette := make(color.Palette, 2*steps+1)
	for i := range palette {
		c, n := leftHue, i-steps
		if n < 0 {
			c, n = overHue, -n
		}
		c.A = uint8(255 * n / steps)
		palette[i] = c
	}
	m := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	for i, x := range data {
		n := int(math.Round(steps * part(math.Abs(x), most)))
		if x < 0 {
			n = -n
		}
		m.Pix[i] = uint8(steps + n)
	}
	return inPage(alt, m)
}

// part returns x/most, limited to the range from 0 to 1, and 0 for NaN.
func part(x, most float64) float64 {
	if !(x > 0) || !(most > 0) {
		return 0
	}
	return min(1, x/most)
}

// quantile returns the q-quantile of the nonzero absolute values, or 0 if there are none.
func quantile(data []float64, q float64) float64 {
	sorted := make([]float64, 0, len(data))
	for _, x := range data {
		if a := math.Abs(x); a > 0 {
			sorted = append(sorted, a)
		}
	}
	if len(sorted) == 0 {
		return 0
	}
	slices.Sort(sorted)
	return sorted[int(q*float64(len(sorted)-1))]
}

// largest is most for a list.
func largest(data []float64) float64 {
	return most(len(data), func(i int) float64 { return data[i] })
}
