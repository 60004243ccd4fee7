// Package scipy is a sparse matrix in the arrays of SciPy: csr and csc (indptr, indices, data) or
// coo (row, col, data). They lie in a .npz file or in a folder; this package sees arrays alone.
package scipy
