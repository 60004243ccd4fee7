// Package spectra compares the basis vectors of a factorization with known spectra. If M is a
// hyperspectral image, the columns of V are spectra of materials.
package spectra

import (
	"cmp"
	"fmt"
	"math"

	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// Angles returns the angles, in radians, between the columns of V (m x r) and the columns of a
// library of spectra (m x s), as an r x s matrix. The angle depends only on the shapes of two
// spectra, not on their sizes (F. A. Kruse et al., The spectral image processing system, Remote
// Sensing of Environment 44, 1993). The angle to a zero column is NaN. Entries of the library
// may be negative. Errors wrap lnmu.ErrShape or lnmu.ErrValue.
func Angles[T lnmu.Float](v, library lnmu.Dense[T]) (lnmu.Dense[float64], error) {
	none := lnmu.Dense[float64]{}
	if err := cmp.Or(matrix.Check("V", v), matrix.Check("the library", library)); err != nil {
		return none, err
	}
	if v.Rows != library.Rows {
		return none, fmt.Errorf("%w: V has %d rows and the library has %d; each spectrum is a column with a number for each row of V", lnmu.ErrShape, v.Rows, library.Rows)
	}
	for i := range library.Rows {
		for j, x := range library.Row(i) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return none, &lnmu.ValueError{Matrix: "the library", Row: i, Col: j, Value: float64(x)}
			}
		}
	}
	parts, spectra := directions(v), directions(library)
	angles := lnmu.NewDense[float64](v.Cols, library.Cols, nil)
	for k := range angles.Rows {
		for l := range angles.Row(k) {
			var apart, along float64
			for i, x := range parts.Row(k) {
				y := spectra.Row(l)[i]
				apart += float64((x - y) * (x - y))
				along += float64((x + y) * (x + y))
			}
			angles.Row(k)[l] = 2 * math.Atan2(math.Sqrt(apart), math.Sqrt(along)) // exact for small ones too
		}
	}
	return angles, nil
}

// directions returns the columns of x as rows of norm 1, and zero columns as rows of NaN.
func directions[T lnmu.Float](x lnmu.Dense[T]) lnmu.Dense[float64] {
	d := lnmu.NewDense[float64](x.Cols, x.Rows, nil)
	for j := range d.Rows {
		row, most, squares := d.Row(j), 0.0, 0.0
		for i := range row {
			row[i] = float64(x.At(i, j))
			most = max(most, math.Abs(row[i]))
		}
		for i := range row {
			row[i] /= most // so that no square is out of range
			squares += float64(row[i] * row[i])
		}
		for i := range row {
			row[i] /= math.Sqrt(squares)
		}
	}
	return d
}
