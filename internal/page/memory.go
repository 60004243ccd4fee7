package page

// Bytes estimates what Measure and Write take for a rows x cols matrix of numbers of so many bytes,
// beside the matrix, its names, V and W.
func Bytes(rows, cols, rank, size int) int64 {
	is, js := sampled(rows, cols, rank)
	m, n, r, s := float64(is), float64(js), float64(rank), float64(size)
	block := 4 * s * min(m*n, max(blockArea, m, n)) // of M, in another order, among lines that are left out, or sent by another process
	product := s * (r*(blockRows+blockCols) + blockRows*blockCols)
	columns := min(n, float64(columnsKept(is)))
	kept := 32*(m+n) + 8*(min(m, mostHeatRows)*min(n, mostHeatCols)+columns*(m+r+1))
	order := 8 * (m + n)
	vectors := 64 * float64(rows+cols) // columns of V, rows of W, and shares of the rows
	drawn := min(r, mostParts) * float64(min(rows, mostPixels)+min(cols, mostPixels))
	text := min(6<<20+48*drawn, 24<<20) // a page has at most 5 MB, in several buffers
	return int64(kept + max(block+product, block+order, vectors+text))
}
