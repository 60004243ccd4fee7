package lnmu

import (
	"cmp"
	"fmt"
	"math"

	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/support"
)

// Sparsity measures the columns of V or the rows of W after rounding by the 0.1 % rule: an
// entry counts as zero if it is "less than 0.1% of the largest entry in its column" of V, or
// row of W (section 4.4).
type Sparsity struct {
	Zeros float64 // s(·): the proportion of zeros (section 2.2)
	Hoyer float64 // sh(·): Hoyer's measure, mean over the nonzero vectors (section 4.1); 0 if all are zero
}

// RowSparsity measures the rows of a matrix: of W, or of the transpose of V.
func RowSparsity[T Float](x Dense[T]) Sparsity { return sparsityOf(group.Self{}, x, x.Cols) }

// sparsityOf is RowSparsity of rows of so many entries, of which each process has those of d.
func sparsityOf[T Float](all Processes, d Dense[T], length int) (s Sparsity) {
	s.Zeros, s.Hoyer = support.Sparsity(all, d, length)
	return s
}

// SpectralAngles returns the angles, in radians, between the columns of V (m x r) and the
// spectra of a library, which are its columns (m x s): an r x s matrix. The angle depends on
// the shapes of two spectra alone, not on their sizes (F. A. Kruse et al., The spectral image
// processing system, Remote Sensing of Environment 44, 1993). The angle to a zero column is
// not a number. Entries of the library may be negative. Errors wrap ErrShape or ErrValue.
func SpectralAngles[T Float](v, library Dense[T]) (Dense[float64], error) {
	none := Dense[float64]{}
	if err := cmp.Or(matrix.Check("V", v), matrix.Check("the library", library)); err != nil {
		return none, err
	}
	if v.Rows != library.Rows {
		return none, fmt.Errorf("%w: V has %d rows and the library has %d; each spectrum is a column with a number for each row of V", ErrShape, v.Rows, library.Rows)
	}
	for i := range library.Rows {
		for j, x := range library.Row(i) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return none, &ValueError{Matrix: "the library", Row: i, Col: j, Value: float64(x)}
			}
		}
	}
	parts, spectra := directions(v), directions(library)
	angles := NewDense[float64](v.Cols, library.Cols, nil)
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

// directions returns the columns of x as rows of norm 1, those of zeros as rows of NaN.
func directions[T Float](x Dense[T]) Dense[float64] {
	d := NewDense[float64](x.Cols, x.Rows, nil)
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
