// Package folder reads folders of .npy files. They hold a dense matrix, as parts stacked in
// rows that are read by blocks, or a sparse matrix in compressed sparse row form.
package folder
