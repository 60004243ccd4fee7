package options

import (
	"fmt"
	"strconv"
	"strings"
)

// MostRank is above all ranks that fit into memory. Package rank checks them for the matrix.
const MostRank = 1 << 20

// ParseRanks reads ranks from 1 to most: numbers, ranges a:b and a:b:step, separated by commas or
// blanks.
func ParseRanks(text string, most int) ([]int, error) {
	bad := func() error {
		return fmt.Errorf("choose ranks from 1 to %d, such as 2:20, 5:50:5 or 2:8,10,12", most)
	}
	var ranks []int
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' }) {
		var ends []int
		for word := range strings.SplitSeq(part, ":") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 || len(ends) == 3 {
				return nil, bad()
			}
			ends = append(ends, n)
		}
		first, last, step := ends[0], ends[min(1, len(ends)-1)], 1
		if len(ends) > 2 {
			step = ends[2]
		}
		if first > last {
			return nil, bad()
		}
		if last > most {
			return nil, fmt.Errorf("rank %d is too large; choose 1 to %d", last, most)
		}
		if (last-first)/step >= most-len(ranks) {
			return nil, fmt.Errorf("more than %d ranks; choose fewer", most)
		}
		for r := first; ; r += step {
			ranks = append(ranks, r)
			if r > last-step {
				break
			}
		}
	}
	if ranks == nil {
		return nil, bad()
	}
	return ranks, nil
}
