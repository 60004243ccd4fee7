// Package checkpoint keeps the states of a run of nmu factor, rank or consensus in its output folder:
// it writes them while the run computes, finds the last whole one for nmu resume, and removes them
// when the run has ended. A state holds a note of the command line and of the files that were
// read, and then the state of package lnmu or lnmu/compare.
package checkpoint
