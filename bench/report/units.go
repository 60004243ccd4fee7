package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// percent writes a fraction in whole percent.
func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// size writes bytes in units of a thousand.
func size(bytes float64) string {
	for _, u := range []struct {
		unit  string
		bytes float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if bytes >= 0.9995*u.bytes {
			return short(bytes/u.bytes) + " " + u.unit
		}
	}
	return fmt.Sprintf("%.0f B", bytes)
}

// seconds writes a time in a unit that fits its size.
func seconds(s float64) string {
	unit, of := "µs", 1e-6
	switch {
	case s == 0:
		return "0"
	case s >= 2*86400:
		unit, of = "days", 86400
	case s >= 2*3600:
		unit, of = "h", 3600
	case s >= 2*60:
		unit, of = "min", 60
	case s >= 1:
		unit, of = "s", 1
	case s >= 1e-3:
		unit, of = "ms", 1e-3
	}
	return short(s/of) + " " + unit
}

// short writes a number with three significant digits.
func short(x float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64) // a number
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// count writes a whole number in groups of three digits.
func count(n int) string {
	digits := fmt.Sprint(n)
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	groups = append(groups, digits)
	slices.Reverse(groups)
	return strings.Join(groups, " ")
}
