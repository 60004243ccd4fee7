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
