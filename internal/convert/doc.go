// Package convert writes matrices from files of any kind that package matio reads into
// files that are read by parts: a dense .npy file, or a folder with the arrays of a
// sparse matrix. The matrices need not fit in memory; the rows of several lie one below
// the other in the result.
//
//	         dense, by rows ──────────────────────────────┐
//	input ─┬ dense, by columns ── bands or tiles of it ───┼─▶ sink: .npy or CSR folder
//	       ├ sparse, by rows ─────────────────────────────┤
//	       └ sparse, otherwise ── sorted in runs, merged ─┘
//
// What goes by columns and cannot be read in bands of rows of a fair width is turned over
// tile by tile in a temporary file. Entries out of order are sorted as far as memory
// holds them; runs of them go to a temporary file and are merged. Either way each number
// is read and written a few times at most, whatever the memory.
//
// A matrix by columns, which .npy calls Fortran order, is written as the transpose by
// rows.
package convert
