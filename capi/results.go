package main

// #include "nmu.h"
import "C"

import (
	"math"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"nmu/internal/options"
)

// fieldsOf are the fields of the structs for results, by the names of these.
var fieldsOf = sync.OnceValue(options.Fields)

// write writes the values of x to the fields of a struct for results.
func write[S any](to *S, x any) {
	s := reflect.TypeFor[S]()
	fields := fieldsOf()[strings.TrimPrefix(s.Name(), "_Ctype_struct_")]
	for i, value := range options.Values(fields, x) {
		place, ok := s.FieldByName(fields[i].Name)
		if !ok {
			panic(s.Name() + " has no field " + fields[i].Name)
		}
		at := unsafe.Add(unsafe.Pointer(to), place.Offset)
		switch value := value.(type) {
		case int64:
			*(*int64)(at) = value
		case uint64:
			*(*uint64)(at) = value
		case float64:
			*(*float64)(at) = value
		case bool:
			*(*C.int64_t)(at) = truth(value)
		case string:
			put(unsafe.Slice((*C.char)(at), place.Type.Size()), value)
		}
	}
}

// list writes the values of the fields of each x, as far as an array of the caller has room, and returns their number.
func list[S, X any](to *S, capacity C.int64_t, xs []X) C.int64_t {
	room := unsafe.Slice(to, min(int64(capacity), int64(len(xs))))
	for i := range room {
		write(&room[i], xs[i])
	}
	return C.int64_t(len(xs))
}

// truth returns 1 for true.
func truth(b bool) C.int64_t {
	if b {
		return 1
	}
	return 0
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
