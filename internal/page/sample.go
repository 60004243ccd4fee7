package page

// Bounds that together keep the page below 5 MB.
const (
	mostParts    = 200           // parts that are shown
	mostNumbers  = 1 << 19       // of V, or of W, in pictures, and in the numbers for the script
	mostPoints   = 400           // of a curve
	mostColumns  = 40            // that can be chosen
	mostHeatRows = 200           // of a heat map
	mostHeatCols = 600           // of a heat map
	mostNames    = 8             // bars of a part
	mostBars     = 12            // bars of a column
	mostKept     = 1 << 21       // entries of columns that Look keeps
	mostSide     = 1 << 20       // rows, or columns, that Look looks at
	mostPixels   = 1 << 14       // of a picture
	mostWork     = 2_000_000_000 // multiply-adds of Look
)

// spread returns at most k of the numbers 0 to n-1, evenly spaced, with both ends.
func spread(n, k int) []int {
	k = min(n, k)
	list := make([]int, k)
	for i := range list {
		if k > 1 {
			list[i] = int(int64(i) * int64(n-1) / int64(k-1))
		}
	}
	return list
}

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
