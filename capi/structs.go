package main

// #include "nmu.h"
import "C"

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// largest is more than the size of any struct, of later versions too.
const largest = 1 << 16

// take copies a struct that begins with its size, which may be that of an older or a
// newer header: fields that it lacks are zero, what is beyond has to be. Nil is all zero. An array of
// the caller must be there as far as its capacity says, and the capacity must be there beside an array.
func take[S any](name string, given *S) (s S) {
	if given == nil {
		return s
	}
	size := must(sizeOf(name, given))
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(given)), size)
	for i, b := range bytes[min(size, unsafe.Sizeof(s)):] {
		if b != 0 {
			refuse(errArgument, "the struct of %s has %d bytes, and byte %d is set, which this version does not know", name, size, int(unsafe.Sizeof(s))+i)
		}
	}
	checkPointers[S](name, bytes)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&s)), unsafe.Sizeof(s)), bytes)
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if i == 0 || v.Field(i-1).Kind() != reflect.Pointer || v.Field(i).Kind() != reflect.Int64 {
			continue
		}
		null := v.Field(i - 1).IsNil()
		if !null && size <= f.Offset {
			refuse(errArgument, "the struct of %s has %d bytes and ends before %s, which belongs to an array that is there: %s", name, size, f.Name, otherHeader)
		}
		if strings.HasSuffix(f.Name, "_capacity") {
			hasRoom(f.Name, v.Field(i).Int(), null)
		}
	}
	return s
}

// checkPointers refuses a number in the place of a pointer, before Go sees it as one and ends the process.
func checkPointers[S any](name string, bytes []byte) {
	const least = 4096 // no array begins below
	for i := range reflect.TypeFor[S]().NumField() {
		f := reflect.TypeFor[S]().Field(i)
		if k := f.Type.Kind(); k != reflect.Pointer && k != reflect.UnsafePointer || f.Offset+f.Type.Size() > uintptr(len(bytes)) {
			continue
		}
		if at := *(*uintptr)(unsafe.Pointer(&bytes[f.Offset])); at > 0 && at < least {
			refuse(errArgument, "%s in the struct of %s is %d, which is no address: %s", strings.TrimPrefix(f.Name, "_"), name, at, otherHeader)
		}
	}
}

// hasRoom refuses the length of an array that is not there.
func hasRoom(name string, length int64, null bool) {
	if length < 0 || length > 0 && null {
		refuse(errArgument, "%s is %d; set the length of its array, or 0 if that is NULL", name, length)
	}
}

// otherHeader says why the fields of a struct are not where they should be.
const otherHeader = "the program was built with another version of nmu.h, or does not set the size to sizeof; build it again"

// sizeOf returns the size of the struct that its caller has set.
func sizeOf[S any](name string, given *S) (uintptr, error) {
	size := *(*C.size_t)(unsafe.Pointer(given))
	if size < C.size_t(unsafe.Sizeof(size)) || size > largest {
		return 0, fmt.Errorf("%w: the struct of %s begins with its size, which is %d; set it to sizeof", errArgument, name, uint64(size))
	}
	if field, ok := cut[S](uintptr(size)); ok {
		return 0, fmt.Errorf("%w: the struct of %s begins with its size, which is %d and ends inside the field %s: %s", errArgument, name, uint64(size), field, otherHeader)
	}
	return uintptr(size), nil
}

// cut returns the field of S inside which a size ends, if there is one: half of a pointer
// would be copied.
func cut[S any](size uintptr) (field string, ok bool) {
	s := reflect.TypeFor[S]()
	if size >= s.Size() {
		return "", false
	}
	for i := range s.NumField() {
		f := s.Field(i)
		if f.Name != "_" && f.Offset < size && size < f.Offset+f.Type.Size() { // "_" is padding
			return strings.TrimPrefix(f.Name, "_"), true // cgo writes type as _type
		}
	}
	return "", false
}

// give copies s to the struct of the caller, whose size stays, as far as it goes. The
// size has been checked by take.
func give[S any](to, s *S) {
	if to == nil {
		return
	}
	word := unsafe.Sizeof(C.size_t(0))
	size := min(uintptr(*(*C.size_t)(unsafe.Pointer(to))), unsafe.Sizeof(*s))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), size)[word:], unsafe.Slice((*byte)(unsafe.Pointer(s)), size)[word:])
}

// put writes a text that ends with a zero byte, cut between two characters if it is
// too long.
func put(to []C.char, text string) {
	n := min(len(text), len(to)-1)
	for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	for i := range to {
		to[i] = 0
		if i < n {
			to[i] = C.char(text[i])
		}
	}
}
