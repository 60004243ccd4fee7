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

// cStruct is a struct of C for results, whose fields have these names.
type cStruct[S any] struct {
	fields []options.Field
	places []reflect.StructField
}

// recordOf returns a function that describes a struct, once.
func recordOf[S any](fields []options.Field) func() cStruct[S] {
	return sync.OnceValue(func() cStruct[S] {
		r := cStruct[S]{fields: fields}
		for _, f := range fields {
			place, ok := reflect.TypeFor[S]().FieldByName(f.Name)
			if !ok {
				panic(reflect.TypeFor[S]().Name() + " has no field " + f.Name)
			}
			r.places = append(r.places, place)
		}
		return r
	})
}

var (
	resultRecord    = recordOf[C.nmu_result](options.FieldsOf("nmu_result"))
	blockRecord     = recordOf[C.nmu_block](options.FieldsOf("nmu_block"))
	transformRecord = recordOf[C.nmu_transform_result](options.FieldsOf("nmu_transform_result"))
	rankRecord      = recordOf[C.nmu_rank_result](options.FieldsOf("nmu_rank_result"))
	pointRecord     = recordOf[C.nmu_rank_point](options.FieldsOf("nmu_rank_point"))

	consensusRecord      = recordOf[C.nmu_consensus_result](options.FieldsOf("nmu_consensus_result"))
	consensusPointRecord = recordOf[C.nmu_consensus_point](options.FieldsOf("nmu_consensus_point"))
	estimateRecord       = recordOf[C.nmu_estimate_result](options.FieldsOf("nmu_estimate_result"))
	partRecord           = recordOf[C.nmu_part](options.FieldsOf("nmu_part"))

	measuresRecord = recordOf[C.nmu_measures](options.FieldsOf("nmu_measures"))
	bicliqueRecord = recordOf[C.nmu_biclique_result](options.FieldsOf("nmu_biclique_result"))
	progressRecord = recordOf[C.nmu_progress](options.FieldsOf("nmu_progress"))
)

// write writes the values of the fields of x.
func (r cStruct[S]) write(to *S, x any) {
	for i, value := range options.Values(r.fields, x) {
		at := unsafe.Add(unsafe.Pointer(to), r.places[i].Offset)
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
			put(unsafe.Slice((*C.char)(at), r.places[i].Type.Size()), value)
		}
	}
}

// list writes the values of the fields of each x, as far as an array of the caller has room, and returns their number.
func list[S, X any](r cStruct[S], to *S, capacity C.int64_t, xs []X) C.int64_t {
	room := unsafe.Slice(to, min(int64(capacity), int64(len(xs))))
	for i := range room {
		r.write(&room[i], xs[i])
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
