// Package output has what all writers of matrices share: a matrix with names, the check of its
// sizes, and its numbers in little endian.
package output
