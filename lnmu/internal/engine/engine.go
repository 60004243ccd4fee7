// Package engine holds the instances of the storages, for either type of numbers. Package lnmu
// calls them here. It would otherwise compile all of dense, sparse and tiles twice with each of
// its changes, and so would its tests.
package engine

import (
	"nmu/internal/instance"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/sparse"
	"nmu/lnmu/internal/tiles"
	"nmu/lnmu/internal/weighing"
)

// Instances are the functions of the storages for one type of numbers.
type Instances[T kernel.Float] struct {
	OpenDense              func(s core.Session, p core.Plan, m source.Given[T], part core.Part, e observed.Entries, exact bool) source.Opened[T]
	OpenSparse             func(s core.Session, p core.Plan, rows, cols int, part core.Part, m tiles.CSR[T], missing bool) (source.Opened[T], error)
	OpenSparseFiles        func(s core.Session, p core.Plan, part core.Part, m tiles.Reader[T], shared, missing bool) source.Opened[T]
	CheckDense             func(m source.Given[T], e observed.Entries, threads int) (weighing.Checked[T], error)
	CheckSparse            func(m tiles.CSR[T], threads int) (weighing.Checked[T], error)
	CheckNorm              func(name string, m kernel.Matrix[T], threads int) error
	ReserveTransform       func(a *arena.Arena, m source.Given[T], rank int, e observed.Entries, by core.Weighing)
	OutlineSparse          func(s core.Session, p core.Plan, rows, cols, entries int, part core.Part, own core.Window, files, missing bool) source.Opened[T]
	ReserveSparseTransform func(a *arena.Arena, rows, cols, entries, rank int, by core.Weighing)
}

// The instances lie in variables, since a caller compiles the generic functions that it names.
var (
	of32 = Instances[float32]{
		dense.Open[float32], sparse.Open[float32], sparse.OpenFiles[float32], dense.Check[float32], sparse.Check[float32], source.CheckNorm[float32],
		dense.ReserveTransform[float32], sparse.Outline[float32], sparse.ReserveTransform[float32],
	}
	of64 = Instances[float64]{
		dense.Open[float64], sparse.Open[float64], sparse.OpenFiles[float64], dense.Check[float64], sparse.Check[float64], source.CheckNorm[float64],
		dense.ReserveTransform[float64], sparse.Outline[float64], sparse.ReserveTransform[float64],
	}
)

// Of returns the instances for a type of numbers.
func Of[T kernel.Float]() *Instances[T] { return instance.Of[T, *Instances[T]](&of32, &of64) }
