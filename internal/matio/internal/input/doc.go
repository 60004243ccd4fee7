// Package input is a file that is read: its limits, its messages, and the matrix that its format
// finds in it.
//
//	File ──▶ Dense ──Open──▶ Source ──Next──▶ float64
//	  └────▶ Sparse ──Entries or Each──▶ Entries
//
// A format fills in a File: the size of the matrix, its names, and either Dense or Sparse, from
// which package matio reads the numbers. It compares every claim of the file with the bytes
// there are, and asks Reserve, Fits or Alloc for memory before it takes any. Bad, Unsupported,
// TooLarge and ReadError make errors that name the file, its part and the place. Plain is an
// array that lies in a file as it is, Numbers delivers one.
package input
