// Package checkpoint keeps the states of a run, for the command and the C library: it writes them while the
// run computes, opens the last whole one, from which a run goes on, and removes it when the run has ended. A
// state of the command holds a note of the command line and of the files that were read, and then the state
// of package lnmu or lnmu/compare.
package checkpoint
