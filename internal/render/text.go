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

// Percent writes a fraction in percent with one decimal.
func Percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// Plural writes a number with a noun: 1 row, 2 rows.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Bytes writes a size in binary units. A size that is not positive is unknown.
func Bytes[N int | int64](n N) string {
	switch {
	case n <= 0:
		return "unknown"
	case n >= 1<<30:
		return fmt.Sprintf("%.4g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.4g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
