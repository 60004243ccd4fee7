package solve

import (
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/page"
	"nmu/lnmu"
)

// lookBytes is how much of M is read at once for the page.
const lookBytes = 4 << 20

// look measures the distance of a tall matrix in its file from the factors, for the page.
func look[T lnmu.Float](m storedLines[T], p Plan, res *lnmu.Result[T], largest float64) (*page.Distance, error) {
	rows, cols := m.Dims()
	together := min(rows, max(1, lookBytes/(cols*int(unsafe.Sizeof(T(0))))))
	room := direct.Make[T](m.Room(together))
	var lines []T
	first, last := 0, 0
	return page.LookRows(rows, cols, func(i int) (_ []T, err error) {
		if i < first || i >= last {
			first, last = i, min(i+together, rows)
			if lines, err = m.ReadLines(room, first, last); err != nil {
				return nil, err
			}
		}
		return lines[(i-first)*cols:][:cols], nil
	}, p.Mask, res.V, res.W, largest)
}
