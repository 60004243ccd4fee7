// Package bench measures: what this machine can do, how near to that the
// algorithms of the paper come, and how long other programs take for the same
// work.
//
//	Machine ------ multiply-adds per second, bandwidth of L1, L2, L3, memory
//	   |                 per level, precision and number of threads
//	   v
//	limit of a problem = the lower of what its operations and its bytes allow
//
// Every rate is measured where the program runs, none is assumed; every
// quantity is measured several times and kept with all its samples (Stat).
// Figures mean something on an otherwise idle machine only.
package bench
