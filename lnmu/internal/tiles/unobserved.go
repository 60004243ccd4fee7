package tiles

import (
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// CheckLines returns an error for the first row or column of M that stores nothing. Each process
// has the part c of M.
func CheckLines[T kernel.Float](p group.Comm, part core.Part, c CSR[T]) error {
	return checkLines(p, part, c.rowCounts(), c.columnCounts())
}

// checkLines is CheckLines for the numbers of entries in a part.
func checkLines(p group.Comm, part core.Part, rows, columns counts) error {
	if part.Columns {
		rows = rows.sum(p)
	} else {
		columns = columns.sum(p)
	}
	of := part.Window(len(rows), len(columns))
	var err error
	if i := slices.Index(rows, 0); i >= 0 {
		err = &fault.UnobservedError{Line: "row", At: of.Rows.From + i}
	}
	if err := group.Agree(p, err); err != nil {
		return err
	}
	if j := slices.Index(columns, 0); j >= 0 {
		err = &fault.UnobservedError{Line: "column", At: of.Cols.From + j}
	}
	return group.Agree(p, err)
}
