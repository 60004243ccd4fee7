package input

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Step leads from a structure or a cell array to what it holds.
type Step struct {
	Field string // of a structure; "" for a cell
	Index int64  // of the cell or of the structure in an array, from 1; 0 if there is none
}

// Steps splits the name of a variable, such as s.data, s(2).data or c{3}, into that of the array
// in the file and the steps from there.
func Steps(name string) (base string, steps []Step, err error) {
	at := strings.IndexAny(name, ".({")
	if at < 0 {
		return name, nil, nil
	}
	base, rest := name[:at], name[at:]
	for rest != "" {
		var s Step
		if rest[0] == '(' || rest[0] == '{' {
			closing := map[byte]string{'(': ")", '{': "}"}[rest[0]]
			inner, after, ok := strings.Cut(rest[1:], closing)
			s.Index, err = strconv.ParseInt(inner, 10, 64)
			if !ok || err != nil || s.Index < 1 {
				return "", nil, fmt.Errorf("%.40q is no number in brackets, from 1", rest)
			}
			cell := rest[0] == '{'
			if rest = after; cell {
				steps = append(steps, s)
				continue
			}
			if !strings.HasPrefix(rest, ".") {
				return "", nil, errors.New("a number in round brackets is followed by a field, as in s(2).data")
			}
		}
		if rest[0] != '.' {
			return "", nil, fmt.Errorf("%.40q is no field and no cell, as in s.data or c{1}", rest)
		}
		rest = rest[1:]
		end := strings.IndexAny(rest, ".({")
		if end < 0 {
			end = len(rest)
		}
		if s.Field, rest = rest[:end], rest[end:]; s.Field == "" {
			return "", nil, errors.New("a field without a name")
		}
		steps = append(steps, s)
	}
	return base, steps, nil
}
