package matio

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Guard calls work, which uses the data of Dense or Lines, and returns its error. If another
// process shortens or changes a mapped file meanwhile, the error wraps ErrChanged, whatever
// work returned. The results of work are then invalid.
//
// A read of data that are gone is a fault of the goroutine that reads. For the calling
// goroutine, Guard turns the fault into a panic (debug.SetPanicOnFault) and recovers it.
// Another goroutine that work starts must call SetPanicOnFault itself and hand the panic on.
// Guard does not recover other panics.
func (f *File) Guard(work func() error) (err error) {
	if f.mapping == nil && f.direct == nil {
		return work()
	}
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		switch p := recover(); {
		case p == nil:
			if changed := f.changed(); changed != nil {
				err = changed
			}
		case f.holds(p), f.lost(p):
			err = fmt.Errorf("%s: %w: it shrank or could not be read while it was in use; copy it first", f.in.Path, ErrChanged)
		default:
			panic(p)
		}
	}()
	return work()
}

// holds says whether p is the panic of a fault within the mapping.
func (f *File) holds(p any) bool {
	err, ok := p.(error)
	var fault interface{ Addr() uintptr }
	if !ok || !errors.As(err, &fault) {
		return false
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(f.mapping)))
	return fault.Addr()-first < uintptr(len(f.mapping))
}

// lost says whether p is a fault at an unknown address, as in emulators, while the file has
// changed.
func (f *File) lost(p any) bool {
	_, fault := p.(runtime.Error)
	return fault && f.changed() != nil
}

// Changed returns an error that wraps ErrChanged if a file that is read while it is in use has changed
// since it was opened.
func (f *File) Changed() error {
	if f.mapping == nil && f.direct == nil {
		return nil
	}
	return f.changed()
}

// changed returns an error if the file has changed since it was opened.
func (f *File) changed() error {
	info, err := f.in.Handle.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w: %v", f.in.Path, ErrChanged, err)
	}
	if info.Size() != f.in.Size || !info.ModTime().Equal(f.in.Modified) {
		return fmt.Errorf("%s: %w while it was in use; copy it first", f.in.Path, ErrChanged)
	}
	return nil
}
