package figure

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
)

func decode(t *testing.T, b []byte) *image.Gray {
	t.Helper()
	picture := must.Get(png.Decode(bytes.NewReader(b)))(t)
	g, ok := picture.(*image.Gray)
	if !ok {
		t.Fatalf("picture is %T, want 8-bit gray", picture)
	}
	return g
}

// basis is four images of 2 x 3 pixels: a ramp, zeros, a single pixel, a
// constant. The fifth column is outside (stride 5).
func basis() Basis[float64] {
	b := Basis[float64]{Rows: 6, Cols: 4, Stride: 5, Height: 2, Width: 3, Data: make([]float64, 6*5)}
	for i := range 6 {
		b.Data[i*5+0] = float64(i) * 10 // largest 50
		b.Data[i*5+3] = 1e-9
		b.Data[i*5+4] = -1
	}
	b.Data[4*5+2] = 7 // row 4 = pixel (0, 2)
	return b
}

func TestMontagePixels(t *testing.T) {
	var out bytes.Buffer
	must.Do(t, Montage(&out, basis(), Options{Zoom: 4}))
	g := decode(t, out.Bytes())
	// 2 x 2 grid of images of 8 x 12 pixels, separators of 2.
	if got, want := g.Rect, image.Rect(0, 0, 2+14+14, 2+10+10); got != want {
		t.Fatalf("picture is %v, want %v", got, want)
	}
	origins := [4]image.Point{{2, 2}, {16, 2}, {2, 12}, {16, 12}}
	inImage := map[image.Point]bool{}
	for k, origin := range origins {
		for y := range 2 {
			for x := range 3 {
				want := map[int]uint8{0: uint8(255 - 51*(y+2*x)), 1: 255, 2: 255, 3: 0}[k]
				if k == 2 && y == 0 && x == 2 {
					want = 0
				}
				for dy := range 4 {
					for dx := range 4 {
						p := origin.Add(image.Pt(4*x+dx, 4*y+dy))
						inImage[p] = true
						if got := g.GrayAt(p.X, p.Y).Y; got != want {
							t.Errorf("image %d, pixel (%d,%d) is %d at %v, want %d", k, y, x, got, p, want)
						}
					}
				}
			}
		}
	}
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			if got := g.GrayAt(x, y).Y; !inImage[image.Pt(x, y)] && got != gray {
				t.Errorf("separator at (%d,%d) is %d, want %d", y, x, got, gray)
			}
		}
	}
}

// Images by rows, inverted and numbered, hold the same pixels, below their numbers.
func TestMontageOptions(t *testing.T) {
	b := basis()
	turned := b
	turned.ByRows, turned.Data = true, make([]float64, len(b.Data))
	for y := range b.Height {
		for x := range b.Width {
			copy(turned.Data[(b.Width*y+x)*b.Stride:][:b.Stride], b.Data[(y+b.Height*x)*b.Stride:])
		}
	}
	var plain, byRows, inverted, numbered bytes.Buffer
	for _, err := range []error{
		Montage(&plain, b, Options{Zoom: 20}), Montage(&byRows, turned, Options{Zoom: 20}),
		Montage(&inverted, b, Options{Zoom: 20, Invert: true}), Montage(&numbered, b, Options{Zoom: 20, Numbered: true}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(plain.Bytes(), byRows.Bytes()) {
		t.Error("the images by rows are others")
	}
	g, inv, num := decode(t, plain.Bytes()), decode(t, inverted.Bytes()), decode(t, numbered.Bytes())
	const strip = 13
	if got, want := num.Rect, image.Rect(0, 0, g.Rect.Max.X, g.Rect.Max.Y+2*strip); got != want {
		t.Fatalf("numbered picture is %v, want %v", got, want)
	}
	ink := 0
	for row := range 2 {
		for x := 2; x < 62; x++ {
			for y := range strip {
				if num.GrayAt(x, 2+row*(42+strip)+y).Y == black {
					ink++
				}
			}
			for y := range 40 {
				at := image.Pt(x, 2+row*42+y)
				if num.GrayAt(at.X, at.Y+(row+1)*strip) != g.GrayAt(at.X, at.Y) {
					t.Fatalf("pixel %v of a numbered picture differs", at)
				}
				if inv.GrayAt(at.X, at.Y).Y != 255-g.GrayAt(at.X, at.Y).Y {
					t.Fatalf("pixel %v is not inverted", at)
				}
			}
		}
	}
	must.AtLeast(t, ink, 10, "the numbers 1 and 3")
}

func TestMontageLayout(t *testing.T) {
	constant := func(cols, height, width int) Basis[float32] {
		return Basis[float32]{Rows: height * width, Cols: cols, Stride: cols, Height: height, Width: width,
			Data: make([]float32, height*width*cols)}
	}
	for _, c := range []struct {
		name          string
		basis         Basis[float32]
		options       Options
		width, height int
	}{
		{"swimmer, 3 x 3 grid", constant(8, 20, 11), Options{}, 2 + 3*(11*6+2), 2 + 3*(20*6+2)},
		{"CBCL, 7 x 7 grid", constant(49, 19, 19), Options{}, 2 + 7*(19*4+2), 2 + 7*(19*4+2)},
		{"fifty images, 8 columns", constant(50, 64, 64), Options{}, 2 + 8*66, 2 + 7*66},
		{"one row", constant(8, 20, 11), Options{Columns: 8, Zoom: 1}, 2 + 8*13, 2 + 22},
		{"more columns than images", constant(2, 4, 4), Options{Columns: 9, Zoom: 1}, 2 + 2*6, 2 + 6},
		{"long image", constant(1, 1, 512), Options{}, 2 + 1026, 2 + 4},
		{"longer image", constant(1, 3000, 1), Options{}, 2 + 3, 2 + 3002},
		{"single pixel", constant(1, 1, 1), Options{}, 2 + 66, 2 + 66},
	} {
		var out bytes.Buffer
		if err := Montage(&out, c.basis, c.options); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		must.Equal(t, decode(t, out.Bytes()).Rect, image.Rect(0, 0, c.width, c.height), c.name, "picture")
	}
}

// A stack has the pixels of the montages, below labels of black on white.
func TestStack(t *testing.T) {
	b := basis()
	var plain, out bytes.Buffer
	must.Do(t, Montage(&plain, b, Options{Zoom: 4}))
	want := decode(t, plain.Bytes())
	first, second := b, b
	first.Label = "(a) NMF"
	second.Label = "(b) a label that is wider than its images"
	must.Do(t, Stack(&out, []Basis[float64]{first, second, b}, Options{Zoom: 4}))
	g := decode(t, out.Bytes())
	const label, part = 15, 22
	if want := image.Rect(0, 0, 4+7*len(second.Label), label+part+6+label+part+6+part); g.Rect != want {
		t.Fatalf("picture is %v, want %v", g.Rect, want)
	}
	for i, top := range []int{label, label + part + 6 + label, label + part + 6 + label + part + 6} {
		for y := range part {
			for x := range g.Rect.Dx() {
				expected := uint8(white)
				if x < want.Rect.Dx() {
					expected = want.GrayAt(x, y).Y
				}
				if got := g.GrayAt(x, top+y).Y; got != expected {
					t.Fatalf("part %d at (%d,%d) is %d, want %d", i, y, x, got, expected)
				}
			}
		}
	}
	for i, top := range []int{0, label + part + 6} {
		ink := 0
		for y := range label {
			for x := range g.Rect.Dx() {
				switch g.GrayAt(x, top+y).Y {
				case black:
					ink++
				case white:
				default:
					t.Fatalf("label %d has gray at (%d,%d)", i, y, x)
				}
			}
		}
		must.AtLeast(t, ink, 50, "label", i)
	}
}

func TestScaleInvariance(t *testing.T) {
	b := basis()
	var want, got bytes.Buffer
	must.Do(t, Montage(&want, b, Options{}))
	for i := range b.Data {
		b.Data[i] *= 0x1p-1040 // subnormal
	}
	b.Data[4*5+2] = math.MaxFloat64
	must.Do(t, Montage(&got, b, Options{}))
	w, g := decode(t, want.Bytes()), decode(t, got.Bytes())
	for i := range w.Pix {
		if d := int(w.Pix[i]) - int(g.Pix[i]); d < -1 || d > 1 {
			t.Fatalf("byte %d is %d, want %d", i, g.Pix[i], w.Pix[i])
		}
	}
}

func TestBadArguments(t *testing.T) {
	change := func(f func(*Basis[float64])) Basis[float64] {
		b := basis()
		f(&b)
		return b
	}
	for _, c := range []struct {
		name    string
		basis   Basis[float64]
		options Options
		says    string
	}{
		{"height", change(func(b *Basis[float64]) { b.Height = 0 }), Options{}, "0 x 3"},
		{"width", change(func(b *Basis[float64]) { b.Width = -1 }), Options{}, "2 x -1"},
		{"pixels", change(func(b *Basis[float64]) { b.Height = 4 }), Options{}, "4 x 3 pixels do not fit a matrix of 6 rows"},
		{"overflow", change(func(b *Basis[float64]) { b.Height, b.Width = math.MaxInt, math.MaxInt }), Options{}, "6 rows"},
		{"wraps to six", change(func(b *Basis[float64]) { b.Height, b.Width = 11, (math.MaxUint-4)/11+1 }), Options{}, "6 rows"},
		{"rows", change(func(b *Basis[float64]) { b.Rows = 0 }), Options{}, "0 rows"},
		{"columns", change(func(b *Basis[float64]) { b.Cols = 0 }), Options{}, "0 columns"},
		{"stride", change(func(b *Basis[float64]) { b.Stride = 3 }), Options{}, "stride 3"},
		{"data", change(func(b *Basis[float64]) { b.Data = b.Data[:28] }), Options{}, "28 numbers"},
		{"no data", change(func(b *Basis[float64]) { b.Data = nil }), Options{}, "0 numbers"},
		{"negative", change(func(b *Basis[float64]) { b.Data[2*5+3] = -0.5 }), Options{}, "row 3, column 4 = -0.5"},
		{"infinite", change(func(b *Basis[float64]) { b.Data[0] = math.Inf(1) }), Options{}, "row 1, column 1 = +Inf"},
		{"negative columns", basis(), Options{Columns: -1}, "columns -1"},
		{"negative zoom", basis(), Options{Zoom: -2}, "zoom -2"},
		{"huge zoom", basis(), Options{Zoom: 1 << 20}, "too large"},
		{"overflowing zoom", basis(), Options{Zoom: math.MaxInt}, "too large"},
		{"label", change(func(b *Basis[float64]) { b.Label, b.Cols = "my label", 0 }), Options{}, `"my label"`},
		{"huge label", change(func(b *Basis[float64]) { b.Label = strings.Repeat("x", 1<<25) }), Options{}, "too large"},
	} {
		var out bytes.Buffer
		err := Montage(&out, c.basis, c.options)
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: error %v, want ErrArgument", c.name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %.200q does not say %q", c.name, err, c.says)
		}
		must.AtMost(t, out.Len(), 0, c.name)
	}
	must.Fail(t, Stack[float64](io.Discard, nil, Options{}), ErrArgument, "", "empty stack: error")
}

func TestWriterError(t *testing.T) {
	broken := errors.New("disk full")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := Montage(w, basis(), Options{}); !errors.Is(err, broken) || errors.Is(err, ErrArgument) {
		t.Errorf("error %v, want that of the writer", err)
	}
}
