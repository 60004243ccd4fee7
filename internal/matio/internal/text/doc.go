// Package text reads the lines of a text file. A line that exceeds the memory limit is an
// error.
package text
