package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"nmu/internal/matio/internal/element"
)

// ornaments are signs of numbers in other programs that this package does not accept.
var ornaments = strings.NewReplacer("%", "", "‰", "", "*", "", "$", "", "€", "", "£", "", "¥", "", "(", "", ")", "",
	"'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "", "\u2009", "", "−", "-", ".", "", ",", "")

// isOrnate says whether a cell that is no number here is one in other programs: with thousands
// separators, currencies, percent signs or asterisks, in brackets, complex, a limit of detection, or a truth
// value. Such a cell is no name.
func isOrnate(cell string) bool {
	if !isText(cell) {
		return false
	}
	if _, below := limitIn(cell); below {
		return true
	}
	if b := strings.ToLower(cell); b == "true" || b == "false" {
		return true
	}
	plain := ornaments.Replace(cell)
	if _, err := element.Parse(strings.NewReplacer("D", "e", "d", "e").Replace(plain)); err == nil {
		return true
	}
	if i := strings.LastIndexAny(plain, "ij"); i > 0 && i == len(plain)-1 { // 1+2i
		_, err := strconv.ParseComplex(plain[:i]+"i", 128)
		return err == nil && strings.ContainsAny(plain[1:], "+-")
	}
	return false
}

// namesLabels says whether name is that of a column of labels: empty, as programs write it for an index, or
// one that is or ends with the word id.
func namesLabels(name string) bool {
	if n := len(name) - 2; n > 0 && (name[n:] == "Id" || name[n:] == "ID") && name[n-1] >= 'a' && name[n-1] <= 'z' {
		return true // GeneID, PassengerId
	}
	switch name = strings.ToLower(name); name {
	case "", "unnamed: 0", "index", "id":
		return true
	}
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, " id") || strings.HasSuffix(name, ".id") || strings.HasSuffix(name, "-id")
}

// far is how many times larger labels are than data that cannot be mistaken for them.
const far = 10

// doubtfulHeader says whether the numbers of the first row, behind a cell of text if there is
// one, may be names. Those of years or wavelengths increase, and are either far larger than
// the numbers of the next rows, or equally spaced, as these are not. Those of samples
// are in any order; see numbersName.
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
	largest, spaced, alike := 0.0, false, true
	for _, rec := range body {
		if len(rec.cells) != len(first) {
			return false
		}
		row, _ := numbersIn(rec.cells[skip:])
		spaced = spaced || equallySpaced(row)
		alike = alike && identify(row)
		for _, x := range row {
			largest = max(largest, x, -x)
		}
	}
	if !increase(names) {
		return numbersName(names, largest, skip == 1 && !alike)
	}
	const fewest = 4
	return names[0] > far*largest || len(names) >= fewest && equallySpaced(names) && !spaced ||
		skip == 1 && len(names) < fewestCounted && names[1] == names[0]+1 && (names[0] == 0 || names[0] == 1)
}

// numbersName says whether numbers in no order may be the names of columns. They are whole and
// distinct. And they are far larger than the largest number of the next rows, or beside text and
// unlike these rows.
func numbersName(names []float64, largest float64, unlike bool) bool {
	const fewest = 3
	return len(names) >= fewest && identify(names) && (slices.Min(names) > far*largest || unlike)
}

// identify says whether numbers are whole, not negative, and all different.
func identify(x []float64) bool {
	sorted := slices.Sorted(slices.Values(x))
	return increase(sorted) && (len(sorted) == 0 || sorted[0] >= 0) && !slices.ContainsFunc(x, func(x float64) bool { return x != math.Trunc(x) })
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

// mostCompared is how many rows are compared with each other.
const mostCompared = 1 << 14

// distinct says whether all labels differ.
func (b *table) distinct() bool {
	sorted := slices.Sorted(slices.Values(b.some))
	return len(sorted) >= fewestCounted && len(slices.Compact(sorted)) == len(b.some)
}

// series compares the first column with the others from row to row.
type series struct {
	n        int
	last     []float64
	up, down []bool     // by column: false where it does not increase, or decrease
	steps    [2]float64 // the smallest and the largest step of the first column
	least    float64    // of the first column
	largest  float64    // of the others, without signs
	whole    bool       // the numbers of the first column are, as those that count are
	some     []float64  // the first numbers of the first column
	nested   [2]nested  // the first two columns: the second within the first, and the first within the second
}

func (s *series) add(row []float64) {
	if len(row) == 0 {
		return
	}
	x := row[0]
	if s.n++; s.n == 1 {
		s.last, s.up, s.down = make([]float64, len(row)), make([]bool, len(row)), make([]bool, len(row))
		for j := range row {
			s.up[j], s.down[j] = true, true
		}
		s.steps, s.least, s.whole = [2]float64{math.Inf(1), 0}, x, true
	} else {
		step := math.Abs(x - s.last[0])
		s.steps = [2]float64{min(s.steps[0], step), max(s.steps[1], step)}
	}
	if s.n > 1 && len(row) > 2 {
		d := [2]int{cmp.Compare(row[0], s.last[0]), cmp.Compare(row[1], s.last[1])}
		s.nested[0].add(d[0], d[1])
		s.nested[1].add(d[1], d[0])
	}
	const mostCounted = 1e9
	s.whole = s.whole && x == math.Trunc(x) && x < mostCounted
	s.least = min(s.least, x)
	if len(s.some) < mostCompared {
		s.some = append(s.some, x)
	}
	for j, y := range row {
		if j > 0 && math.Abs(y) > s.largest { // not NaN
			s.largest = math.Abs(y)
		}
		s.up[j] = s.up[j] && (s.n == 1 || y > s.last[j])
		s.down[j] = s.down[j] && (s.n == 1 || y < s.last[j])
		s.last[j] = y
	}
}

// nested compares two columns, of which one may count within the other, as months do within years.
type nested struct {
	outer, inner int // their signs from row to row; 0 while they did not change
	same, steps  int // rows in which the outer column stays, and in which it changes
	broken       bool
}

// add adds the signs of the changes of both columns from one row to the next.
func (x *nested) add(outer, inner int) {
	if outer == 0 {
		x.same++
		x.broken = x.broken || inner == 0 || x.inner == -inner
		x.inner = inner
		return
	}
	x.steps++
	x.broken = x.broken || x.outer == -outer || x.inner == inner && inner != 0
	x.outer = outer
}

// nests says whether one of the first two of at least three columns counts within the other, over enough rows.
func (s *series) nests() bool {
	return s.n >= fewestRising && slices.ContainsFunc(s.nested[:], func(x nested) bool { return !x.broken && x.steps > 0 && 2*x.same >= s.n })
}

// coordinates are words for columns of places and times.
var coordinates = []string{"x", "y", "z", "row", "col", "column", "lat", "latitude", "lon", "long", "lng", "longitude", "easting", "northing", "date", "time", "year", "month", "day", "doy", "hour", "minute"}

// namesCoordinate says whether a name is that of a column of places or times, perhaps with a unit behind it.
func namesCoordinate(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return len(words) > 0 && slices.Contains(coordinates, words[0])
}

// sayCoordinates notes that columns are places or times, and are taken for data: two neighbours of at least three, by their names,
// or the first two by their numbers, or the first one beside such labels of the rows. labels says that the first column of
// numbers holds the labels.
func (b *table) sayCoordinates(names []string, labels bool) {
	keep, label := b.keep, ""
	if header := b.names0(); header != nil && (labels || b.labels) {
		label = header[0]
	}
	if labels {
		keep, names = keep[1:], names[min(1, len(names)):]
	}
	at := 0
	for at+1 < len(names) && !(namesCoordinate(names[at]) && namesCoordinate(names[at+1]) && names[at] != names[at+1]) {
		at++
	}
	named := at+1 < len(names)
	if !named {
		at = 0
	}
	switch {
	case b.RowLabels == Absent:
	case len(keep) > 2 && (named || !labels && b.series.nests()):
		i, j := keep[at]+1, keep[at+1]+1
		b.f.Note("columns %d and %d look like coordinates, such as places or times, but are taken for data; %s leaves them out", i, j, b.f.Setting("skip-columns", fmt.Sprintf("%d,%d", i, j)))
	case len(names) > 1 && namesCoordinate(label) && namesCoordinate(names[0]):
		b.f.Note("column %d looks like a coordinate, such as a place or a time, but is taken for data; %s leaves it out", keep[0]+1, b.f.Setting("skip-columns", strconv.Itoa(keep[0]+1)))
	}
}

// alone says whether the first of several columns, and no other, increases over enough rows, or decreases.
func (s *series) alone() bool {
	monotone := s.up
	if s.n > 0 && !s.up[0] {
		monotone = s.down
	}
	return s.n >= fewestCounted && len(monotone) > 1 && monotone[0] && !slices.Contains(monotone[1:], true)
}

// even says whether the steps of the first column differ at most fourfold.
func (s *series) even() bool { return s.steps[1] <= 4*s.steps[0] }

// beyond says whether the numbers of the first column all differ, and are far larger than all others.
func (s *series) beyond() bool {
	return s.n >= fewestCounted && s.largest > 0 && s.least > far*s.largest && increase(slices.Sorted(slices.Values(s.some)))
}
