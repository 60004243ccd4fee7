package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// elementsOf reports an error unless text is XML, and returns how often each element is there.
func elementsOf(t *testing.T, text []byte) map[string]int {
	t.Helper()
	times := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return times
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if start, ok := token.(xml.StartElement); ok {
			times[start.Name.Local]++
		}
	}
}

// Each value has a bar, each interval a line, and names are escaped.
func TestProfiles(t *testing.T) {
	text := Profiles([]Profile{
		{Name: "a<b", Values: []float64{1, 2, math.NaN()}, Low: []float64{0.5, 2, 0}, High: []float64{1.5, 2, 0}},
		{Name: "zero", Values: []float64{0, 0, 0}, Low: make([]float64, 3), High: make([]float64, 3)},
	}, nil)
	if n := elementsOf(t, text); n["rect"] != 1+3 || n["line"] != 1+1 || n["text"] != 2 {
		t.Errorf("elements %v", n)
	}
	if s := string(text); !strings.Contains(s, "a&lt;b") || strings.Contains(s, "NaN") {
		t.Errorf("%s", s)
	}
}

// Squares of one shade in a row are one rectangle, and white ones none.
func TestShades(t *testing.T) {
	m := [][]float64{{1, 1, 0}, {0, 0.5, 0.5}, {math.NaN(), 0, 2}}
	text := Shades(60, 60, func(i, j int) float64 {
		if i > 2 || j > 2 {
			return 0
		}
		return m[i][j]
	})
	if n := elementsOf(t, text); n["rect"] != 1+3 {
		t.Errorf("elements %v in %s", n, text)
	}
	for _, s := range []string{`<rect x="0" y="0" width="10" height="5" fill="#000000"/>`, `<rect x="5" y="5" width="10" height="5" fill="#808080"/>`} {
		if !strings.Contains(string(text), s) {
			t.Errorf("no %s in %s", s, text)
		}
	}
}

// Names stand below the last profile, if there is room for them; long ones are cut.
func TestProfileNames(t *testing.T) {
	for n, want := range map[int]int{3: 3, 96: 96, 200: 0} {
		one := Profile{Name: "part 1", Values: make([]float64, n), Low: make([]float64, n), High: make([]float64, n)}
		names := make([]string, n)
		for i := range names {
			one.Values[i], names[i] = 1, "A[C>A]A"
		}
		names[0] = "a name of more than sixteen characters"
		text := Profiles([]Profile{one, one}, names)
		if got := elementsOf(t, text)["text"] - 2; got != want {
			t.Errorf("%d of %d names are drawn", got, n)
		}
		if cut := strings.Contains(string(text), "a name of more …<"); cut != (want > 0) {
			t.Errorf("of %d names the long one is cut: %v", n, cut)
		}
	}
}

// A small matrix has large squares.
func TestSmallShades(t *testing.T) {
	text := string(Shades(20, 20, func(int, int) float64 { return 1 }))
	if !strings.Contains(text, `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"`) {
		t.Errorf("%.200s", text)
	}
}
