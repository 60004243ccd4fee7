// Package process coordinates the processes that mpirun has started for one run. All take the
// same steps. Only process 0 prints and writes files. The processes agree on errors and signals,
// and divide the memory and processors of a machine.
package process
