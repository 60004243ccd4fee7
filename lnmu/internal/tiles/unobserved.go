package tiles

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// CheckLines returns an error for the first row or column of M that stores nothing. Each process
// has the part c of M.
func CheckLines[T kernel.Float](p group.Comm, part core.Part, c CSR[T]) error {
	return checkLines(p, part, c.rowCounts(), c.columnCounts())
}

// checkLines is CheckLines for the numbers of entries in a part.
func checkLines(p group.Comm, part core.Part, rows, columns counts) error {
	if err := part.CheckObserved(p, false, rows.positive(), !part.Columns); err != nil {
		return err
	}
	return part.CheckObserved(p, true, columns.positive(), part.Columns)
}

func (c counts) positive() []bool {
	found := make([]bool, len(c))
	for i, n := range c {
		found[i] = n > 0
	}
	return found
}
