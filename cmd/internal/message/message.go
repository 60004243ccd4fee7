package message

import (
	"fmt"
	"io"
	"strings"

	"nmu/internal/render"
)

// Note prints a note on w. It stays one line, whatever names and labels it holds.
func Note(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, "nmu: note: %s\n", render.Printable(fmt.Sprintf(format, args...)))
	return err
}

// ShellWord quotes s for a shell where needed.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
