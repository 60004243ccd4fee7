package render

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
)

// Number writes x with four significant digits, without an exponent if the result is readable.
func Number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1e7 || a < 1e-4 && a > 0:
		return fmt.Sprintf("%.3e", x)
	case a >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// Plural writes a number with a noun: 1 row, 2 rows.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// OneLine returns the message of err without line breaks. It omits the system call from a
// file error.
func OneLine(err error) string {
	text := err.Error()
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		text = strings.Replace(text, file.Error(), file.Path+": "+file.Err.Error(), 1)
	}
	return strings.Join(strings.Fields(text), " ")
}

// Enumerate lists words as in a sentence, with last before the last one: a, b and c.
func Enumerate(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Percent prints the fraction x as a percentage.
func Percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// Strings converts words to strings.
func Strings[W ~string](words []W) []string {
	s := make([]string, len(words))
	for i, w := range words {
		s[i] = string(w)
	}
	return s
}

// Wrap breaks text between words into lines of some width.
func Wrap(text string, width int) string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if n := len(lines) - 1; n >= 0 && len(lines[n])+1+len(word) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}
