package main

// #include "nmu.h"
import "C"

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/model"
)

//export nmuGoModelSave
func nmuGoModelSave(path *C.char, v *C.nmu_matrix, about *C.nmu_model, e *C.nmu_error) C.int {
	return call(e, func() error {
		if path == nil {
			return badArgument("the path is NULL")
		}
		return given{like: v}.inPrecision(
			func() error { return save[float64](C.GoString(path), v, about) },
			func() error { return save[float32](C.GoString(path), v, about) })
	})
}

func save[T lnmu.Float](path string, givenV *C.nmu_matrix, about *C.nmu_model) error {
	v, err := viewOf[T]("V", givenV)
	if err != nil {
		return err
	}
	a, err := take("the model", about)
	if err != nil {
		return err
	}
	m := &model.Model[T]{V: v.dense(), Topics: a.topics != 0}
	var o C.nmu_options
	if a.method[0] != 0 {
		o.method = &a.method[0]
	}
	o.method_options = &a.method_options[0]
	if a.method[len(a.method)-1] != 0 || a.method_options[len(a.method_options)-1] != 0 {
		return badArgument("the method of the model, or its options, do not end with a zero byte")
	}
	if m.Method, err = methodOf(o); err != nil {
		return err
	}
	if m.RowNames, err = namesOf(&a, v.rows); err != nil {
		return err
	}
	return m.Save(path)
}

// namesOf returns the names of the rows of a model, or nil if they have none.
func namesOf(a *C.nmu_model, rows int) ([]string, error) {
	if err := (room{"bytes of names", a.names_length, unsafe.Pointer(a.names)}).check(); err != nil || a.names_length == 0 {
		return nil, err
	}
	text := string(unsafe.Slice((*byte)(unsafe.Pointer(a.names)), int64(a.names_length)))
	all, ends := strings.CutSuffix(text, "\x00")
	names := strings.Split(all, "\x00")
	if !ends || len(names) != rows {
		return nil, fmt.Errorf("%w: the model has %d names with a zero byte behind each, and V has %d rows; they must be the same number", lnmu.ErrShape, strings.Count(text, "\x00"), rows)
	}
	for i, name := range names {
		if !utf8.ValidString(name) {
			return nil, badArgument("the name of row %d, %q, is no UTF-8", i+1, name)
		}
	}
	return names, nil
}

//export nmuGoModelLoad
func nmuGoModelLoad(path *C.char, v *C.nmu_matrix, about *C.nmu_model, e *C.nmu_error) C.int {
	return call(e, func() error {
		if path == nil {
			return badArgument("the path is NULL")
		}
		from := C.GoString(path)
		word, err := model.Precision(from)
		if err != nil {
			return err
		}
		of := C.int64_t(C.NMU_FLOAT64)
		if word == "float32" {
			of = C.NMU_FLOAT32
		}
		if v == nil && of == C.NMU_FLOAT32 {
			return load[float32](from, of, nil, about)
		}
		return given{like: v}.inPrecision(
			func() error { return load[float64](from, of, v, about) },
			func() error { return load[float32](from, of, v, about) })
	})
}

// load reads a model whose numbers are of a type in the file.
func load[T lnmu.Float](path string, of C.int64_t, givenV *C.nmu_matrix, about *C.nmu_model) error {
	out, err := take("the model", about)
	if err != nil {
		return err
	}
	m, err := model.Read[T](path)
	if err != nil {
		return err
	}
	var list []string
	values := options.Text(m.Method)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, name+"="+strings.ReplaceAll(values[name], ",", ",,"))
	}
	text := strings.Join(list, ",")
	if len(text) >= len(out.method_options) {
		return fmt.Errorf("%w: model %s: the options of its method have %d bytes, and there is room for %d", lnmu.ErrOption, path, len(text), len(out.method_options)-1)
	}
	if out.names_length, err = writeNames("row", m.RowNames, out.names, out.names_capacity); err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	if givenV != nil {
		v, err := viewOf[T]("V", givenV)
		if err != nil {
			return err
		}
		if v.rows != m.V.Rows || v.cols != m.V.Cols {
			return fmt.Errorf("%w: V is %d x %d, and that of model %s %d x %d", lnmu.ErrShape, v.rows, v.cols, path, m.V.Rows, m.V.Cols)
		}
		if err := v.writable(); err != nil {
			return err
		}
		v.set(m.V)
	}
	put(out.method[:], m.Method.Describe().Name)
	put(out.method_options[:], text)
	out.topics = 0
	if m.Topics {
		out.topics = 1
	}
	out._type, out.rows, out.rank = of, C.int64_t(m.V.Rows), C.int64_t(m.V.Cols)
	give(about, &out)
	return nil
}
