package table

import (
	"fmt"
	"strings"
)

// refuseList refuses a list of the points of a grid: its first two or three columns, of which the first may hold labels,
// are the coordinates, in which each point occurs once, and the last is the value of the point. If labels are a
// coordinate and half of the points are there, a note says so.
func (b *table) refuseList() error {
	const fewest, most = 8, 1 << 12 // rows; numbers of one coordinate
	d, rows := len(b.keep)-1, b.rows
	var labels map[string]int
	named := b.names
	if b.f.Spill != nil {
		named = b.some // the first ones
	}
	if b.labels {
		labels, rows = map[string]int{}, len(named)
		for _, label := range named {
			if _, there := labels[label]; !there && len(labels) < most {
				labels[label] = len(labels)
			}
		}
	}
	if n := d + min(1, len(labels)); b.RowLabels != "" || n != 2 && n != 3 || rows < fewest || b.absent > 0 {
		return nil
	}
	at := make([]map[float64]int, d)
	for j := range at {
		at[j] = map[float64]int{}
	}
	i := 0 // the row
	err := b.Each(func(j int, x float64) {
		if j < d && i < rows && len(at[j]) < most {
			if _, there := at[j][x]; !there {
				at[j][x] = len(at[j])
			}
		}
		if j == d {
			i++
		}
	})
	points, repeated := int64(1), true
	var sizes []string
	add := func(n int) {
		points *= int64(n)
		repeated = repeated && n >= 2 && n < most && 2*n <= rows && points <= 2*int64(rows)
		sizes = append(sizes, fmt.Sprint(n))
	}
	if b.labels {
		add(len(labels))
	}
	for j := range at {
		add(len(at[j]))
	}
	full := points == int64(b.rows)
	if err != nil || !repeated || !full && !b.labels {
		return err
	}
	seen, once, point := make([]bool, points), true, 0
	i = 0
	err = b.Each(func(j int, x float64) {
		switch {
		case i >= rows:
		case j == 0 && b.labels:
			point = labels[named[i]]*len(at[0]) + at[0][x]
		case j < d:
			point = point*len(at[j]) + at[j][x]
		default:
			once = once && !seen[point]
			seen[point], point = true, 0
			i++
		}
	})
	if err != nil || !once {
		return err
	}
	instead, reads := b.f.Setting("triples", "")+" reads it as row, column and value", string(Absent)
	if len(sizes) == 3 {
		instead = "make it a table with a row for each value of one coordinate, such as the wavelength, and a column for each point of the others"
	}
	if b.labels {
		reads = string(Present)
	}
	reads = b.f.Setting("row-labels", reads) + " reads it as it is"
	if !full {
		where := ""
		if rows < b.rows {
			where = fmt.Sprintf(" in the first %d rows", rows)
		}
		b.f.Note("the first %d columns look like coordinates%s, of which most pairs occur once, and column %d like a value for each, as in a list: %s; %s, without this note", len(sizes), where, len(sizes)+1, instead, reads)
		return nil
	}
	return b.f.Unsupported("the first %d columns are coordinates of a grid of %s points, each of which occurs once, and column %d is a value for each: this is a list and no matrix; %s; %s", len(sizes), strings.Join(sizes, " x "), len(sizes)+1, instead, reads)
}
