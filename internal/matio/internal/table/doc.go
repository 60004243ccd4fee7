// Package table reads and writes tables of numbers in text files: .csv, .tsv and text in
// columns.
//
// Open guesses from the first rows what separates the cells, whether the first row is a header and
// whether the first column holds labels (recognise), adds row after row to a store (add), and
// decides at the end what only all rows can tell (finish): columns that count, decimal signs,
// missing cells. The rules are in the package comment of matio.
package table
