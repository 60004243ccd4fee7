// Package mat reads and writes MATLAB files of version 5.
//
// A file is a sequence of elements: a tag (type, bytes) and data. An array is an element whose
// data are elements: flags, dimensions, name, then its numbers; in a sparse matrix the row
// indices, the pointers to columns and the values. An array may be compressed by zlib.
package mat
