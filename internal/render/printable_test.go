package render

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"nmu/internal/must"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"faces of 2001, -1.5 %":    "faces of 2001, -1.5 %",
		"Grüße, 図, \u00a0é":        "Grüße, 図, \u00a0é",
		"\u0645\u06cc\u200c\u062e": "\u0645\u06cc\u200c\u062e",
		"a\nnmu: done\r":           `a\nnmu: done\r`,
		"\x1b[2J\a\x7f\t":          `\u001b[2J\u0007\u007f\t`,
		"fdp.\u202egnp":            `fdp.\u202egnp`,
		"\u2066a\u2069\u200e":      `\u2066a\u2069\u200e`,
		"\u0085\u2028\ufeff":       `\u0085\u2028\ufeff`,
		"\xff\xe2\x80":             `\xff\xe2\x80`,
		"\U000e0041":               `\udb40\udc41`,
		"\ufffd":                   "\ufffd",
	} {
		must.Equal(t, Printable(text), want, text)
	}
}

// A screen shows lines and tabs, and characters that come in pieces.
func TestScreen(t *testing.T) {
	text := "a\tü\n\x1b[31m\u202e図\r\n\xff\n"
	const want = "a\tü\n\\u001b[31m\\u202e図\\r\n\\xff\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		s := &Screen{Out: &out}
		for at := 0; at < len(text); at += size {
			piece := text[at:min(at+size, len(text))]
			if n, err := s.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
		must.Equal(t, out.String(), want, "in pieces of", size)
	}
}

func TestScreenKeepsJSON(t *testing.T) {
	want := "a\u202eb\U000e0041\x1b\u0085\u007f\n"
	var out bytes.Buffer
	must.Do(t, WriteJSON(&Screen{Out: &out}, want))
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != want {
		t.Errorf("%s is %q, %v, want %q", out.Bytes(), got, err, want)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 0.12345: "0.1235", 12.345: "12.35", 12345.6: "12346", 1.5e9: "1.500e+09", 1e-6: "1.000e-06", math.Inf(1): "+Inf",
	} {
		if got := Number(x); got != want {
			t.Errorf("Number(%g) = %q, want %q", x, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows"} {
		must.Equal(t, Plural(n, "row"), want)
	}
}
