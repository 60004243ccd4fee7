package input

import (
	"slices"
	"unsafe"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// Dense reads the matrix of an open file. The caller must not change the entries, and must not
// use them after the file is closed.
func Dense[T lnmu.Float](file *matio.File) (lnmu.Dense[T], error) {
	rows, cols, data, err := matio.Dense[T](file)
	if err != nil {
		return lnmu.Dense[T]{}, err
	}
	return lnmu.NewDense(rows, cols, data), nil
}

// ReadFurther reads a further matrix into memory, within the memory that the file input
// leaves, and counts it there.
func ReadFurther[T lnmu.Float](path string, input *matio.File) (lnmu.Dense[T], error) {
	return readFurther[T](path, input, false)
}

// readFurther is ReadFurther for a matrix that may be transposed.
func readFurther[T lnmu.Float](path string, input *matio.File, transposed bool) (lnmu.Dense[T], error) {
	file, err := matio.Open(path, matio.Options{MaxMemory: max(input.Left(), 1), Transpose: transposed})
	if err != nil {
		return lnmu.Dense[T]{}, err
	}
	defer file.Close()
	d, err := Dense[T](file)
	if err != nil {
		return d, err
	}
	size := int64(len(d.Data)) * int64(unsafe.Sizeof(T(0))) // fits: it is mapped or in memory
	if file.Mapped() {
		if err := file.Fits(size, "reading it"); err != nil {
			return d, err
		}
		err = file.Guard(func() error {
			d.Data = slices.Clone(d.Data)
			return nil
		})
	}
	if err == nil {
		err = input.Reserve(size, "reading it and "+path)
	}
	return d, err
}
