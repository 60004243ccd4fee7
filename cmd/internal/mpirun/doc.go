// Package mpirun starts the processes of a run: with --mpi it makes one group of those that
// mpirun has started, divides the memory and processors of a machine among them, and passes
// their signals on to process 0.
package mpirun
