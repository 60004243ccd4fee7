package biclique

// EstimateOf returns upper bounds in bytes on the memory of FromDense, FromSparse or NewGraph for a graph
// of these sides, beside their input, and on that of the graph and so many searches side by side in Find.
func EstimateOf(rows, cols, edges, searches int) (build, find int64) {
	m, n, z := float64(rows), float64(cols), float64(edges)
	// The list of edges, and those of the neighbours of one side, of the other one and of the first again.
	building := (16+3*4)*z + 36*m + 20*n
	graph := 2*4*z + 8*(m+n)
	search := 8 * (2*m + 3*n)
	if small(rows, cols, edges) {
		search += 2 * 8 * m * n
	} else {
		search += 8 * z
	}
	search += 16 * (m + n) // the order of the vertices, and the biclique
	return int64(building), int64(graph + float64(searches)*search)
}
