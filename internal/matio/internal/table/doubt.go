package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ornaments are signs of numbers in other programs that this package does not accept.
var ornaments = strings.NewReplacer("%", "", "‰", "", "$", "", "€", "", "£", "", "¥", "", "(", "", ")", "",
	"'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "", "\u2009", "", "−", "-", ".", "", ",", "")

// isOrnate says whether a cell that is no number here is one in other programs: with thousands
// separators, currencies or percent signs, in brackets, complex, or a truth value. Such a cell
// is no name.
func isOrnate(cell string) bool {
	if isNumber(cell) || isMissing(cell) {
		return false
	}
	if b := strings.ToLower(cell); b == "true" || b == "false" {
		return true
	}
	plain := ornaments.Replace(cell)
	if _, err := parseNumber(strings.NewReplacer("D", "e", "d", "e").Replace(plain)); err == nil {
		return true
	}
	if i := strings.LastIndexAny(plain, "ij"); i > 0 && i == len(plain)-1 { // 1+2i
		_, err := strconv.ParseComplex(plain[:i]+"i", 128)
		return err == nil && strings.ContainsAny(plain[1:], "+-")
	}
	return false
}

// namesLabels says whether name is a usual name of a label column.
func namesLabels(name string) bool {
	switch name = strings.ToLower(name); name {
	case "", "unnamed: 0", "index", "idx", "key", "name", "label", "row", "sample":
		return true
	}
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, " id")
}

// doubtfulHeader says why the numbers of the first row, behind a cell of text if there
// is one, may be names, such as years or wavelengths: they increase, and are either far
// larger than those of the next rows, or equally spaced, as these are not.
func doubtfulHeader(first []string, body []record) bool {
	skip := 0
	if len(first) > 0 && !isNumber(first[0]) {
		skip = 1
	}
	names, ok := numbersIn(first[min(skip, len(first)):])
	if !ok || len(names) < 2 || len(body) == 0 || !increase(names) {
		return false
	}
	if skip == 1 && shape(first[0]) == shape(body[0].cells[0]) {
		return false // s1 over s2: a label like the others
	}
	const far = 10
	largest, spaced := 0.0, false
	for _, rec := range body {
		if len(rec.cells) != len(first) {
			return false
		}
		row, _ := numbersIn(rec.cells[skip:])
		spaced = spaced || equallySpaced(row)
		for _, x := range row {
			largest = max(largest, x, -x)
		}
	}
	const fewest = 4
	return names[0] > far*largest || len(names) >= fewest && equallySpaced(names) && !spaced ||
		skip == 1 && len(names) < fewestCounted && names[1] == names[0]+1 && (names[0] == 0 || names[0] == 1)
}

// shape replaces the letters of a text by a and its digits by 9. A text without digits is its
// own shape.
func shape(s string) string {
	digits := false
	pattern := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			digits = true
			return '9'
		case unicode.IsLetter(r):
			return 'a'
		}
		return r
	}, s)
	if !digits {
		return s
	}
	return pattern
}

// numbersIn returns the numbers among the cells, and whether all cells are numbers.
func numbersIn(cells []string) (numbers []float64, all bool) {
	var n decimals
	for _, cell := range cells {
		if x, err := n.parse(cell); err == nil {
			numbers = append(numbers, x)
		}
	}
	return numbers, len(numbers) == len(cells)
}

func increase(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i] > x[i-1]) {
			return false
		}
	}
	return true
}

func equallySpaced(x []float64) bool {
	for i := 2; i < len(x); i++ {
		if x[i]-x[i-1] != x[1]-x[0] {
			return false
		}
	}
	return increase(x)
}

// rises records which columns increase from row to row.
type rises struct {
	last   []float64
	broken []bool
	n      int
	whole  bool // the numbers of the first column are, as those that count are
}

func (r *rises) add(row []float64) {
	if r.n++; r.n == 1 {
		r.last, r.broken, r.whole = make([]float64, len(row)), make([]bool, len(row)), len(row) > 0
	}
	const mostCounted = 1e9
	r.whole = r.whole && row[0] == math.Trunc(row[0]) && row[0] < mostCounted
	for j, x := range row {
		r.broken[j] = r.broken[j] || r.n > 1 && !(x > r.last[j])
		r.last[j] = x
	}
}

// first says whether the first of several columns, and no other, increases over enough rows.
func (r *rises) first() bool {
	return r.n >= fewestCounted && len(r.broken) > 1 && !r.broken[0] && !slices.Contains(r.broken[1:], false)
}
