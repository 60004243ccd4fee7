package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// drawn returns the picture of some bases.
func drawn[T lnmu.Float](t *testing.T, o Layout, bases ...Basis[T]) *image.Gray {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, Stack(&out, bases, o))
	picture := must.Get(png.Decode(&out))(t)
	g, ok := picture.(*image.Gray)
	if !ok {
		t.Fatalf("picture is %T, want 8-bit gray", picture)
	}
	return g
}

// basis is four images of 2 x 3 pixels: a ramp, zeros, a single pixel, a
// constant. The fifth column is outside (stride 5).
func basis() Basis[float64] {
	v := lnmu.Dense[float64]{Rows: 6, Cols: 4, Stride: 5, Data: make([]float64, 6*5)}
	for i := range 6 {
		copy(v.Data[i*5:], []float64{float64(i) * 10, 0, 0, 1e-9, -1}) // largest 50
	}
	v.Data[4*5+2] = 7 // row 4 = pixel (0, 2)
	return Basis[float64]{V: v, Size: Pixels{Height: 2, Width: 3}}
}

func TestPixels(t *testing.T) {
	g := drawn(t, Layout{Zoom: 4}, basis())
	// 2 x 2 grid of images of 8 x 12 pixels, separators of 2.
	must.Equal(t, g.Rect, image.Rect(0, 0, 2+14+14, 2+10+10), "picture")
	for at := range g.Pix {
		want, p := gray, image.Pt(at%30, at/30)
		for k, origin := range [4]image.Point{{2, 2}, {16, 2}, {2, 12}, {16, 12}} {
			if in := p.Sub(origin); in.In(image.Rect(0, 0, 12, 8)) {
				x, y := in.X/4, in.Y/4
				want.Y = [4]uint8{uint8(255 - 51*(y+2*x)), 255, 255, 0}[k]
				if k == 2 && y == 0 && x == 2 {
					want.Y = 0
				}
			}
		}
		must.Equal(t, g.GrayAt(p.X, p.Y), want, p)
	}
}

// Images by rows, inverted and numbered, hold the same pixels, below their numbers.
func TestLayouts(t *testing.T) {
	b := basis()
	turned := b
	turned.Size.ByRows, turned.V.Data = true, make([]float64, len(b.V.Data))
	for y := range b.Size.Height {
		for x := range b.Size.Width {
			copy(turned.V.Data[turned.Size.At(y, x)*5:][:5], b.V.Data[b.Size.At(y, x)*5:])
		}
	}
	g, inv, num := drawn(t, Layout{Zoom: 20}, b), drawn(t, Layout{Zoom: 20, Invert: true}, b), drawn(t, Layout{Zoom: 20, Numbered: true}, b)
	must.EqualSlices(t, drawn(t, Layout{Zoom: 20}, turned).Pix, g.Pix, "the images by rows")
	const strip = 13
	must.Equal(t, num.Rect, image.Rect(0, 0, g.Rect.Max.X, g.Rect.Max.Y+2*strip), "numbered picture")
	ink := 0
	for row := range 2 {
		for x := 2; x < 62; x++ {
			for y := range strip {
				if num.GrayAt(x, 2+row*(42+strip)+y).Y == 0 {
					ink++
				}
			}
			for y := range 40 {
				at := image.Pt(x, 2+row*42+y)
				want := g.GrayAt(at.X, at.Y)
				must.Equal(t, num.GrayAt(at.X, at.Y+(row+1)*strip), want, at, "numbered")
				must.Equal(t, inv.GrayAt(at.X, at.Y).Y, 255-want.Y, at, "inverted")
			}
		}
	}
	must.AtLeast(t, ink, 10, "the numbers 1 and 3")
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name                string
		cols, height, width int // of the images
		layout              Layout
		wide, high          int
	}{
		{"swimmer, 3 x 3 grid", 8, 20, 11, Layout{}, 2 + 3*(11*6+2), 2 + 3*(20*6+2)},
		{"CBCL, 7 x 7 grid", 49, 19, 19, Layout{}, 2 + 7*(19*4+2), 2 + 7*(19*4+2)},
		{"fifty images, 8 columns", 50, 64, 64, Layout{}, 2 + 8*66, 2 + 7*66},
		{"one row", 8, 20, 11, Layout{Columns: 8, Zoom: 1}, 2 + 8*13, 2 + 22},
		{"more columns than images", 2, 4, 4, Layout{Columns: 9, Zoom: 1}, 2 + 2*6, 2 + 6},
		{"long image", 1, 1, 512, Layout{}, 2 + 1026, 2 + 4},
		{"longer image", 1, 3000, 1, Layout{}, 2 + 3, 2 + 3002},
		{"single pixel", 1, 1, 1, Layout{}, 2 + 66, 2 + 66},
	} {
		b := Basis[float32]{V: lnmu.NewDense[float32](c.height*c.width, c.cols, nil), Size: Pixels{Height: c.height, Width: c.width}}
		must.Equal(t, drawn(t, c.layout, b).Rect, image.Rect(0, 0, c.wide, c.high), c.name, "picture")
	}
}

// A stack has the pixels of each basis, below labels of black on white.
func TestStack(t *testing.T) {
	b := basis()
	alone := drawn(t, Layout{Zoom: 4}, b)
	first, second := b, b
	first.Label = "(a) NMF"
	second.Label = "(b) a label that is wider than its images"
	g := drawn(t, Layout{Zoom: 4}, first, second, b)
	const label, part = 15, 22
	must.Equal(t, g.Rect, image.Rect(0, 0, 4+7*len(second.Label), label+part+6+label+part+6+part), "picture")
	for i, top := range []int{label, label + part + 6 + label, label + part + 6 + label + part + 6} {
		for at := range part * g.Rect.Dx() {
			x, y := at%g.Rect.Dx(), at/g.Rect.Dx()
			want := color.Gray{Y: 255}
			if x < alone.Rect.Dx() {
				want = alone.GrayAt(x, y)
			}
			must.Equal(t, g.GrayAt(x, top+y), want, "part", i, "at", x, y)
		}
	}
	for i, top := range []int{0, label + part + 6} {
		ink := map[uint8]int{}
		for at := range label * g.Rect.Dx() {
			ink[g.GrayAt(at%g.Rect.Dx(), top+at/g.Rect.Dx()).Y]++
		}
		if ink[0] < 50 || ink[0]+ink[255] != label*g.Rect.Dx() {
			t.Errorf("label %d has the levels %v", i, ink)
		}
	}
}

func TestScaleInvariance(t *testing.T) {
	b := basis()
	want := drawn(t, Layout{}, b)
	for i := range b.V.Data {
		b.V.Data[i] *= 0x1p-1040 // subnormal
	}
	b.V.Data[4*5+2] = math.MaxFloat64
	got := drawn(t, Layout{}, b)
	for i, x := range want.Pix {
		must.AtMost(t, math.Abs(float64(x)-float64(got.Pix[i])), 1, "byte", i)
	}
}

func TestBadArguments(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Basis[float64])
		layout Layout
		says   string
	}{
		{"height", func(b *Basis[float64]) { b.Size.Height = 0 }, Layout{}, "0 x 3"},
		{"width", func(b *Basis[float64]) { b.Size.Width = -1 }, Layout{}, "2 x -1"},
		{"pixels", func(b *Basis[float64]) { b.Size.Height = 4 }, Layout{}, "4 x 3 pixels do not fit a matrix of 6 rows"},
		{"overflow", func(b *Basis[float64]) { b.Size.Height, b.Size.Width = math.MaxInt, math.MaxInt }, Layout{}, "6 rows"},
		{"wraps to six", func(b *Basis[float64]) { b.Size.Height, b.Size.Width = 11, (math.MaxUint-4)/11+1 }, Layout{}, "6 rows"},
		{"rows", func(b *Basis[float64]) { b.V.Rows = 0 }, Layout{}, "0 rows"},
		{"columns", func(b *Basis[float64]) { b.V.Cols = 0 }, Layout{}, "0 columns"},
		{"negative", func(b *Basis[float64]) { b.V.Data[2*5+3] = -0.5 }, Layout{}, "row 3, column 4 = -0.5"},
		{"infinite", func(b *Basis[float64]) { b.V.Data[0] = math.Inf(1) }, Layout{}, "row 1, column 1 = +Inf"},
		{"negative columns", func(*Basis[float64]) {}, Layout{Columns: -1}, "columns -1"},
		{"negative zoom", func(*Basis[float64]) {}, Layout{Zoom: -2}, "zoom -2"},
		{"huge zoom", func(*Basis[float64]) {}, Layout{Zoom: 1 << 20}, "too large"},
		{"overflowing zoom", func(*Basis[float64]) {}, Layout{Zoom: math.MaxInt}, "too large"},
		{"label", func(b *Basis[float64]) { b.Label, b.V.Cols = "my label", 0 }, Layout{}, `"my label"`},
		{"huge label", func(b *Basis[float64]) { b.Label = strings.Repeat("x", 1<<25) }, Layout{}, "too large"},
	} {
		var out bytes.Buffer
		b := basis()
		c.change(&b)
		if err := Stack(&out, []Basis[float64]{b}, c.layout); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %.200v does not say %q", c.name, err, c.says)
		}
		must.AtMost(t, out.Len(), 0, c.name)
	}
	if err := Stack[float64](io.Discard, nil, Layout{}); err == nil {
		t.Error("an empty stack is drawn")
	}
}

func TestWriterError(t *testing.T) {
	broken := errors.New("disk full")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	must.Fail(t, Stack(w, []Basis[float64]{basis()}, Layout{}), broken, "", "the error of the writer")
}
