// Package convert converts matrices from any file that package matio reads into files for
// reading by parts: a dense .npy file, or a folder with the arrays of a sparse matrix. The
// matrices need not fit in memory. Several inputs are stacked in rows.
//
//	         dense, by rows ──────────────────────────────┐
//	input ─┬ dense, by columns ── bands or tiles of it ───┼─▶ sink: .npy or CSR folder
//	       ├ sparse, by rows ─────────────────────────────┤
//	       └ sparse, otherwise ── sorted in runs, merged ─┘
//
// A matrix by columns is read in bands of rows if the contiguous pieces are long enough.
// Otherwise it is transposed tile by tile in a temporary file. Unsorted entries are sorted in
// memory. If memory is too small, sorted runs go to a temporary file and are merged. Each
// number is read and written only a few times, whatever the memory.
//
// A .npy file in Fortran order is written as the transpose by rows.
package convert
