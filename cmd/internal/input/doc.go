// Package input reads what a command line names: the matrix, with the flags that say how to
// read it, its mask and weights, and further matrices within the memory that it leaves.
// Errors say which flag helps.
package input
