package main

// #include "call.h"
import "C"

import (
	"strings"
	"unsafe"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// inspect describes the matrix in a file.
func inspect(c *call) error {
	p, result := planOf(c, options.Inspect), (*C.nmu_file)(c.result)
	file := openFile(p)
	defer file.Close()
	out := take("the description of the file", result)
	m, n := file.Dims()
	out.rows, out.cols, out.entries = C.int64_t(m), C.int64_t(n), -1
	if file.Sparse() && !p.Dense {
		_, entries := matio.SparseSize[float64](file)
		out.entries = C.int64_t(entries)
	}
	out.row_names_length = writeNames("row", file.RowNames(), out.row_names, out.row_names_capacity)
	out.col_names_length = writeNames("column", file.ColNames(), out.col_names, out.col_names_capacity)
	give(result, &out)
	return nil
}

// writeNames writes names, each with a zero byte behind it, as far as an array of the caller has room,
// and returns their length.
func writeNames(what string, names []string, to *C.char, capacity C.int64_t) C.int64_t {
	var all []byte
	for i, name := range names {
		if strings.Contains(name, "\x00") {
			refuse(lnmu.ErrOption, "the name of %s %d holds a zero byte", what, i+1)
		}
		all = append(append(all, name...), 0)
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), min(int64(capacity), int64(len(all)))), all)
	return C.int64_t(len(all))
}
