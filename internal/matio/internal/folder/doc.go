// Package folder reads folders of .npy files: the matrix whose rows are those of all files, of
// which any block can be read, or a sparse matrix in compressed sparse row form.
package folder
