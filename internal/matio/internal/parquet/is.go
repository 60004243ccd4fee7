// Package parquet reads Parquet files as tables: each column, and its name, is a column of a table with a header.
//
// The library parquet-go knows the structures of the format. Pages are read here, so that every size is compared with
// the file and with the limit of memory before anything is allocated or inflated.
//
// A program for a browser has no reader, which would make the page half a megabyte larger.
package parquet

const magic = "PAR1" // at the beginning and at the end of a file

// Is says whether head begins a Parquet file: a structure follows the signature, as in no text.
func Is(head []byte) bool { return len(head) > 4 && string(head[:5]) == magic+"\x15" }
