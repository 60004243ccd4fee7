package table

import (
	"fmt"
	"strings"
)

// refuseList refuses a list of the points of a grid: its first two or three columns are the coordinates, in which each
// point occurs once, and the last is the value of the point.
func (b *table) refuseList() error {
	const fewest, most = 8, 1 << 12 // rows; coordinates of one kind
	d := len(b.keep) - 1
	if b.RowLabels != "" || b.labels || d != 2 && d != 3 || b.rows < fewest || b.absent > 0 {
		return nil
	}
	at := make([]map[float64]int, d)
	for j := range at {
		at[j] = map[float64]int{}
	}
	err := b.Each(func(j int, x float64) {
		if j < d && len(at[j]) < most {
			if _, there := at[j][x]; !there {
				at[j][x] = len(at[j])
			}
		}
	})
	points := 1
	var sizes []string
	for j := range at {
		n := len(at[j])
		if points *= n; n < 2 || n == most || points > b.rows {
			return err
		}
		sizes = append(sizes, fmt.Sprint(n))
	}
	if points != b.rows || err != nil {
		return err
	}
	seen, point, once := make([]bool, points), 0, true
	err = b.Each(func(j int, x float64) {
		switch {
		case j < d:
			point = point*len(at[j]) + at[j][x]
		default:
			once = once && !seen[point]
			seen[point], point = true, 0
		}
	})
	if err != nil || !once {
		return err
	}
	instead := b.f.Setting("triples", "") + " reads it as row, column and value"
	if d == 3 {
		instead = "make it a table with a row for each value of one coordinate, such as the wavelength, and a column for each point of the others"
	}
	return b.f.Unsupported("the first %d columns are coordinates of a grid of %s points, each of which occurs once, and column %d is a value for each: this is a list and no matrix; %s; %s reads it as it is", d, strings.Join(sizes, " x "), d+1, instead, b.f.Setting("row-labels", string(Absent)))
}
