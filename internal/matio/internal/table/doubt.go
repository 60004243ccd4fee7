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
	if n := len(name) - 2; n > 0 && (name[n:] == "Id" || name[n:] == "ID") && name[n-1] >= 'a' && name[n-1] <= 'z' {
		return true // GeneID, PassengerId
	}
	switch name = strings.ToLower(name); name {
	case "", "unnamed: 0", "index", "idx", "key", "name", "label", "row", "sample":
		return true
	}
	if noun, ok := strings.CutSuffix(name, "id"); ok && (noun == "" || numbered(noun)) {
		return true // id, CUSTOMERID
	}
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, " id") || strings.HasSuffix(name, ".id") || strings.HasSuffix(name, "-id")
}

// numbered says whether noun is a usual name of what has a number that identifies it.
func numbered(noun string) bool {
	switch noun {
	case "patient", "subject", "participant", "customer", "passenger", "person", "user", "student", "employee", "client", "account", "order", "product", "item", "case", "record", "sample", "specimen", "cell", "gene", "entrez", "entrez gene", "probe":
		return true
	}
	return false
}

// mayNameLabels says whether name is a usual name of a column of numbers that are labels, which
// is also one of data.
func mayNameLabels(name string) bool {
	switch name = strings.TrimRight(strings.ToLower(name), "."); name {
	case "no", "nr", "num", "#", "code", "barcode", "accession":
		return true
	}
	return numbered(name) || strings.HasSuffix(name, "number") || strings.HasSuffix(name, " no") || strings.HasSuffix(name, " nr")
}

// namesAxis says whether name is a usual name of an axis of spectra, whose numbers label the rows
// in any order. A unit may follow.
func namesAxis(name string) bool {
	name = strings.ToLower(name)
	if i := strings.IndexAny(name, "([,"); i > 0 {
		name = name[:i]
	}
	switch name = strings.TrimSpace(name); name {
	case "band", "channel", "m/z", "mz", "raman shift", "chemical shift", "2theta", "nm", "cm-1", "ppm":
		return true
	}
	return strings.HasPrefix(name, "wavelength") || strings.HasPrefix(name, "wavenumber")
}

// namesRows says whether word, above the labels of the rows, is a usual name of what they are.
func namesRows(word string) bool {
	if namesLabels(word) || mayNameLabels(word) {
		return true
	}
	switch strings.TrimSuffix(strings.ToLower(word), "s") {
	case "gene", "symbol", "feature", "probe", "protein", "peptide", "taxon", "otu", "asv", "specie", "term", "word", "token", "compound", "metabolite", "item", "user", "cell", "region", "country", "city", "variable", "site", "document":
		return true
	}
	return false
}

// far is how many times larger labels are than data that cannot be mistaken for them.
const far = 10

// doubtfulHeader says whether the numbers of the first row, behind a cell of text if there is
// one, may be names. Those of years or wavelengths increase, and are either far larger than
// the numbers of the next rows, or equally spaced, as these are not. Those of samples or
// patients are in any order; see numbersName.
func doubtfulHeader(first []string, body []record) bool {
	skip := 0
	if len(first) > 0 && !isNumber(first[0]) {
		skip = 1
	}
	names, ok := numbersIn(first[min(skip, len(first)):])
	if !ok || len(names) < 2 || len(body) == 0 {
		return false
	}
	if skip == 1 && shape(first[0]) == shape(body[0].cells[0]) {
		return false // s1 over s2: a label like the others
	}
	largest, spaced, fractions := 0.0, false, true
	for _, rec := range body {
		if len(rec.cells) != len(first) {
			return false
		}
		row, _ := numbersIn(rec.cells[skip:])
		spaced = spaced || equallySpaced(row)
		fractions = fractions && slices.ContainsFunc(row, func(x float64) bool { return x != math.Trunc(x) })
		for _, x := range row {
			largest = max(largest, x, -x)
		}
	}
	if !increase(names) {
		word := ""
		if skip == 1 {
			word = first[0]
		}
		return numbersName(names, word, largest, fractions)
	}
	const fewest = 4
	return names[0] > far*largest || len(names) >= fewest && equallySpaced(names) && !spaced ||
		skip == 1 && len(names) < fewestCounted && names[1] == names[0]+1 && (names[0] == 0 || names[0] == 1)
}

// numbersName says whether numbers in no order may be the names of columns. They are whole and
// distinct. And they are far larger than the largest number of the next rows, or beside the
// name of the row labels, or beside text over rows that all have fractions.
func numbersName(names []float64, word string, largest float64, fractions bool) bool {
	const fewest = 3
	sorted := slices.Sorted(slices.Values(names))
	if len(names) < fewest || !increase(sorted) || sorted[0] < 0 || slices.ContainsFunc(names, func(x float64) bool { return x != math.Trunc(x) }) {
		return false
	}
	return sorted[0] > far*largest || word != "" && (namesRows(word) || fractions)
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

// identifiers records whether the numbers of the first column may be identifiers: whole,
// distinct, and far larger than all other numbers.
type identifiers struct {
	broken  bool
	least   float64   // of the first column
	largest float64   // of the others
	some    []float64 // the first of them
}

// mostIdentifiers is how many rows are compared with each other.
const mostIdentifiers = 1 << 14

func (d *identifiers) add(row []float64) {
	if len(row) < 2 || d.broken {
		d.broken = true
		return
	}
	x := row[0]
	if d.some == nil {
		d.least = x
	}
	d.least = min(d.least, x)
	d.broken = x < 0 || x != math.Trunc(x) || math.IsInf(x, 0)
	for _, y := range row[1:] {
		d.largest = max(d.largest, y, -y)
	}
	if len(d.some) < mostIdentifiers {
		d.some = append(d.some, x)
	}
}

// distinct says whether the column has enough whole numbers, all different.
func (d *identifiers) distinct() bool {
	return !d.broken && len(d.some) >= fewestCounted && increase(slices.Sorted(slices.Values(d.some)))
}

// large says whether they are far larger than all other numbers.
func (d *identifiers) large() bool { return d.least > far*d.largest }

// distinct says whether all labels differ.
func (b *table) distinct() bool {
	sorted := slices.Sorted(slices.Values(b.some))
	return len(sorted) >= fewestCounted && len(slices.Compact(sorted)) == len(b.some)
}

// rises records which columns increase, and which decrease, from row to row.
type rises struct {
	last     []float64
	up, down []bool // false where a column does not
	n        int
	whole    bool      // the numbers of the first column are, as those that count are
	some     []float64 // the first numbers of the first column
}

func (r *rises) add(row []float64) {
	if r.n++; r.n == 1 {
		r.last, r.up, r.down, r.whole = make([]float64, len(row)), make([]bool, len(row)), make([]bool, len(row)), len(row) > 0
		for j := range row {
			r.up[j], r.down[j] = true, true
		}
	}
	const mostCounted = 1e9
	r.whole = r.whole && row[0] == math.Trunc(row[0]) && row[0] < mostCounted
	if len(row) > 0 && len(r.some) < mostIdentifiers {
		r.some = append(r.some, row[0])
	}
	for j, x := range row {
		r.up[j] = r.up[j] && (r.n == 1 || x > r.last[j])
		r.down[j] = r.down[j] && (r.n == 1 || x < r.last[j])
		r.last[j] = x
	}
}

// first says whether the first of several columns, and no other, increases over enough rows, and
// falls whether it decreases so.
func (r *rises) first() bool { return r.alone(r.up) }
func (r *rises) falls() bool { return r.alone(r.down) }

func (r *rises) alone(monotone []bool) bool {
	return r.n >= fewestCounted && len(monotone) > 1 && monotone[0] && !slices.Contains(monotone[1:], true)
}

// distinct says whether the numbers of the first of several columns all differ.
func (r *rises) distinct() bool {
	return r.n >= fewestCounted && len(r.up) > 1 && increase(slices.Sorted(slices.Values(r.some)))
}
