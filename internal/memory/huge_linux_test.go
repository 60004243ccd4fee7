package memory

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"nmu/internal/must"
)

// TestHugePages checks that the system notes the advice for a large slice, and that pages
// which other memory shares keep none.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has no transparent huge pages")
	}
	const page = hugePage / 8
	mapping := must.Get(unix.Mmap(-1, 0, 3*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE))(t)
	defer unix.Munmap(mapping)
	// Memory of Go's heap may have advice from an earlier slice.
	s := unsafe.Slice((*float64)(unsafe.Pointer(&mapping[0])), 3*page)
	small := s[:page-1]
	HugePages(small)
	HugePages(small[:0])
	if advised(t, &small[0]) || advised(t, &small[page-2]) {
		t.Error("a slice of less than a huge page has advice")
	}
	if got := HugePages(s); unsafe.SliceData(got) != unsafe.SliceData(s) || len(got) != len(s) {
		t.Fatal("HugePages returned another slice")
	}
	skip := int(-uintptr(unsafe.Pointer(&s[0]))%hugePage) / 8
	if !advised(t, &s[skip]) || !advised(t, &s[skip+page-1]) {
		t.Error("the whole huge page has no advice")
	}
}

// advised reports whether the system has been asked for huge pages at p.
func advised(t *testing.T, p *float64) bool {
	t.Helper()
	text := must.Get(os.ReadFile("/proc/self/smaps"))(t)
	at, within := uintptr(unsafe.Pointer(p)), false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && within {
			return strings.Contains(flags+" ", " hg ")
		}
	}
	t.Fatalf("no mapping holds %#x", at)
	return false
}
