// Package record is the folder that a run leaves: the names of its files, result.json of nmu
// factor and nmu transform, rank.json of nmu rank, and V and W with their sums. Every command
// that reads one of them reads it here, where all of it is checked; the table on the terminal
// and the page are other views of the same report.
package record
