package report

import (
	"fmt"

	"nmu/bench/internal/machine"
	"nmu/internal/render"
)

// CaseName names a method with its precision and threads. It is the same in all groups.
func CaseName(method string, t machine.Type, threads int) string {
	return fmt.Sprintf("%s %s threads=%d", method, t, threads)
}

// IterationGroup returns the group of the iterations on a problem.
func IterationGroup(problem string) string { return "iterations, " + problem }

// WholeGroup returns the group of the whole factorizations of a problem.
func WholeGroup(problem string) string { return "whole, " + problem }

// PeerGroup returns the group of all programs on a problem.
func PeerGroup(problem string) string { return "peers, " + problem }

// SolverGroup returns the group of the times of the solvers of a method to the same result on
// a problem.
func SolverGroup(problem string) string { return "solvers, " + problem }

// SparseGroup is the group of the iterations on a sparse matrix.
const SparseGroup = "iterations, sparse"

// SparseCase names a row of SparseGroup: what iterates, a method and its rank, in a precision.
func SparseCase(what string, t machine.Type) string { return what + " " + string(t) }

// Groups of the measurements of several processes.
const (
	ExchangeGroup  = "messages between processes"
	OneOrMoreGroup = "one process or more, cbcl"
)

// Axes of scaling.
const (
	AxisThreads   = "threads"   // of one process
	AxisProcesses = "processes" // with the same number of threads each
)

// Workers names processes by their number and their threads. It is the same in all
// reports.
func Workers(processes, threads int) string {
	if processes == 1 {
		return fmt.Sprintf("1 process of %s", render.Plural(threads, "thread"))
	}
	return fmt.Sprintf("%d processes of %s", processes, render.Plural(threads, "thread"))
}
