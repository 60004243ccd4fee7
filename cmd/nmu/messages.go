package main

import (
	"fmt"
	"io"
	"strings"

	"nmu/internal/render"
)

// note prints a note on w. It stays one line, whatever names and labels it holds.
func note(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, "nmu: note: %s\n", render.Printable(fmt.Sprintf(format, args...)))
	return err
}

// oneLine returns the message of err without line breaks.
func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// enumerate lists words as in a sentence, with last before the last one: a, b and c.
func enumerate(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// percent prints the fraction x as a percentage.
func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// texts converts words to strings.
func texts[W ~string](words []W) []string {
	s := make([]string, len(words))
	for i, w := range words {
		s[i] = string(w)
	}
	return s
}

// shellWord quotes s for a shell where needed.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
