package kerneltest

import (
	"os"
	"sync"
	"unsafe"
)

// arena is page-aligned memory with a guard on either side. With guard pages
// mem is the space between them, and lo = 0; without, mem includes a page of
// canaries on either side of mem[lo:hi].
type arena struct {
	mem    []byte
	lo, hi int
}

var pool struct {
	sync.Mutex
	free map[int][]*arena // by size of the space for data
}

// takeArena returns an arena with room for at least n bytes of data.
func takeArena(n int) *arena {
	page := os.Getpagesize()
	size := max((n+page-1)/page, 1) * page
	pool.Lock()
	defer pool.Unlock()
	if free := pool.free[size]; len(free) > 0 {
		a := free[len(free)-1]
		pool.free[size] = free[:len(free)-1]
		return a
	}
	if a := mapArena(size, page); a != nil {
		return a
	}
	return heapArena(size, page)
}

// heapArena returns an arena without guard pages.
func heapArena(size, page int) *arena {
	mem := make([]byte, size+3*page)
	skip := int(-uintptr(unsafe.Pointer(&mem[0])) % uintptr(page))
	return &arena{mem: mem[skip : skip+size+2*page], lo: page, hi: page + size}
}

// release returns an arena for reuse. Its memory must not be used afterwards.
func (a *arena) release() {
	pool.Lock()
	defer pool.Unlock()
	if pool.free == nil {
		pool.free = map[int][]*arena{}
	}
	size := a.hi - a.lo
	pool.free[size] = append(pool.free[size], a)
}

// at returns the address of byte off of the space for data. off may be its length.
func (a *arena) at(off int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(&a.mem[0]), a.lo+off)
}

// canary returns the 32-bit word at word index i of memory for elements of this size: a part of
// a signalling NaN. Arithmetic on it sets the quiet bit, so a read, add and write beyond the
// end leaves a trace. It depends on i, so a canary copied to another place leaves a trace too.
func canary(i, size int) uint32 {
	high := uint32(0x7FA0_0000)
	if size == 8 {
		high = 0x7FF4_0000 // either half of an element has it, on any byte order
	}
	return high | uint32(uint16(i*0x9E37+0x5A5A))
}

// paint fills mem[from:to] (multiples of four) with canaries.
func (a *arena) paint(from, to, size int) {
	w := words(a.mem)
	for i := from / 4; i < to/4; i++ {
		w[i] = canary(i, size)
	}
}

// damage returns the first byte of mem[from:to] that is no canary, rounded down to a multiple
// of four, or -1.
func (a *arena) damage(from, to, size int) int {
	w := words(a.mem)
	for i := from / 4; i < to/4; i++ {
		if w[i] != canary(i, size) {
			return 4 * i
		}
	}
	return -1
}

func words(mem []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), len(mem)/4)
}
