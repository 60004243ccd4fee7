package kerneltest

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/checkasm"
	"nmu/internal/must"
	"nmu/kernel"
)

func TestBufferPlacement(t *testing.T) {
	if !guardPages {
		t.Skip("no guard pages on this system")
	}
	sink := float32(0)
	for _, n := range []int{0, 1, 15, 1000, 5000} {
		for _, p := range []place{end, start, 3} {
			b := newBuffer[float32]("b", 1, n, n, p)
			for _, i := range []int{-1, n} {
				fault := checkasm.Catch(func() { sink += peek(b.Data, i) })
				want := p == end && i == n || p == start && i == -1
				must.Equal(t, fault != nil, want, "access to b[", i, "] of", n, "at", p, fault)
				if fault != nil && !strings.HasSuffix(fault.Func, "kerneltest.peek[...]") {
					t.Errorf("fault is said to be in %s", fault.Func)
				}
			}
			must.Equal(t, b.canaries(), nil)
			b.release()
		}
	}
	_ = sink
}

// peek returns x[i], which need not exist.
//
//go:noinline
func peek[T kernel.Float](x []T, i int) T {
	return *(*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), i*sizeOf[T]()))
}

// Without guard pages a write beyond either end meets a page of canaries.
func TestHeapArena(t *testing.T) {
	const page = 4096
	a := heapArena(2*page, page)
	if uintptr(a.at(0))%page != 0 || a.lo != page || a.hi != 3*page || len(a.mem) != 4*page {
		t.Fatalf("at %#x, lo %d, hi %d of %d bytes", a.at(0), a.lo, a.hi, len(a.mem))
	}
	for _, at := range []int{0, a.lo - 1, a.lo, a.hi - 1, a.hi, len(a.mem) - 1} {
		a.paint(0, len(a.mem), 8)
		if got := a.damage(0, len(a.mem), 8); got != -1 {
			t.Fatalf("fresh canaries: damage at %d", got)
		}
		a.mem[at] ^= 1
		must.Equal(t, a.damage(0, len(a.mem), 8), at&^3, "damage at", at, "is reported at")
	}
}

// TestEveryAlignmentOccurs checks that Full has every misalignment and both ends.
func TestEveryAlignmentOccurs(t *testing.T) {
	places := (&harness[float64]{k: All[float64]()[0]}).places([]int{3})
	for p := end; p < offsets; p++ {
		if !slices.Contains(places, p) {
			t.Errorf("no buffer at %v", p)
		}
	}
}

// Canaries are signalling NaNs of the element's type in any place.
func TestCanaries(t *testing.T) { testCanaries[float32](t); testCanaries[float64](t) }

func testCanaries[T kernel.Float](t *testing.T) {
	for _, p := range []place{end, 1} {
		b := newBuffer[T]("b", 1, 100, 100, p)
		quiet := uint64(1) << 51
		if sizeOf[T]() == 4 {
			quiet = 1 << 22
		}
		for i, x := range b.Data {
			if x == x || checkasm.Bits(x)&quiet != 0 || i > 0 && checkasm.Bits(x) == checkasm.Bits(b.Data[i-1]) {
				t.Fatalf("canary %d of %s is %s", i, checkasm.Precision[T](), checkasm.Show(x))
			}
		}
		b.release()
	}
}

// The bytes of a mask lie flush against a guard page at either end, and a kernel that
// changed them would be found out.
func TestBits(t *testing.T) {
	for _, place := range []place{end, start} {
		for cols := range 70 {
			h := &harness[float64]{k: All[float64]()[0]}
			c := h.newTrial([]int{3, cols}, place, checkasm.Signed)
			b := c.Bits("Seen", 3, cols)
			if b.Rows != 3 || b.Cols != cols || b.Stride < (cols+7)/8 {
				t.Fatalf("bits of 3 x %d are %d x %d with stride %d", cols, b.Rows, b.Cols, b.Stride)
			}
			if cols == 0 {
				continue
			}
			must.Equal(t, len(b.Data), 2*b.Stride+(cols+7)/8, "bits of 3 x", cols, "with stride", b.Stride, "in")
			last := unsafe.Pointer(unsafe.SliceData(b.Data))
			if place == end {
				last = unsafe.Add(last, len(b.Data)-1)
			}
			step := 1
			if place == start {
				step = -1
			}
			if guardPages && checkasm.Catch(func() { sinkByte += *(*byte)(unsafe.Add(last, step)) }) == nil {
				t.Errorf("bits of 3 x %d at %v: what lies beyond can be read", cols, place)
			}
			mask := c.all()[0]
			mask.before = append(mask.before, mask.Data...)
			b.Data[len(b.Data)/2] ^= 1
			if mask.unmodified() == nil {
				t.Errorf("bits of 3 x %d at %v: a change goes unnoticed", cols, place)
			}
			mask.release()
		}
	}
}

var sinkByte byte
