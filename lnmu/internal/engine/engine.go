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
	"nmu/lnmu/internal/weighing"
)

// Instances are the functions of the storages for one type of numbers.
type Instances[T kernel.Float] struct {
	OpenDense             func(s core.Session, p core.Plan, m source.Given[T], part core.Part, e observed.Entries, exact bool) source.Opened[T]
	OpenSparse            func(s core.Session, p core.Plan, rows, cols int, part core.Part, m tiles.CSR[T], missing bool) (source.Opened[T], error)
	OpenSparseFiles       func(s core.Session, p core.Plan, part core.Part, m tiles.Reader[T], shared, missing bool) source.Opened[T]
	CheckDense            func(m source.Given[T], e observed.Entries, threads int) (weighing.Checked[T], error)
	CheckSparse           func(m tiles.CSR[T], threads int) (weighing.Checked[T], error)
	CheckNorm             func(name string, m kernel.Matrix[T], threads int) error
	MemoryDense           func(m source.Given[T], part core.Part, masked, weighted bool, p core.Plan, u core.Usage) int64
	MemoryTransform       func(m source.Given[T], rank int, masked, weighted bool, by core.Weighing) int64
	MemorySparse          func(rows, cols, entries int, part core.Window, p core.Plan, missing bool, u core.Usage) int64
	MemorySparseTransform func(rows, cols, entries, rank int, by core.Weighing) int64
	CostDense             func(m source.Given[T], part core.Part, c group.Comm, e observed.Entries, exact bool, p core.Plan, threads, copies int) core.Cost
	CostSparse            func(rows, cols, entries int, p core.Plan, missing bool, threads, processes, copies int) core.Cost
}

// The instances lie in variables, since a caller compiles the generic functions that it names.
var of32, of64 = instances[float32](), instances[float64]()

func instances[T kernel.Float]() *Instances[T] {
	return &Instances[T]{
		dense.Open[T], sparse.Open[T], sparse.OpenFiles[T], dense.Check[T], sparse.Check[T], source.CheckNorm[T],
		dense.Memory[T], dense.TransformMemory[T], sparse.Memory[T], sparse.TransformMemory[T], dense.Cost[T], sparse.Cost[T],
	}
}

// Of returns the instances for a type of numbers.
func Of[T kernel.Float]() *Instances[T] { return instance.Of[*Instances[T]](of32, of64) }
