package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns text from a file, or a file name, for printing in a line. It escapes
// characters that are not letters, marks, signs or spaces, because a terminal may obey them or
// reorder the text. The escapes are those of JSON, and \xff for a byte that is not UTF-8.
func Printable(text string) string {
	if shown := string(appendPrintable(nil, []byte(text), "")); shown != text {
		return shown
	}
	return text // the caller's memory
}

// joiners are the zero-width characters of the spelling of Persian, Hindi and other languages.
const joiners = "\u200c\u200d"

// printable says whether a character needs no escape. The characters in also need none.
func printable(c rune, also string) bool {
	return unicode.IsGraphic(c) || strings.ContainsRune(joiners, c) || strings.ContainsRune(also, c)
}

// appendPrintable appends text with escapes, except for the characters in also.
func appendPrintable(to, text []byte, also string) []byte {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[0])
		case printable(c, also):
			to = append(to, text[:size]...)
		case strings.ContainsRune("\n\r\t", c):
			to = append(to, '\\', map[rune]byte{'\n': 'n', '\r': 'r', '\t': 't'}[c])
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			to = fmt.Appendf(to, `\u%04x\u%04x`, high, low)
		default:
			to = fmt.Appendf(to, `\u%04x`, c)
		}
		text = text[size:]
	}
	return to
}

// Screen is the output of a command. It escapes like Printable, but keeps line ends and tabs,
// which the command writes. Text from a file may hold some, so it must go through Printable
// first. JSON keeps its meaning.
type Screen struct {
	Out  io.Writer
	mu   sync.Mutex
	tail []byte // the beginning of a character whose rest has not been written yet
}

// Write writes text to Out. If that fails, the returned count is 0.
func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := append(s.tail, text...)
	cut := len(whole)
	for back := 1; back < utf8.UTFMax && back <= len(whole); back++ {
		if last := whole[len(whole)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				cut -= back
			}
			break
		}
	}
	_, err := s.Out.Write(appendPrintable(nil, whole[:cut], "\n\t"))
	s.tail = append([]byte(nil), whole[cut:]...)
	if err != nil {
		return 0, err
	}
	return len(text), nil
}
