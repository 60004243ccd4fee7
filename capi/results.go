package main

// #include "nmu.h"
import "C"

import (
	"math"
	"reflect"
	"strings"
	"unsafe"

	"nmu/internal/options"
)

// write writes the values of fields in x to the fields of the same names in a struct of C.
func write[S any](to *S, fields []options.Field, x any) {
	s := reflect.TypeFor[S]()
	for i, value := range options.Values(fields, x) {
		f, ok := s.FieldByName(fields[i].Name)
		if !ok {
			panic(s.Name() + " has no field " + fields[i].Name)
		}
		at := unsafe.Add(unsafe.Pointer(to), f.Offset)
		switch value := value.(type) {
		case int64:
			*(*int64)(at) = value
		case uint64:
			*(*uint64)(at) = value
		case float64:
			*(*float64)(at) = value
		case bool:
			*(*int64)(at) = 0
			if value {
				*(*int64)(at) = 1
			}
		case string:
			put(unsafe.Slice((*C.char)(at), f.Type.Size()), value)
		}
	}
}

// textOf returns the text in a field of a struct of C.
func textOf(field []C.char) string {
	var b strings.Builder
	for _, c := range field {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String()
}

// intOf returns x, or the int nearest to it where an int has 32 bits.
func intOf(x C.int64_t) int { return int(max(math.MinInt, min(math.MaxInt, int64(x)))) }
