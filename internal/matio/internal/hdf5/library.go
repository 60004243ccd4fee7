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
	"cmp"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// library is locked during each use: the library works for one thread at a time.
var library sync.Mutex

// use is a use of the library. Its end closes what it owns.
type use struct {
	ids   []C.hid_t
	texts []*C.char
}

// begin begins a use.
func begin() *use {
	library.Lock()
	runtime.LockOSThread() // the messages of the library are those of a thread
	C.nmu_begin()
	return &use{}
}

// end ends the use.
func (u *use) end() {
	for _, id := range u.ids {
		C.H5Idec_ref(id) // which refuses what could not be opened
	}
	for _, text := range u.texts {
		C.free(unsafe.Pointer(text))
	}
	C.nmu_end()
	runtime.UnlockOSThread()
	library.Unlock()
}

// own returns what the library has opened, until the end.
func (u *use) own(id C.hid_t) C.hid_t {
	u.ids = append(u.ids, id)
	return id
}

// text returns a text of C, until the end.
func (u *use) text(s string) *C.char {
	text := C.CString(s)
	u.texts = append(u.texts, text)
	return text
}

// why returns the message of the library about its last function.
func (u *use) why() string {
	var text [256]C.char
	C.nmu_why(&text[0], C.size_t(len(text)))
	if text[0] == 0 {
		return "it does not say why"
	}
	return C.GoString(&text[0])
}

// read reads the elements of a dataset from start on, count in each dimension, as those of a type.
func (u *use) read(dataset, as, transfer C.hid_t, start, count []C.hsize_t, to unsafe.Pointer) bool {
	space := u.own(C.H5Dget_space(dataset))
	if len(count) == 0 {
		return C.H5Dread(dataset, as, space, space, transfer, to) >= 0
	}
	memory := u.own(C.H5Screate_simple(C.int(len(count)), &count[0], nil))
	return C.H5Sselect_hyperslab(space, C.H5S_SELECT_SET, &start[0], nil, &count[0], nil) >= 0 && C.H5Dread(dataset, as, memory, space, transfer, to) >= 0
}

// object is an open group or dataset, or a file, which is its own root. It is closed with the
// file at the latest.
type object struct {
	f    *input.File
	id   C.hid_t
	kind byte // g: a group; d: a dataset; 0: neither
}

// root opens the file as its root. The driver is the plain one, whatever the environment says, and no plugin is loaded.
func root(f *input.File, path string) (object, error) {
	u := begin()
	defer u.end()
	C.H5PLset_loading_state(0)
	access := u.own(C.H5Pcreate(C.H5P_CLS_FILE_ACCESS_ID_g))
	C.H5Pset_fapl_sec2(access)
	C.H5Pset_fclose_degree(access, C.H5F_CLOSE_STRONG)
	C.nmu_locking(access)
	id := C.H5Fopen(u.text(path), C.H5F_ACC_RDONLY, access)
	if id < 0 {
		return object{}, f.Bad(0, "the HDF5 library cannot open it: %s", u.why())
	}
	f.AtClose(func() error {
		u := begin()
		u.own(id)
		u.end()
		return nil
	})
	return object{f, id, 'g'}, nil
}

// mostNames is how many bytes the names in a group take at most.
const mostNames = 1 << 20

// names lists what a group holds.
func (g object) names() ([]string, error) {
	if err := g.f.Fits(2*mostNames, "its list of objects"); err != nil {
		return nil, err
	}
	u := begin()
	defer u.end()
	text := make([]byte, mostNames)
	var used C.size_t
	switch C.nmu_list(g.id, (*C.char)(unsafe.Pointer(&text[0])), mostNames, &used) {
	case 0:
	case 1:
		return nil, g.f.TooLarge("the names in a group have more than %d bytes", mostNames)
	default:
		return nil, g.f.Bad(0, "the group cannot be listed: %s", u.why())
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
	u := begin()
	defer u.end()
	text := u.text(name)
	if C.nmu_is_hard(g.id, text) == 0 {
		return o, false, nil
	}
	o = object{f: g.f, id: C.H5Oopen(g.id, text, C.H5P_DEFAULT)}
	if o.id >= 0 {
		o.kind = map[C.H5I_type_t]byte{C.H5I_GROUP: 'g', C.H5I_DATASET: 'd'}[C.H5Iget_type(o.id)]
	}
	if o.kind == 'd' && cache > 0 { // which counts only for a dataset that is not open
		C.H5Oclose(o.id)
		access := u.own(C.H5Pcreate(C.H5P_CLS_DATASET_ACCESS_ID_g))
		C.H5Pset_chunk_cache(access, C.size_t(slots), C.size_t(cache), 1)
		o.id = C.H5Dopen2(g.id, text, access)
	}
	if o.id < 0 {
		return o, false, g.f.Bad(0, "object %q cannot be opened: %s", name, u.why())
	}
	return o, true, nil
}

// close closes a group or a dataset.
func (o object) close() {
	u := begin()
	u.own(o.id)
	u.end()
}

// attribute opens an attribute, which has n elements of a type. They are negative if there is none.
func (u *use) attribute(o object, name string) (id, of C.hid_t, n int64) {
	if text := u.text(name); C.H5Aexists(o.id, text) > 0 {
		id = u.own(C.H5Aopen(o.id, text, C.H5P_DEFAULT))
		return id, u.own(C.H5Aget_type(id)), int64(C.H5Sget_simple_extent_npoints(u.own(C.H5Aget_space(id))))
	}
	return -1, -1, -1
}

// text returns an attribute that is a text, or "".
func (o object) text(name string) string {
	const room = 1024
	u := begin()
	defer u.end()
	id, of, n := u.attribute(o, name)
	same := u.own(C.H5Tcopy(C.H5T_C_S1_g))
	C.H5Tset_cset(same, C.H5Tget_cset(of))
	var text [room]C.char
	switch {
	case C.H5Tget_class(of) != C.H5T_STRING || n != 1:
	case C.H5Tis_variable_str(of) > 0:
		var at *C.char
		if C.H5Tset_size(same, C.H5T_VARIABLE); C.H5Aread(id, same, unsafe.Pointer(&at)) >= 0 && at != nil {
			defer C.H5free_memory(unsafe.Pointer(at))
			if s := C.GoString(at); len(s) < room {
				return s
			}
		}
	case C.H5Tget_size(of) < room && C.H5Tset_size(same, room) >= 0 && C.H5Aread(id, same, unsafe.Pointer(&text[0])) >= 0:
		text[room-1] = 0
		return C.GoString(&text[0])
	}
	return ""
}

// has says whether there is an attribute of this name.
func (o object) has(name string) bool {
	u := begin()
	defer u.end()
	return C.H5Aexists(o.id, u.text(name)) > 0
}

// numbers returns an attribute of a few whole numbers, or nil.
func (o object) numbers(name string) []int64 {
	var x [4]int64
	u := begin()
	defer u.end()
	id, of, n := u.attribute(o, name)
	if C.H5Tget_class(of) != C.H5T_INTEGER || C.H5Tget_size(of) > 8 || n < 0 || n > int64(len(x)) || C.H5Aread(id, C.H5T_NATIVE_INT64_g, unsafe.Pointer(&x[0])) < 0 {
		return nil
	}
	return x[:n]
}

// shape is the type, the shape and the storage of a dataset. Its sizes are what the file claims.
type shape struct {
	element.Type // Kind 's' and 'v' are text, of fixed and of any length
	dims, chunk  []int64
	layout       byte    // c: contiguous; h: in chunks; k: in the header; v: virtual; e: in another file; 0: another
	rank         int     // of more than three dimensions: four
	deflated     int     // how many times
	filter       int     // the number of a filter that is not allowed, else 0
	offset       int64   // of a contiguous one in the file, else -1
	storage      int64   // bytes
	stored       C.hid_t // the type in the file
}

// most dimensions that are read.
const mostRank = 3

// shape describes a dataset.
func (o object) shape() (*shape, error) {
	u := begin()
	defer u.end()
	s := &shape{stored: C.H5Dget_type(o.id), offset: -1}
	if s.stored < 0 {
		return nil, o.f.Bad(0, "the type of the dataset cannot be read: %s", u.why())
	}
	space, create := u.own(C.H5Dget_space(o.id)), u.own(C.H5Dget_create_plist(o.id))
	s.rank = int(C.H5Sget_simple_extent_ndims(space))
	if s.rank < 0 || create < 0 {
		return nil, o.f.Bad(0, "the shape of the dataset cannot be read")
	}
	s.Type = u.typeOf(s.stored)
	s.layout = map[C.H5D_layout_t]byte{C.H5D_COMPACT: 'k', C.H5D_CONTIGUOUS: 'c', C.H5D_CHUNKED: 'h', C.H5D_VIRTUAL: 'v'}[C.H5Pget_layout(create)]
	if s.rank > mostRank || C.H5Sget_simple_extent_type(space) == C.H5S_NULL {
		s.rank = mostRank + 1
	} else {
		var dims, chunk [mostRank]C.hsize_t
		C.H5Sget_simple_extent_dims(space, &dims[0], nil)
		if s.layout == 'h' && C.H5Pget_chunk(create, mostRank, &chunk[0]) != C.int(s.rank) {
			s.layout = 0
		}
		for i := range s.rank {
			if dims[i] > 1<<62 || chunk[i] > 1<<62 {
				return nil, o.f.TooLarge("%d dimensions, one of them with more elements than can be counted", s.rank)
			}
			s.dims, s.chunk = append(s.dims, int64(dims[i])), append(s.chunk, int64(chunk[i]))
		}
	}
	if C.H5Pget_external_count(create) != 0 {
		s.layout = 'e'
	}
	filters := C.H5Pget_nfilters(create)
	if filters < 0 {
		s.filter = -1
	}
	for i := range C.uint(max(0, filters)) {
		var flags, config C.uint
		var values C.size_t
		switch filter := C.H5Pget_filter2(create, i, &flags, &values, nil, 0, nil, &config); filter {
		case C.H5Z_FILTER_DEFLATE:
			s.deflated++
		case C.H5Z_FILTER_SHUFFLE, C.H5Z_FILTER_FLETCHER32:
		default:
			s.filter = cmp.Or(max(0, int(filter)), -1)
		}
	}
	if at := C.H5Dget_offset(o.id); s.layout == 'c' && at <= 1<<62 {
		s.offset = int64(at)
	}
	if strings.IndexByte("chk", s.layout) >= 0 {
		s.storage = int64(min(C.H5Dget_storage_size(o.id), 1<<62))
	}
	return s, nil
}

// ieee are the real numbers by their bytes: the places of the sign, of the exponent and its bits, and of the fraction and its bits.
var ieee = map[int][5]C.size_t{2: {15, 10, 5, 0, 10}, 4: {31, 23, 8, 0, 23}, 8: {63, 52, 11, 0, 52}}

// typeOf says what the elements of a type are.
func (u *use) typeOf(id C.hid_t) element.Type {
	t := element.Type{Size: int(C.H5Tget_size(id))}
	order, whole := C.H5Tget_order(id), C.H5Tget_offset(id) == 0
	big := t.Size > 1 && order == C.H5T_ORDER_BE
	switch C.H5Tget_class(id) {
	case C.H5T_INTEGER:
		if whole && int(C.H5Tget_precision(id)) == 8*t.Size && slices.Contains([]int{1, 2, 4, 8}, t.Size) {
			t.Kind, t.Big = 'i', big
			if C.H5Tget_sign(id) == C.H5T_SGN_NONE {
				t.Kind = 'u'
			}
		}
	case C.H5T_FLOAT:
		var at [5]C.size_t
		bits, ok := ieee[t.Size]
		if ok && whole && C.H5Tget_fields(id, &at[0], &at[1], &at[2], &at[3], &at[4]) >= 0 && at == bits && C.H5Tget_ebias(id) == 1<<(bits[2]-1)-1 &&
			C.H5Tget_norm(id) == C.H5T_NORM_IMPLIED && (big || order == C.H5T_ORDER_LE) {
			t.Kind, t.Big = 'f', big
		}
	case C.H5T_ENUM: // such as bool of h5py
		if t.Size == 1 && C.H5Tget_class(u.own(C.H5Tget_super(id))) == C.H5T_INTEGER {
			t.Kind = 'b'
		}
	case C.H5T_STRING:
		if t.Kind = 's'; C.H5Tis_variable_str(id) > 0 {
			t.Kind = 'v'
		}
	}
	return t
}

// index describes the texts of a table of old anndata, a dataset of compounds: those of the member that
// names the rows, which is index, _index, or else the first. It returns nil if there are none.
func (o object) index() (*shape, error) {
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	u := begin()
	defer u.end()
	if C.H5Tget_class(s.stored) != C.H5T_COMPOUND {
		return nil, nil
	}
	k := C.H5Tget_member_index(s.stored, u.text("index"))
	if k < 0 {
		k = max(0, C.H5Tget_member_index(s.stored, u.text("_index")))
	}
	member, name := u.own(C.H5Tget_member_type(s.stored, C.uint(k))), C.H5Tget_member_name(s.stored, C.uint(k))
	defer C.H5free_memory(unsafe.Pointer(name))
	switch s.Type = u.typeOf(member); s.Kind {
	case 's':
	case 'v':
		s.Type.Size = int(unsafe.Sizeof(name))
	default:
		return nil, nil
	}
	s.stored = C.H5Tcreate(C.H5T_COMPOUND, C.size_t(s.Type.Size)) // of this member alone
	if C.H5Tinsert(s.stored, name, 0, member) < 0 {
		return nil, nil
	}
	return s, nil
}

// refers returns the path of the object that an element of a dataset of references refers to, or "".
func (o object) refers(index int64) string {
	s, err := o.shape()
	if err != nil || len(s.dims) == 0 || s.rank > len(s.dims) {
		return ""
	}
	u := begin()
	defer u.end()
	start, one := make([]C.hsize_t, s.rank), make([]C.hsize_t, s.rank)
	for i := s.rank - 1; i >= 0; i-- {
		n := max(1, s.dims[i])
		start[i], one[i], index = C.hsize_t(index%n), 1, index/n
	}
	var to C.hobj_ref_t
	var name [1024]C.char
	if index != 0 || C.H5Tequal(s.stored, C.H5T_STD_REF_OBJ_g) <= 0 || !u.read(o.id, s.stored, C.H5P_DEFAULT, start, one, unsafe.Pointer(&to)) {
		return ""
	}
	if n := C.H5Rget_name(o.id, C.H5R_OBJECT, unsafe.Pointer(&to), &name[0], C.size_t(len(name))); n <= 0 || int(n) >= len(name) {
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
	u := begin()
	defer u.end()
	if d.f.Closed {
		return 0, os.ErrClosed
	}
	if off >= d.size {
		return 0, io.EOF
	}
	size := int64(d.Type.Size)
	whole := min(int64(len(b)), d.size-off) / size
	for at, left := off/size, whole; left > 0; {
		k, err := d.block(u, b[n:], at, left)
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
func (d *dataset) block(u *use, to []byte, at, most int64) (int64, error) {
	start, count := make([]C.hsize_t, len(d.dims)), make([]C.hsize_t, len(d.dims))
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
	if !u.read(d.id, d.stored, C.H5P_DEFAULT, start, count, unsafe.Pointer(&to[0])) {
		return 0, d.f.Bad(at*int64(d.Type.Size), "the HDF5 library cannot read the data: %s", u.why())
	}
	return n, nil
}

// mostWord is the largest number of bytes of a name.
const mostWord = C.nmu_word

// words calls do with each string of an array of one dimension.
func (d *dataset) words(do func(word string) error) error {
	if d.Kind == 's' {
		return d.fixedWords(do)
	}
	if err := d.f.Fits(C.sizeof_nmu_text, input.Reading); err != nil {
		return err
	}
	t := (*C.nmu_text)(C.malloc(C.sizeof_nmu_text))
	defer C.free(unsafe.Pointer(t))
	text := (*[C.nmu_words * mostWord]byte)(unsafe.Pointer(&t.text))
	for first := int64(0); first < d.dims[0]; first += C.nmu_words {
		n := min(C.nmu_words, d.dims[0]-first)
		if err := d.someWords(t, first, n); err != nil {
			return err
		}
		for _, at := range t.at[:n] {
			word := ""
			if k := uintptr(unsafe.Pointer(at)) - uintptr(unsafe.Pointer(t)); k < uintptr(t.used) {
				end := bytes.IndexByte(text[k:], 0)
				if end < 0 || end > mostWord {
					return d.f.Bad(0, "a name has more than %d bytes", mostWord)
				}
				word = string(text[k:][:end])
			}
			if err := do(word); err != nil {
				return err
			}
		}
	}
	return nil
}

// someWords reads n strings from the given one on.
func (d *dataset) someWords(t *C.nmu_text, first, n int64) error {
	u := begin()
	defer u.end()
	transfer := u.own(C.H5Pcreate(C.H5P_CLS_DATASET_XFER_ID_g))
	C.nmu_hold(transfer, t)
	if !u.read(d.id, d.stored, transfer, []C.hsize_t{C.hsize_t(first)}, []C.hsize_t{C.hsize_t(n)}, unsafe.Pointer(&t.at)) {
		return d.f.Bad(0, "names %d to %d cannot be read: %s", first, first+n-1, u.why())
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
