package tiles

import (
	"slices"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
)

// tileFile is the tiles of a sparse M in scratch files: the places of the entries in one file,
// their values in another, and the residual E and N or G in files of their own. A unit is some
// slabs. Its tiles in one block of columns are stored together as a part, which begins at a
// page:
//
//	             block 0   block 1   block 2
//	slab 0      |    1    |    3    |    5    |
//	slab 1      |    2    |    4    |    6    |    unit 0: 1 2 | 3 4 | 5 6
//	slab 2      |    7    |    8    |    9    |    unit 1: 7   | 8   | 9
//
// A pass by slabs reads whole units. A pass by blocks of columns reads the parts of a group of
// slabs in one block. Units and parts are contiguous in the files.
type tileFile[T kernel.Float] struct {
	places block.Scratch
	values [3]block.Scratch // E, N and M itself; the first two may be missing
	units  []int            // unit u has the slabs [units[u], units[u+1])
	groups []int            // group k has the units [groups[k], groups[k+1])
	parts  []partOfFile     // of unit u and block b at u*Blocks+b; the last is the end of the files
	most   [2]int64         // bytes of a unit in the files of the values and of the places
	bytes  [2]int64         // upper bounds of the sizes of a file of values and of that of the places
	chunk  float64          // bytes of memory of a unit, in an estimate
}

// partOfFile says where the tiles of a unit in a block of columns begin.
type partOfFile struct {
	values, places int64 // bytes in the files
	entries        int
}

// OfGiven is the index of M itself, beside block.OfM and block.OfN, if the residual is in
// another file.
const OfGiven = 2

// A part of a unit has about 1/leastPart of a chunk or more, so a unit grows with the number of
// blocks of columns, up to mostOfUnit chunks.
const (
	leastPart  = 32
	mostOfUnit = 4
)

// unitBytes returns the approximate size of the places and values of a unit. A larger slab
// makes a larger unit.
func unitBytes(blocks int) int {
	return block.ChunkBytes * max(1, min(blocks/leastPart, mostOfUnit))
}

// setFile cuts the tiles into units for a team of threads, and makes the files of the places
// and of M.
func (t *Tiling[T]) setFile(threads int, dir string) (err error) {
	t.file = &tileFile[T]{}
	t.setUnits(threads)
	own := t.Shared.own()
	t.setBytes(own.bounds[t.Count()], own.before[t.Count()], len(t.file.units)-1)
	if t.file.places, err = block.MakeScratch(dir, t.file.bytes[1]); err == nil {
		t.file.values[OfGiven], err = block.MakeScratch(dir, t.file.bytes[0])
	}
	return err
}

// addState makes the files of E and of N or G that the form asks for.
func (t *Tiling[T]) addState(f Form, dir string) (err error) {
	for which, wanted := range [2]bool{block.OfM: f.Residual, block.OfN: f.State} {
		if wanted && err == nil {
			t.file.values[which], err = block.MakeScratch(dir, t.file.bytes[0])
		}
	}
	return err
}

// setUnits cuts the slabs into units. A unit does not cross the end of a group or of a task, so
// that one task writes all of it.
func (t *Tiling[T]) setUnits(threads int) {
	f, own, first := t.file, t.Shared.own(), t.Among().First
	ends := slices.Clone(t.Groups)
	for _, task := range group.NewSums[T](t.Among(), threads, 1, 1, 1, kernel.NewMatrix).Tasks {
		ends = append(ends, task.Last-first)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	full, bytes := unitBytes(t.Blocks), 0
	f.units = []int{0}
	for slab := range t.Count() {
		rows, entries := own.bounds[slab+1]-own.bounds[slab], own.before[slab+1]-own.before[slab]
		here := entries*(4+int(unsafe.Sizeof(T(0)))) + rows*t.Blocks*int(unsafe.Sizeof(0)) // its places and values
		begun := f.units[len(f.units)-1]
		if _, end := slices.BinarySearch(ends, slab); slab > begun && (end || bytes+here > full) {
			f.units, bytes = append(f.units, slab), 0
		}
		bytes += here
	}
	if t.Count() > 0 {
		f.units = append(f.units, t.Count())
	}
	for _, slab := range t.Groups {
		unit, _ := slices.BinarySearch(f.units, slab)
		f.groups = append(f.groups, unit)
	}
}

// setBytes sets the sizes of the files for the rows and entries of this process.
func (t *Tiling[T]) setBytes(rows, entries, units int) {
	parts := int64(units) * int64(t.Blocks)
	t.file.bytes[0] = int64(entries)*int64(unsafe.Sizeof(T(0))) + parts*direct.Page
	t.file.bytes[1] = 4*int64(entries) + int64(unsafe.Sizeof(0))*(int64(rows)*int64(t.Blocks)+parts) + parts*direct.Page
}

// Stored returns the bytes of a file of values and of that of the places; in memory, 0.
func (t *Tiling[T]) Stored() (values, places float64) {
	if t.file == nil {
		return 0, 0
	}
	return float64(t.file.bytes[0]), float64(t.file.bytes[1])
}

func (f *tileFile[T]) close() {
	for which := range f.values {
		f.values[which].Close()
	}
	f.places.Close()
}

// placesIn returns the pointers and the columns of a part, in memory that begins at a page.
func placesIn(memory []byte, rows, entries int) (ptr []int, idx []int32) {
	head := (rows + 1) * int(unsafe.Sizeof(0))
	begin := unsafe.Pointer(unsafe.SliceData(memory[:head+4*entries]))
	return unsafe.Slice((*int)(begin), rows+1), unsafe.Slice((*int32)(unsafe.Add(begin, head)), entries)
}
