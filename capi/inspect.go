package main

// #include "nmu.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

//export nmuGoInspect
func nmuGoInspect(opt *C.nmu_options, result *C.nmu_file, e *C.nmu_error) C.int {
	return call(e, func() error {
		p, err := planOf(opt, options.Inspect)
		if err != nil {
			return err
		}
		out, err := take("the description of the file", result)
		if err != nil {
			return err
		}
		if p.Input == "" {
			return fmt.Errorf("%w: no file; set input=FILE", lnmu.ErrOption)
		}
		file, err := openFile(&p.Run, p.Input)
		if err != nil {
			return err
		}
		defer file.Close()
		m, n := file.Dims()
		out.rows, out.cols, out.entries = C.int64_t(m), C.int64_t(n), -1
		if file.Sparse() && !p.Dense {
			_, entries := matio.SparseSize[float64](file)
			out.entries = C.int64_t(entries)
		}
		if out.row_names_length, err = writeNames("row", file.RowNames(), out.row_names, out.row_names_capacity); err == nil {
			out.col_names_length, err = writeNames("column", file.ColNames(), out.col_names, out.col_names_capacity)
		}
		if err == nil {
			give(result, &out)
		}
		return err
	})
}

// writeNames writes names, each with a zero byte behind it, as far as an array of the caller has room,
// and returns their length.
func writeNames(what string, names []string, to *C.char, capacity C.int64_t) (C.int64_t, error) {
	if err := (room{"bytes of names", capacity, unsafe.Pointer(to)}).check(); err != nil {
		return 0, err
	}
	var all []byte
	for i, name := range names {
		if strings.Contains(name, "\x00") {
			return 0, fmt.Errorf("%w: the name of %s %d holds a zero byte", lnmu.ErrOption, what, i+1)
		}
		all = append(append(all, name...), 0)
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), int64(capacity)), all)
	return C.int64_t(len(all)), nil
}
