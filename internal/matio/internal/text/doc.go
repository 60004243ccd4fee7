// Package text reads the lines of a text file, and ends with an error where a line outgrows the
// memory.
package text
