package table

import (
	"nmu/internal/matio/internal/input"
)

// Options says how a table in a text file is read. For a zero field the table itself decides;
// see the package comment of matio.
type Options struct {
	Separator rune     // of the cells: ',', ';', '\t', '|' or ' ', which stands for any run of blanks and tabs
	Decimal   rune     // '.' or ','
	Header    Presence // of column names in the first row
	RowLabels Presence // of row names in the first column
	Skip      []string // columns that are left out: their names, or their numbers from 1
	Missing   Missing  // what becomes of cells without a number
	Words     []string // further texts of cells without a number, such as ND
	Below     Below    // what becomes of cells such as <0.05, which are below a limit of detection

	Triples bool   // the rows are entries of a sparse matrix: row, column, value
	Align   string // Interpolate, or "": what becomes of curves in a folder whose axes differ; else they are an error

	beside bool // the table is beside another one, which may alone have cells of Words and Below
}

// Interpolate is the value of Align that interpolates curves linearly on the axis of the first one.
const Interpolate = "interpolate"

// Presence says whether something is there.
type Presence string

// The values of a Presence. The empty Presence means that the table itself decides.
const (
	Present Presence = "yes"
	Absent  Presence = "no"
)

// Presences are the values of Presence except "".
var Presences = []Presence{Present, Absent}

// Missing says how missing cells are treated: empty cells, NA, N/A, NaN, null, none, - or ?, in
// any case, and others that isMissing lists. "" makes them an error that wraps ErrMissing.
type Missing string

// The values of Missing except "".
const (
	DropRows Missing = "drop-rows" // leaves out each row that has one
	DropCols Missing = "drop-cols" // leaves out each column that has one
	Zero     Missing = "zero"      // makes them 0
	Mean     Missing = "mean"      // makes them the mean of the other cells of their column
	Allow    Missing = "allow"     // makes them NaN
)

// WaysOfMissing are the values of Missing except "".
var WaysOfMissing = []Missing{DropRows, DropCols, Zero, Mean, Allow}

// Below says what cells below a limit of detection, such as <0.05, are. "" makes them an error that wraps ErrLimit.
type Below string

// The values of Below except "".
const (
	Half    Below = "half"    // half of the limit
	Limit   Below = "limit"   // the limit
	Unknown Below = "missing" // missing cells
)

// WaysOfBelow are the values of Below except "".
var WaysOfBelow = []Below{Half, Limit, Unknown}

// Beside returns the options that also hold for tables beside the first one. The separator and the decimal sign decide
// what such a table leaves open: it may be written otherwise.
func (o Options) Beside() Options {
	return Options{Separator: o.Separator, Decimal: o.Decimal, Align: o.Align, Header: o.Header, RowLabels: o.RowLabels, Words: o.Words, Below: o.Below, beside: true}
}

// Errors about cells. They match input.ErrFormat as well, but do not call the file malformed:
// it is a sound table, in which something is left open.
var (
	ErrMissing error = cellError("a cell without a number")
	ErrText    error = cellError("a cell of text")
	ErrLimit   error = cellError("a cell below a limit of detection")
	ErrDecimal error = cellError("unclear decimal sign")
	// ErrHeader reports a first row that may be a header or data.
	ErrHeader error = cellError("unclear header")
)

// cellError is what is left open.
type cellError string

// Error returns what is left open.
func (e cellError) Error() string { return string(e) }

// Is says that errors.Is(e, input.ErrFormat).
func (e cellError) Is(target error) bool { return target == input.ErrFormat }
