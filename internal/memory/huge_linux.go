package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page of most processors. The system rounds as it needs to.
const hugePage = 2 << 20

// HugePages asks the system for huge pages behind s, and returns s. Passes over a large matrix
// then miss the TLB less often. The pages are taken when they are first written, so s is new.
// HugePages changes nothing if s is small, and on systems other than Linux.
func HugePages[E any](s []E) []E {
	start := unsafe.Pointer(unsafe.SliceData(s))
	size := uintptr(len(s)) * unsafe.Sizeof(*new(E))
	skip := -uintptr(start) % hugePage
	if size < skip+hugePage {
		return s
	}
	whole := (size - skip) / hugePage * hugePage // other memory shares the first page and the last
	// A system without huge pages refuses, and small pages do.
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, skip)), whole), unix.MADV_HUGEPAGE)
	return s
}
