package render

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/must"
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

// of returns numbers as a function.
func of(x ...float64) func(int) float64 { return func(i int) float64 { return x[i] } }

// Each value has a bar, each interval a line, what is left out a grey one, and names are escaped. Over an axis there are
// curves with gaps. A PDF has as many of all of these.
func TestProfiles(t *testing.T) {
	days := []string{"2019-01-30", "2019-01-31", "2019-02-01", "2019-02-02"}
	list := []Profile{
		{Name: "a<b", Values: of(1, 2, math.NaN(), 1), Low: of(0.5, 2, 0, 1), High: of(1.5, 2, 0, 1)},
		{Name: "zero", Values: of(0, 0, 0, 0), Low: of(0, 0, 0, 0), High: of(0, 0, 0, 0)},
	}
	for _, c := range []struct {
		scale Scale
		want  string // fills, lines and words
	}{{Scale{}, `fill="#56b4e9" M3 fill="#eeeeee" M1 stroke="#111111" M1 >0< >2< >a&lt;b<`}, {NewScale(days), `fill="#cfe3f2" M1 stroke="#0072b2" M2 >2019-01-30< >2019-02-02< >time< >a&lt;b<`}} {
		svg := string(Profiles("two <parts>", 4, list, days, c.scale))
		elementsOf(t, []byte(svg))
		words := strings.Fields(c.want)
		for i, want := range words {
			if n, moves := strings.CutPrefix(want, "M"); moves {
				path := regexp.MustCompile(`<path d="([^"]*)"[^>]*` + words[i-1]).FindStringSubmatch(svg)
				if path == nil || fmt.Sprint(strings.Count(path[1], "M")) != n {
					t.Errorf("%s: %q, want %s stretches", words[i-1], path, n)
				}
			} else if !strings.Contains(svg, want) {
				t.Errorf("no %s in %s", want, svg)
			}
		}
		if strings.Contains(svg, "NaN") || !strings.Contains(svg, `role="img" aria-label="two &lt;parts&gt;"`) {
			t.Errorf("%s", svg)
		}
	}
}

// Names that are numbers or times in order make a scale, with ticks at round places.
func TestScale(t *testing.T) {
	for _, c := range []struct{ names, ticks string }{
		{"1 2 30", "5 10 15 20 25 30"}, {"3 2 1", "1 1.5 2 2.5 3"}, {"1 2 2", ""}, {"2 2 1", ""}, {"1 3 2", ""}, {"a b c", ""}, {"1 2", ""}, {"1 2 NaN", ""}, {"1 2 Inf", ""},
		{"2019-01-01 2019-12-31 2021-03-01", "2019-01 2019-07 2020-01 2020-07 2021-01"},
		{"31.01.2019 01.02.2019 03.02.2019", "2019-01-31 2019-02-01 2019-02-02 2019-02-03"},
		{"1/30/2019 1/31/2019 2/1/2019", "2019-01-30 2019-01-31 2019-02-01"},
		{"30/1/2019 31/1/2019 1/2/2019", "2019-01-30 2019-01-31 2019-02-01"},
		{"20190131 20190201 20190202", "2019-01-31 2019-02-01 2019-02-02"},
		{"1990-01 2000-01 2019-12", "1990 1995 2000 2005 2010 2015"},
		{"2019-01-01T00:00 2019-01-01T01:00 2019-01-02T00:00", "01-01 00:00 01-01 06:00 01-01 12:00 01-01 18:00 01-02 00:00"},
		{"0000-01-01 5000-01-01 9999-12-31", "0000 1000 2000 3000 4000 5000 6000 7000 8000 9000"},
	} {
		s, got := NewScale(strings.Fields(c.names)), []string(nil)
		if s.At != nil {
			for _, x := range s.axis(8).ticks {
				got = append(got, x.label)
			}
		}
		must.Equal(t, strings.Join(got, " "), c.ticks, c.names, "ticks")
	}
}

// A drawing as PDF has its texts at the right places, and its pictures.
func TestPDF(t *testing.T) {
	var dot bytes.Buffer
	must.Do(t, png.Encode(&dot, image.NewGray(image.Rect(0, 0, 3, 2))))
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(dot.Bytes())
	for name, svg := range map[string][]byte{
		"profiles": Profiles("p", 2, []Profile{{Name: "α (part) é…", Values: of(1, 2)}}, []string{"A[C>A]A", "b"}, Scale{}),
		"panels":   must.Get(one([]Line{{"a", []Spread{{1, 1, 0.5}, {2, 3, 0}}}}))(t),
		"shades":   Shades(2, 2, func(i, j int) float64 { return float64(i) }),
		"images":   Images("i", []Image{{"1", url, 2, 3}, {"2", url, 2, 3}}, [2]string{"250", "450"}, [2]string{"300", "600"}),
	} {
		text := must.Get(PDF(svg))(t)
		if again := must.Get(PDF(svg))(t); !bytes.Equal(text, again) {
			t.Errorf("%s: another PDF of the same drawing", name)
		}
		at := must.Get(strconv.Atoi(strings.Fields(string(text[bytes.LastIndex(text, []byte("startxref")):]))[1]))(t)
		if !bytes.HasPrefix(text[at:], []byte("xref\n0 ")) {
			t.Errorf("%s: no table of objects at %d", name, at)
		}
		objects := regexp.MustCompile(`([0-9]{10}) 00000 n `).FindAllSubmatch(text[at:], -1)
		must.Equal(t, len(objects), bytes.Count(text, []byte(" 0 obj\n")), name)
		for i, x := range objects {
			if !bytes.HasPrefix(text[must.Get(strconv.Atoi(string(x[1])))(t):], fmt.Appendf(nil, "%d 0 obj", i+1)) {
				t.Errorf("%s: object %d is not at %s", name, i+1, x[1])
			}
		}
		for _, x := range regexp.MustCompile(`/I[0-9]+ ([0-9]+) 0 R`).FindAllSubmatch(text, -1) {
			if !bytes.Contains(text, slices.Concat(x[1], []byte(" 0 obj\n<</Type/XObject/Subtype/Image"))) {
				t.Errorf("%s: object %s is no picture", name, x[1])
			}
		}
		_, packed, _ := bytes.Cut(text, []byte("stream\n"))
		content := string(must.Get(io.ReadAll(must.Get(zlib.NewReader(bytes.NewReader(packed)))(t)))(t))
		n := elementsOf(t, svg)
		must.Equal(t, strings.Count(content, "Tj"), n["text"], name)
		if got := bytes.Count(text, []byte("/Subtype/Image/Width 3/Height 2")); got != n["image"] || strings.Count(content, " Do") != got {
			t.Errorf("%s: %d pictures, want %d", name, got, n["image"])
		}
		for _, want := range []string{"3f2028706172742920e985>", "Tf 0 -1 -1 0 ", "0.337 0.706 0.914 rg 92 76 m 92 49 l 380 49 l 380 76 l", " 80.00 Tm <30>"} {
			if name == "profiles" && !strings.Contains(content, want) {
				t.Errorf("no %s in %s", want, content)
			}
		}
	}
	if _, err := PDF([]byte("<svg><text/></svg>")); err == nil {
		t.Error("a text without text is drawn")
	}
}

// Squares of one shade in a row are one rectangle, and white ones none. A small matrix has large squares.
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
		must.Say(t, string(text), s)
	}
	if text := Shades(20, 20, func(int, int) float64 { return 1 }); !bytes.HasPrefix(text, []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"`)) {
		t.Errorf("%.200s", text)
	}
}

// Names stand below the last profile, if there is room for them; long ones are cut.
func TestProfileNames(t *testing.T) {
	for n, want := range map[int]int{3: 3, 96: 96, 200: 0} {
		one := Profile{Name: "part 1", Values: func(int) float64 { return 1 }}
		names := make([]string, n)
		for i := range names {
			names[i] = "A[C>A]A"
		}
		names[0] = "a name of more than sixteen characters"
		text := Profiles("", n, []Profile{one, one}, names, Scale{})
		if got := elementsOf(t, text)["text"] - 2*3; got != want {
			t.Errorf("%d of %d names are drawn", got, n)
		}
		must.Equal(t, strings.Contains(string(text), "a name of more …<"), want > 0, "of", n, "names the long one is cut")
	}
}
