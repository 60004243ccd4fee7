// Package group sums over the slabs of a matrix, over the threads of a process and over the
// processes of a group. The order of the additions does not depend on which process or thread
// has which slab.
//
// The rows of N are cut into slabs of some hundred rows. The slabs follow from the
// number of rows alone, and their sums are added along the tree over them (package
// tree). So the bits of a sum do not depend on who formed which part of it:
//
//	slab     0   1   2   3   4   5   6        H_S N_S, H_S H_Sᵀ
//	         |   |   |   |   |   |   |
//	task     0-+-1   2-+-3   4-+-5   6        Sums.Fold, as a member does its slabs
//	           +--- + ---+     +- + -+        Sums.AddProducts, by columns
//	                +------ + ----+           Sums.AllReduce, over the processes
//
// A Comm connects the processes, and Self is the group of one process. A Reducer knows the
// share of this process and the steps of the reduction; exchange is the only code that
// interprets a tree.Step. Control carries a decision of process 0 (stop, report, save) along
// with the sums, because a separate message would cost every HALS step its latency.
package group
