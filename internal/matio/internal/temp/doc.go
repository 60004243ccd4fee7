// Package temp writes temporary files. Some replace another file when they are complete; others
// are removed when they are closed.
//
// A file of the first kind is locked while it is written. The next process that writes the same
// path removes files that a killed process has left. A file of the second kind has no name if
// the system allows that.
package temp
