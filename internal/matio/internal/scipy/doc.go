// Package scipy reads a sparse matrix from the arrays of SciPy: csr and csc (indptr, indices,
// data) or coo (row, col, data). The arrays come from a .npz file, a folder or an HDF5 file.
package scipy
