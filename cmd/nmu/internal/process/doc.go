// Package process has the processes that mpirun has started for one run. All take the same
// steps; process 0 alone prints and writes files. They agree on errors, on signals, and on
// how they share a machine.
package process
