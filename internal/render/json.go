package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
)

// WriteJSON writes v as readable JSON: indented, and without escapes for the characters of
// HTML. Errors are those of encoding/json and of w.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Members returns the names of the members of a JSON object as they are written, and their values as parts
// of text. It returns an error if text is no JSON object.
func Members(text []byte) (iter.Seq2[string, []byte], error) {
	if err := json.Unmarshal(text, &struct{}{}); err != nil {
		return nil, err
	}
	const space = " \t\r\n"
	rest := bytes.TrimLeft(text, space)
	if rest[0] != '{' {
		return nil, errors.New("it is no JSON object")
	}
	return func(yield func(name string, value []byte) bool) {
		for rest := bytes.TrimLeft(rest[1:], space); rest[0] != '}'; rest = bytes.TrimLeft(rest, space+",") {
			n := token(rest)
			name := string(rest[1 : n-1])
			rest = bytes.TrimLeft(rest[n:], space+":")
			n = 0
			for depth := 0; n == 0 || depth > 0; n += token(rest[n:]) {
				switch rest[n] {
				case '[', '{':
					depth++
				case ']', '}':
					depth--
				}
			}
			if !yield(name, rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}, nil
}

// token returns the length of the JSON token at the beginning of text: a string, a number, a word or one
// other byte.
func token(text []byte) int {
	if text[0] != '"' {
		n := 0
		for n < len(text) && strings.IndexByte(" \t\r\n,:[]{}\"", text[n]) < 0 {
			n++
		}
		return max(n, 1)
	}
	n := 1
	for n < len(text) && text[n] != '"' {
		if text[n] == '\\' {
			n++
		}
		n++
	}
	return min(n+1, len(text))
}

// Upper bounds in bytes of a value in memory, in a list that grows or in a map.
const (
	objectBytes = 320
	listBytes   = 64
	valueBytes  = 48 // beside the characters of a string
)

// Weigh returns how many tokens other than signs a JSON value has, and an upper bound of the bytes
// that it takes when it is decoded. Nulls counts those that are null.
func Weigh(value []byte) (tokens, size int64, nulls int) {
	for len(value) > 0 {
		n := token(value)
		switch value[0] {
		case '{':
			size += objectBytes
		case '[':
			size += listBytes
		case ']', '}', ',', ':', ' ', '\t', '\r', '\n':
		default:
			tokens++
			size += valueBytes
			if value[0] == '"' {
				size += int64(n)
			}
			if value[0] == 'n' { // maybe in the place of an object
				nulls++
				size += objectBytes
			}
		}
		value = value[n:]
	}
	return tokens, size, nulls
}
