package main

import (
	"fmt"
	"io"
	"strings"

	"nmu/internal/render"
)

// note prints a line that the command did not fail for. Names and labels in it cannot make
// a second one.
func note(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, "nmu: note: %s\n", render.Printable(fmt.Sprintf(format, args...)))
	return err
}

// oneLine returns the message of err without line breaks.
func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// enumerate lists words as in a sentence: a, b and c.
func enumerate(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// texts returns words as text.
func texts[W ~string](words []W) []string {
	s := make([]string, len(words))
	for i, w := range words {
		s[i] = string(w)
	}
	return s
}

// shellWord writes a word as a shell reads it.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// usage breaks the text about a flag into lines, which stand beside its name.
func usage(text string) string {
	const width = 62
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		switch {
		case b.Len() == 0:
		case length+1+len(word) > width:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}
