// Package npz reads .npz files: a matrix among their members, or the members that make up a
// sparse matrix of SciPy, and the names of rows and columns.
package npz
