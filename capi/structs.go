package main

// #include "nmu.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"unicode/utf8"
	"unsafe"

	"nmu/lnmu"
)

// errArgument is wrapped by what is wrong with the arguments as C has them.
var errArgument = errors.New("bad argument")

func badArgument(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errArgument}, args...)...)
}

// largest is more than the size of any struct, of later versions too.
const largest = 1 << 16

// take copies a struct that begins with its size, which may be that of an older or a
// newer header: fields that it lacks are zero, what is beyond has to be. Nil is all zero.
func take[S any](name string, given *S) (s S, err error) {
	if given == nil {
		return s, nil
	}
	size, err := sizeOf(name, given)
	if err != nil {
		return s, err
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(given)), size)
	for i, b := range bytes[min(size, unsafe.Sizeof(s)):] {
		if b != 0 {
			return s, badArgument("the struct of %s has %d bytes, and byte %d is set, which this version does not know", name, size, int(unsafe.Sizeof(s))+i)
		}
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&s)), unsafe.Sizeof(s)), bytes)
	return s, nil
}

// sizeOf returns the size of the struct that its caller has set.
func sizeOf[S any](name string, given *S) (uintptr, error) {
	size := *(*C.size_t)(unsafe.Pointer(given))
	if size < C.size_t(unsafe.Sizeof(size)) || size > largest {
		return 0, badArgument("the struct of %s begins with its size, which is %d; set it to sizeof", name, uint64(size))
	}
	if field, ok := cut[S](uintptr(size)); ok {
		return 0, badArgument("the struct of %s begins with its size, which is %d and ends inside the field %s; set it to sizeof", name, uint64(size), field)
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

// call does the work of a function of nmu.h and returns its code. What it panics with is
// an error of the library, and no reason to end the process.
func call(to *C.nmu_error, do func() error) (code C.int) {
	if to != nil {
		if _, err := sizeOf("the error", to); err != nil {
			return C.NMU_EARGUMENT
		}
	}
	defer func() {
		if p := recover(); p != nil {
			code = report(to, C.NMU_EINTERNAL, fmt.Errorf("internal error: %v\n%s", p, debug.Stack()))
		}
	}()
	err := do()
	return report(to, codeOf(err), err)
}

// codeOf returns the code for an error.
func codeOf(err error) C.int {
	switch {
	case err == nil:
		return C.NMU_OK
	case errors.As(err, new(warning)):
		if errors.Is(err, context.Canceled) {
			return C.NMU_CANCELLED
		}
		return C.NMU_OK
	case errors.Is(err, context.Canceled):
		return C.NMU_CANCELLED
	case errors.Is(err, lnmu.ErrShape):
		return C.NMU_ESHAPE
	case errors.Is(err, lnmu.ErrValue):
		return C.NMU_EVALUE
	case errors.Is(err, errArgument):
		return C.NMU_EARGUMENT
	}
	return C.NMU_EOPTION // lnmu.ErrOption, or the environment variable NMU_KERNEL
}

// report tells the caller of an error.
func report(to *C.nmu_error, code C.int, err error) C.int {
	e := C.nmu_error{code: C.int64_t(code), row: -1, col: -1}
	if err != nil {
		put(e.message[:], err.Error())
	}
	var bad *lnmu.ValueError
	if errors.As(err, &bad) {
		e.row, e.col, e.value = C.int64_t(bad.Row), C.int64_t(bad.Col), C.double(bad.Value)
		put(e.matrix[:], bad.Matrix)
	}
	give(to, &e)
	return code
}
