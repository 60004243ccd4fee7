package element

import (
	"strconv"
	"strings"
)

// Parse is strconv.ParseFloat for what other programs take for a number: without
// the underscores and the hexadecimal digits of Go, and with the D of Fortran's
// exponents where a point or a sign shows that it is one.
func Parse(s string) (float64, error) {
	if strings.ContainsAny(s, "_xX") {
		return 0, strconv.ErrSyntax
	}
	if d := strings.IndexAny(s, "dD"); d > 0 && (strings.Contains(s[:d], ".") || d+1 < len(s) && (s[d+1] == '+' || s[d+1] == '-')) {
		s = s[:d] + "e" + s[d+1:]
	}
	return strconv.ParseFloat(s, 64)
}
