package isa

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// Facts describes the CPU, for reports and for the choice of block sizes. Unknown facts are
// zero or empty. No result may depend on these numbers.
type Facts struct {
	Brand string // name as the CPU or the operating system gives it
	Cores int    // logical cores that this process may use
	L1D   int    // bytes of first-level data cache per core
	L2    int    // bytes of second-level cache
	L3    int    // bytes of last-level cache
	Line  int    // bytes of a cache line
}

// CPU returns the facts about this machine's CPU. The first call determines them.
func CPU() Facts { return facts() }

var facts = sync.OnceValue(func() Facts {
	c := &cpuid.CPU
	f := Facts{
		Brand: strings.Join(strings.Fields(c.BrandName), " "),
		Cores: runtime.NumCPU(),
		L1D:   max(c.Cache.L1D, 0),
		L2:    max(c.Cache.L2, 0),
		L3:    max(c.Cache.L3, 0),
		Line:  max(c.CacheLine, 0),
	}
	if runtime.GOOS == "linux" {
		f.fill(os.DirFS("/"))
	}
	return f
})

// fill sets the missing fields of f from a Linux file tree: sysfs for caches, /proc/cpuinfo for
// the name.
func (f *Facts) fill(root fs.FS) {
	dirs, _ := fs.Glob(root, "sys/devices/system/cpu/cpu0/cache/index[0-9]*")
	for _, dir := range dirs {
		text := func(name string) string {
			b, _ := fs.ReadFile(root, path.Join(dir, name))
			return strings.TrimSpace(string(b))
		}
		if text("type") == "Instruction" {
			continue
		}
		if of := map[string]*int{"1": &f.L1D, "2": &f.L2, "3": &f.L3}[text("level")]; of != nil {
			*of = cmp.Or(*of, cacheBytes(text("size")))
		}
		f.Line = cmp.Or(f.Line, cacheBytes(text("coherency_line_size")))
	}
	if f.Brand == "" {
		b, _ := fs.ReadFile(root, "proc/cpuinfo")
		f.Brand = brand(string(b))
	}
}

// cacheBytes reads a size as sysfs writes it ("48K", "1024K", "2M", "64"). It returns 0 if s is
// no size.
func cacheBytes(s string) int {
	unit := 1
	switch {
	case strings.HasSuffix(s, "K"):
		unit, s = 1<<10, s[:len(s)-1]
	case strings.HasSuffix(s, "M"):
		unit, s = 1<<20, s[:len(s)-1]
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<30/unit {
		return 0
	}
	return n * unit
}

// brand returns the CPU's name from the text of /proc/cpuinfo. Its keys depend on the
// architecture. arm64 kernels give numbers instead.
func brand(cpuinfo string) string {
	value := map[string]string{}
	for line := range strings.Lines(cpuinfo) {
		key, v, ok := strings.Cut(line, ":")
		key = strings.ToLower(strings.TrimSpace(key))
		if _, seen := value[key]; ok && !seen {
			value[key] = strings.TrimSpace(v)
		}
	}
	for _, key := range []string{"model name", "cpu", "uarch", "vendor_id"} {
		if v := value[key]; v != "" {
			return v
		}
	}
	if v := value["cpu implementer"]; v != "" {
		return "implementer " + v + " part " + value["cpu part"]
	}
	return ""
}
