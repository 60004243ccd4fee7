// Package input has the state that every format reader fills in: the file, its memory limit,
// its error messages, and the matrix found in it.
//
//	File ──▶ Dense ──Open──▶ Source ──Next──▶ float64
//	  └────▶ Sparse ──Entries or Each──▶ Entries
//
// A format fills in a File: the size of the matrix, its names, and either Dense or Sparse, from
// which package matio reads the numbers. A format compares every claim of the file with the
// bytes present, and asks Reserve, Fits or Alloc before it takes memory. Bad, Unsupported,
// TooLarge and ReadError make errors that name the file, its part and the place. Plain is an
// uncompressed array, and Numbers reads one.
package input
