// Package engine holds the instances of the storages, for either type of numbers. Package lnmu
// calls them here. It would otherwise compile all of dense, sparse and tiles twice with each of
// its changes, and so would its tests.
package engine

import (
	"nmu/internal/instance"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/sparse"
	"nmu/lnmu/internal/tiles"
)

// instances are the functions for one type of numbers.
type instances[T kernel.Float] struct {
	openDense    func(s core.Session, p core.Plan, m source.Given[T], part core.Part, e observed.Entries, exact bool) source.Opened[T]
	openSparse   func(s core.Session, p core.Plan, rows, cols int, part core.Part, m tiles.CSR[T], missing bool) (source.Opened[T], error)
	openFiles    func(s core.Session, p core.Plan, part core.Part, m tiles.Reader[T], shared, missing bool) source.Opened[T]
	checkDense   func(m source.Given[T], e observed.Entries, threads int) (source.Checked[T], error)
	checkSparse  func(m tiles.CSR[T], threads int) (source.Checked[T], error)
	checkNorm    func(name string, m kernel.Matrix[T], threads int) error
	memoryDense  func(m source.Given[T], part core.Part, masked, weighted bool, p core.Plan, u core.Usage) int64
	memoryFound  func(m source.Given[T], rank int, masked, weighted bool, by core.Weighing) int64
	memorySparse func(rows, cols, entries int, part core.Window, p core.Plan, missing bool, u core.Usage) int64
	sparseFound  func(rows, cols, entries, rank int, by core.Weighing) int64
	costDense    func(m source.Given[T], part core.Part, c group.Comm, e observed.Entries, exact bool, p core.Plan, threads, copies int) core.Cost
	costSparse   func(rows, cols, entries int, p core.Plan, missing bool, threads, processes, copies int) core.Cost
}

// The instances lie in variables, since a caller compiles the generic functions that it names.
var (
	of32 = instances[float32]{
		dense.Open[float32], sparse.Open[float32], sparse.OpenFiles[float32], dense.Check[float32], sparse.Check[float32],
		source.CheckNorm[float32], dense.Memory[float32], dense.TransformMemory[float32], sparse.Memory[float32], sparse.TransformMemory[float32], dense.Cost[float32], sparse.Cost[float32],
	}
	of64 = instances[float64]{
		dense.Open[float64], sparse.Open[float64], sparse.OpenFiles[float64], dense.Check[float64], sparse.Check[float64],
		source.CheckNorm[float64], dense.Memory[float64], dense.TransformMemory[float64], sparse.Memory[float64], sparse.TransformMemory[float64], dense.Cost[float64], sparse.Cost[float64],
	}
)

// of returns the instances for a type of numbers.
func of[T kernel.Float]() *instances[T] { return instance.Of[*instances[T]](&of32, &of64) }

// OpenDense is dense.Open.
func OpenDense[T kernel.Float](s core.Session, p core.Plan, m source.Given[T], part core.Part, e observed.Entries, exact bool) source.Opened[T] {
	return of[T]().openDense(s, p, m, part, e, exact)
}

// OpenSparse is sparse.Open.
func OpenSparse[T kernel.Float](s core.Session, p core.Plan, rows, cols int, part core.Part, m tiles.CSR[T], missing bool) (source.Opened[T], error) {
	return of[T]().openSparse(s, p, rows, cols, part, m, missing)
}

// OpenSparseFiles is sparse.OpenFiles.
func OpenSparseFiles[T kernel.Float](s core.Session, p core.Plan, part core.Part, m tiles.Reader[T], shared, missing bool) source.Opened[T] {
	return of[T]().openFiles(s, p, part, m, shared, missing)
}

// CheckDense is dense.Check.
func CheckDense[T kernel.Float](m source.Given[T], e observed.Entries, threads int) (source.Checked[T], error) {
	return of[T]().checkDense(m, e, threads)
}

// CheckSparse is sparse.Check.
func CheckSparse[T kernel.Float](m tiles.CSR[T], threads int) (source.Checked[T], error) {
	return of[T]().checkSparse(m, threads)
}

// CheckNorm is source.CheckNorm.
func CheckNorm[T kernel.Float](name string, m kernel.Matrix[T], threads int) error {
	return of[T]().checkNorm(name, m, threads)
}

// MemoryDense is dense.Memory.
func MemoryDense[T kernel.Float](m source.Given[T], part core.Part, masked, weighted bool, p core.Plan, u core.Usage) int64 {
	return of[T]().memoryDense(m, part, masked, weighted, p, u)
}

// MemoryTransform is dense.TransformMemory.
func MemoryTransform[T kernel.Float](m source.Given[T], rank int, masked, weighted bool, by core.Weighing) int64 {
	return of[T]().memoryFound(m, rank, masked, weighted, by)
}

// MemorySparse is sparse.Memory.
func MemorySparse[T kernel.Float](rows, cols, entries int, part core.Window, p core.Plan, missing bool, u core.Usage) int64 {
	return of[T]().memorySparse(rows, cols, entries, part, p, missing, u)
}

// MemorySparseTransform is sparse.TransformMemory.
func MemorySparseTransform[T kernel.Float](rows, cols, entries, rank int, by core.Weighing) int64 {
	return of[T]().sparseFound(rows, cols, entries, rank, by)
}

// CostDense is dense.Cost.
func CostDense[T kernel.Float](m source.Given[T], part core.Part, c group.Comm, e observed.Entries, exact bool, p core.Plan, threads, copies int) core.Cost {
	return of[T]().costDense(m, part, c, e, exact, p, threads, copies)
}

// CostSparse is sparse.Cost.
func CostSparse[T kernel.Float](rows, cols, entries int, p core.Plan, missing bool, threads, processes, copies int) core.Cost {
	return of[T]().costSparse(rows, cols, entries, p, missing, threads, processes, copies)
}
