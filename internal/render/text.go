package render

import (
	"fmt"
	"math"
)

// Number writes x with four significant digits, without an exponent if the result is readable.
func Number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1e7 || a < 1e-4 && a > 0:
		return fmt.Sprintf("%.3e", x)
	case a >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// Plural writes a number with a noun: 1 row, 2 rows.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
