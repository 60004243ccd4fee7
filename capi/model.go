package main

// #include "call.h"
import "C"

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/model"
)

// save writes a model to a file.
func save[T lnmu.Float](c *call) error {
	path, v := pathOf(c), viewOf[T]("V", c.v)
	a := take("the model", (*C.nmu_model)(c.result))
	if a.method[len(a.method)-1] != 0 || a.method_options[len(a.method_options)-1] != 0 {
		refuse(errArgument, "method and method_options of the model must end with a zero byte")
	}
	by := methodOf(textOf(a.method[:]), textOf(a.method_options[:]))
	m := model.Model[T]{V: denseOf(v), Method: by, RowNames: namesOf(&a, v.rows), Topics: a.topics != 0}
	fail(m.Save(path))
	return nil
}

// namesOf returns the names of the rows of a model, or nil if they have none.
func namesOf(a *C.nmu_model, rows int) []string {
	hasRoom("names_length", int64(a.names_length), a.names == nil)
	if a.names_length == 0 {
		return nil
	}
	text := string(array[byte]("names", unsafe.Pointer(a.names), int64(a.names_length)))
	all, ends := strings.CutSuffix(text, "\x00")
	names := strings.Split(all, "\x00")
	if !ends || len(names) != rows {
		refuse(lnmu.ErrShape, "the model has %d names with a zero byte behind each, and V has %d rows; they must be the same number", strings.Count(text, "\x00"), rows)
	}
	for i, name := range names {
		if !utf8.ValidString(name) {
			refuse(errArgument, "the name of row %d, %q, is no UTF-8", i+1, name)
		}
	}
	return names
}

// load reads a model from a file.
func load[T lnmu.Float](c *call) error {
	path := pathOf(c)
	out := take("the model", (*C.nmu_model)(c.result))
	out._type = precisionOf(path, out)
	m := must(model.ReadWithin[T](path, int64(out.max_memory)))
	var list []string
	values := options.Text(m.Method)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, name+"="+strings.ReplaceAll(values[name], ",", ",,"))
	}
	text := strings.Join(list, ",")
	if len(text) >= len(out.method_options) {
		refuse(lnmu.ErrOption, "model %s: the options of its method have %d bytes, and there is room for %d", path, len(text), len(out.method_options)-1)
	}
	out.names_length = writeNames("row", m.RowNames, out.names, out.names_capacity)
	if c.v != nil {
		v := resultOf[T]("V", c.v)
		if v.rows != m.V.Rows || v.cols != m.V.Cols {
			refuse(lnmu.ErrShape, "V is %d x %d, and that of model %s %d x %d", v.rows, v.cols, path, m.V.Rows, m.V.Cols)
		}
		set(v, m.V)
	}
	put(out.method[:], m.Method.Name())
	put(out.method_options[:], text)
	out.topics = truth(m.Topics)
	out.rows, out.rank = C.int64_t(m.V.Rows), C.int64_t(m.V.Cols)
	give((*C.nmu_model)(c.result), &out)
	return nil
}
