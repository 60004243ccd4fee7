// Package output has what all writers of matrices share: a matrix with names, a check of its
// sizes, and encoding of numbers in little endian.
package output
