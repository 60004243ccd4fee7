package matio

import (
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/mat"
	"nmu/internal/matio/internal/output"
	"nmu/internal/matio/internal/picture"
	"nmu/internal/matio/internal/table"
)

// Types of the packages below that callers need.
type (
	// Float is the element type of a matrix in memory.
	Float = element.Float
	// Block is the rows I0 to I1-1 and the columns J0 to J1-1 of a matrix.
	Block = input.Block
	// Source delivers the elements of a dense matrix one after the other. Next fills dst; at least len(dst)
	// elements must be left. Close also checks the end of the data, if all elements were read.
	Source = input.Source
	// Spill is where numbers go that need not fit in memory.
	Spill = input.Spill
	// MemoryError reports work that needs more memory than Options.MaxMemory.
	MemoryError = input.MemoryError
	// VarError reports a file of several variables when none was chosen, or a file that lacks
	// the chosen one.
	VarError = input.VarError
	// Labelled is a matrix with names, for the functions that write one.
	Labelled[T Float] = output.Labelled[T]
	// Variable is a matrix with a name, for EncodeMat.
	Variable[T Float] = mat.Variable[T]
	// Table says how a table in a text file is read.
	Table = table.Options
	// Presence says whether a table has a header or labels.
	Presence = table.Presence
	// Missing says how cells without a number are treated.
	Missing = table.Missing
	// Below says what cells below a limit of detection are.
	Below = table.Below
)

// Errors that the errors of this package wrap.
var (
	// ErrFormat reports a file that breaks the rules of its format or is truncated.
	ErrFormat = input.ErrFormat
	// ErrUnsupported reports a sound file of a kind this package does not read.
	ErrUnsupported = input.ErrUnsupported
	// ErrVar reports a variable that is missing or not determined.
	ErrVar = input.ErrVar
	// ErrTooLarge reports sizes that exceed what this machine can hold or Options.MaxMemory, or
	// that are out of proportion to the file.
	ErrTooLarge = input.ErrTooLarge
	// ErrPrecision reports numbers that single precision would turn into zeros.
	ErrPrecision = input.ErrPrecision
	// ErrColour reports an image in colour, where Options.Grey does not allow it.
	ErrColour = picture.ErrColour
	// ErrMissing, ErrText, ErrLimit, ErrDecimal and ErrHeader report cells of a table. They wrap
	// ErrFormat as well.
	ErrMissing = table.ErrMissing
	ErrText    = table.ErrText
	ErrLimit   = table.ErrLimit
	ErrDecimal = table.ErrDecimal
	ErrHeader  = table.ErrHeader
)

// The values of a Presence beside "", recognised.
const (
	Present = table.Present
	Absent  = table.Absent
)

// The values of Missing beside "".
const (
	DropRows = table.DropRows
	DropCols = table.DropCols
	Zero     = table.Zero
	Mean     = table.Mean
	Allow    = table.Allow
)

// The values of Below beside "".
const (
	Half    = table.Half
	Limit   = table.Limit
	Unknown = table.Unknown
)

// Presences, WaysOfMissing and WaysOfBelow are the words for a Presence that is given, for Missing and for Below.
var (
	Presences     = table.Presences
	WaysOfMissing = table.WaysOfMissing
	WaysOfBelow   = table.WaysOfBelow
)
