//go:build hdf5

package hdf5

/*
#cgo pkg-config: hdf5

#include "library.h"
#include <stdlib.h>
*/
import "C"

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// library is locked during each call: the library works for one thread at a time.
var library sync.Mutex

// object is an open group or dataset, or a file, which is its own root. It is closed with the
// file at the latest.
type object struct {
	f    *input.File
	id   C.hid_t
	kind byte // g: a group; d: a dataset; 0: neither
}

// root opens the file as its root.
func root(f *input.File, path string) (object, error) {
	library.Lock()
	defer library.Unlock()
	p, why := C.CString(path), newReason()
	defer C.free(unsafe.Pointer(p))
	id := C.nmu_open(p, &why[0])
	if id < 0 {
		return object{}, f.Bad(0, "the HDF5 library cannot open it: %s", why)
	}
	f.AtClose(func() error {
		library.Lock()
		defer library.Unlock()
		C.nmu_close(id)
		return nil
	})
	return object{f, id, 'g'}, nil
}

// reason is the message of the library.
type reason [C.nmu_why_size]C.char

func newReason() *reason { return &reason{} }

// String returns the message.
func (r *reason) String() string {
	if text := C.GoString(&r[0]); text != "" {
		return text
	}
	return "it does not say why"
}

// mostNames is how many bytes the names in a group take at most.
const mostNames = 1 << 20

// names lists what a group holds.
func (g object) names() ([]string, error) {
	if err := g.f.Fits(2*mostNames, "its list of objects"); err != nil {
		return nil, err
	}
	library.Lock()
	defer library.Unlock()
	text, why := make([]byte, mostNames), newReason()
	var used C.size_t
	switch C.nmu_list(g.id, (*C.char)(unsafe.Pointer(&text[0])), mostNames, &used, &why[0]) {
	case 0:
	case 1:
		return nil, g.f.TooLarge("the names in a group have more than %d bytes", mostNames)
	default:
		return nil, g.f.Bad(0, "the group cannot be listed: %s", why)
	}
	if used == 0 {
		return nil, nil
	}
	return strings.Split(string(text[:used-1]), "\x00"), nil
}

// child opens what a group holds by a name; ok says whether there is such a thing. A dataset
// keeps so many bytes of chunks, in so many slots; 0 for the default.
func (g object) child(name string, cache, slots int64) (o object, ok bool, err error) {
	if g.kind != 'g' || name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return o, false, nil
	}
	library.Lock()
	defer library.Unlock()
	n, why := C.CString(name), newReason()
	defer C.free(unsafe.Pointer(n))
	var kind C.char
	id := C.nmu_child(g.id, n, C.size_t(cache), C.size_t(slots), &kind, &why[0])
	if id < 0 {
		if why[0] != 0 {
			return o, false, g.f.Bad(0, "object %q cannot be opened: %s", name, why)
		}
		return o, false, nil
	}
	return object{g.f, id, byte(kind)}, true, nil
}

// close closes a group or a dataset.
func (o object) close() {
	library.Lock()
	defer library.Unlock()
	C.nmu_release(o.id)
}

// attribute calls do with the name of an attribute for the library.
func attribute(name string, do func(name *C.char)) {
	library.Lock()
	defer library.Unlock()
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	do(n)
}

// text returns an attribute that is a text, or "".
func (o object) text(name string) string {
	var text [1024]C.char
	attribute(name, func(name *C.char) { C.nmu_text(o.id, name, &text[0], C.size_t(len(text))) })
	return C.GoString(&text[0])
}

// has says whether there is an attribute of this name.
func (o object) has(name string) (has bool) {
	attribute(name, func(name *C.char) { has = C.nmu_has(o.id, name) != 0 })
	return has
}

// numbers returns an attribute of a few whole numbers, or nil.
func (o object) numbers(name string) []int64 {
	var x [4]C.longlong
	k := C.int(-1)
	attribute(name, func(name *C.char) { k = C.nmu_numbers(o.id, name, &x[0], C.int(len(x))) })
	if k < 0 {
		return nil
	}
	numbers := make([]int64, k)
	for i := range numbers {
		numbers[i] = int64(x[i])
	}
	return numbers
}

// shape is the type, the shape and the storage of a dataset. Its sizes are what the file claims.
type shape struct {
	element.Type // Kind 's' and 'v' are text, of fixed and of any length
	dims, chunk  []int64
	layout       byte
	rank         int // of more than three dimensions: four
	deflated     int // how many times
	filter       int // the number of a filter that is not allowed, else 0
	offset       int64
	storage      int64
	stored       C.hid_t // the type in the file
}

// shape describes a dataset.
func (o object) shape() (*shape, error) {
	library.Lock()
	defer library.Unlock()
	var a C.nmu_array
	why := newReason()
	id := C.nmu_describe(o.id, &a, &why[0])
	if id < 0 {
		return nil, o.f.Bad(0, "the type or shape of the dataset cannot be read: %s", why)
	}
	s := &shape{
		Type: element.Type{Kind: byte(a.kind), Size: int(a.size), Big: a.big != 0}, layout: byte(a.layout), rank: int(a.rank),
		deflated: int(a.deflated), filter: int(a.filter), offset: int64(a.offset), storage: int64(min(a.storage, 1<<62)), stored: id,
	}
	for i := range min(s.rank, C.nmu_rank) {
		if a.dims[i] > 1<<62 || a.chunk[i] > 1<<62 {
			return nil, o.f.TooLarge("%d dimensions, one of them with more elements than can be counted", s.rank)
		}
		s.dims, s.chunk = append(s.dims, int64(a.dims[i])), append(s.chunk, int64(a.chunk[i]))
	}
	return s, nil
}

// index describes the texts of a table of old anndata, a dataset of compounds: those of the member that
// names the rows. It returns nil if there are none.
func (o object) index() (*shape, error) {
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	library.Lock()
	defer library.Unlock()
	var a C.nmu_array
	id := C.nmu_index(o.id, &a)
	if id < 0 {
		return nil, nil
	}
	s.Type, s.stored = element.Type{Kind: byte(a.kind), Size: int(a.size)}, id
	return s, nil
}

// refers returns the path of the object that an element of a dataset of references refers to, or "".
func (o object) refers(index int64) string {
	library.Lock()
	defer library.Unlock()
	var name [1024]C.char
	if C.nmu_refers(o.id, C.hsize_t(index), &name[0], C.size_t(len(name))) < 0 {
		return ""
	}
	return strings.Trim(C.GoString(&name[0]), "/")
}

// dataset is the elements of an array, which the library reads.
type dataset struct {
	object
	*shape
	size int64 // bytes
}

// ReadAt implements io.ReaderAt for whole elements.
func (d *dataset) ReadAt(b []byte, off int64) (n int, err error) {
	library.Lock()
	defer library.Unlock()
	if d.f.Closed {
		return 0, os.ErrClosed
	}
	if off >= d.size {
		return 0, io.EOF
	}
	size := int64(d.Type.Size)
	whole := min(int64(len(b)), d.size-off) / size
	for at, left := off/size, whole; left > 0; {
		k, err := d.block(b[n:], at, left)
		if err != nil {
			return n, err
		}
		at, left, n = at+k, left-k, n+int(k*size)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// block reads as many elements from the given one on as make a block of the array, but at most
// so many, and returns how many these are.
func (d *dataset) block(to []byte, at, most int64) (int64, error) {
	var start, count [C.nmu_rank]C.hsize_t
	inner := int64(1) // elements below the dimension
	level, n := len(d.dims)-1, int64(1)
	rest := at
	for i := len(d.dims) - 1; i >= 0; i-- {
		place := rest % d.dims[i]
		rest /= d.dims[i]
		start[i], count[i] = C.hsize_t(place), 1
		if at%inner == 0 && most >= inner {
			level, n = i, min(most/inner, d.dims[i]-place)*inner
			count[i] = C.hsize_t(n / inner)
		}
		inner *= d.dims[i]
	}
	for i := level + 1; i < len(d.dims); i++ {
		start[i], count[i] = 0, C.hsize_t(d.dims[i])
	}
	why := newReason()
	if C.nmu_read(d.id, d.shape.stored, C.int(len(d.dims)), &start[0], &count[0], unsafe.Pointer(&to[0]), &why[0]) < 0 {
		return 0, d.f.Bad(at*int64(d.Type.Size), "the HDF5 library cannot read the data: %s", why)
	}
	return n, nil
}

// Names are read so many at once, each of at most so many bytes.
const (
	someWords = 64
	mostWord  = 1 << 16
)

// words calls do with each string of an array of one dimension.
func (d *dataset) words(do func(word string) error) error {
	if d.Kind == 's' {
		return d.fixedWords(do)
	}
	if err := d.f.Fits(someWords*mostWord, input.Reading); err != nil {
		return err
	}
	text := (*[someWords * mostWord]byte)(C.malloc(someWords * mostWord))
	at := (**C.char)(C.calloc(someWords, C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(at))
	for first := int64(0); first < d.dims[0]; first += someWords {
		n := min(someWords, d.dims[0]-first)
		var begin [someWords]C.longlong
		library.Lock()
		why := newReason()
		status := C.nmu_strings(d.id, d.shape.stored, C.hsize_t(first), C.hsize_t(n), (*C.char)(unsafe.Pointer(text)), someWords*mostWord, &begin[0], at, &why[0])
		library.Unlock()
		if status < 0 {
			return d.f.Bad(0, "names %d to %d cannot be read: %s", first, first+n-1, why)
		}
		for _, k := range begin[:n] {
			word := ""
			if k >= 0 {
				rest := text[k:]
				end := bytes.IndexByte(rest, 0)
				if end < 0 || end > mostWord {
					return d.f.Bad(0, "a name has more than %d bytes", mostWord)
				}
				word = string(rest[:end])
			}
			if err := do(word); err != nil {
				return err
			}
		}
	}
	return nil
}

// fixedWords is words for strings of one length.
func (d *dataset) fixedWords(do func(word string) error) error {
	size := int64(d.Type.Size)
	buf := make([]byte, size)
	for off := int64(0); off < d.size; off += size {
		if _, err := d.ReadAt(buf, off); err != nil {
			return d.f.ReadError(off, err)
		}
		word, _, _ := strings.Cut(string(buf), "\x00")
		if err := do(strings.TrimRight(word, " ")); err != nil {
			return err
		}
	}
	return nil
}
