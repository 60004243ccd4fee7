// Package temp writes temporary files: those that take the place of a file when they are whole,
// and those that are gone when they are closed.
//
// The first kind is locked while it is written, so that the next process that writes the same
// file removes what a killed one has left. The second has no name where the system allows it.
package temp
