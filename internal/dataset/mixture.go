package dataset

import "math"

// Mixture returns a nonnegative rows x cols matrix by rows with a rank to be found: V W plus
// noise. About half of the entries of V (rows x rank) and W (rank x cols) are zero; the others
// are uniform in [0, 1). noise is the root mean square of the noise relative to that of V W.
// Negative sums become 0. Each noise is nearly normal, the sum of twelve uniform numbers.
// Mixture takes O(rows cols rank) time.
func Mixture(rows, cols, rank int, noise float64, seed uint64) []float64 {
	rng := stream(seed, 1)
	v, w := make([]float64, rows*rank), make([]float64, rank*cols)
	for _, factor := range [][]float64{v, w} {
		for x := range factor {
			factor[x] = max(0, float64(2*rng.Float64())-1)
		}
	}
	data := make([]float64, rows*cols)
	var squares float64
	for i := range rows {
		row := data[i*cols : (i+1)*cols]
		for k := range rank {
			for j := range row {
				row[j] += float64(v[i*rank+k] * w[k*cols+j])
			}
		}
		for _, x := range row {
			squares += float64(x * x)
		}
	}
	size := noise * math.Sqrt(squares/(float64(rows)*float64(cols)))
	for x := range data {
		normal := -6.0
		for range 12 {
			normal += rng.Float64()
		}
		data[x] = max(0, data[x]+float64(size*normal))
	}
	return data
}
