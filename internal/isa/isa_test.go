package isa

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"nmu/internal/must"
)

func TestChoose(t *testing.T) {
	x86 := []Level{Generic, AVX2, AVX512}
	for _, c := range []struct {
		name  string
		avail []Level
		want  Level
		err   string // part of the message; "" for none
	}{
		{"", x86, AVX512, ""},
		{"", []Level{Generic}, Generic, ""},
		{"", []Level{Generic, NEON}, NEON, ""},
		{"generic", x86, Generic, ""},
		{"avx2", x86, AVX2, ""},
		{"avx512", x86, AVX512, ""},
		{"neon", x86, Generic, "excludes it; available here: generic, avx2, avx512"},
		{"AVX2", x86, Generic, "no kernel level has this name"},
		{"avx2", []Level{Generic}, Generic, "excludes it; available here: generic"},
		{"fast", x86, Generic, `NMU_KERNEL="fast"`},
	} {
		got, err := choose(c.name, c.avail)
		if got != c.want {
			t.Errorf("choose(%q, %v) = %v, want %v", c.name, c.avail, got, c.want)
		}
		switch {
		case c.err == "" && err != nil:
			t.Errorf("choose(%q, %v): %v", c.name, c.avail, err)
		case c.err != "" && (!errors.Is(err, ErrLevel) || !strings.Contains(err.Error(), c.err)):
			t.Errorf("choose(%q, %v): error %v does not say %q", c.name, c.avail, err, c.err)
		}
	}
}

// The level of this very process must be the one its environment asks for, so
// that a run of the tests at a level is known to be at that level.
func TestEnvironmentDecides(t *testing.T) {
	want, err := choose(os.Getenv(Env), Available())
	if Active() != want {
		t.Errorf("Active() = %v with %s=%q, want %v", Active(), Env, os.Getenv(Env), want)
	}
	must.Equal(t, err == nil, Err() == nil, "Err()", Err())
}

func TestAvailableStartsWithGenericAndRises(t *testing.T) {
	a := Available()
	if a[0] != Generic {
		t.Fatalf("Available() = %v does not start with generic", a)
	}
	for i := 1; i < len(a); i++ {
		must.Above(t, a[i], a[i-1], "Available()", a, "is not in rising order")
		must.Equal(t, a[i] == NEON, runtime.GOARCH == "arm64", "level", a[i], "on", runtime.GOARCH)
	}
	a[0] = levels
	must.Equal(t, Available()[0], Generic, "Available returned the package's own slice")
}

func TestSet(t *testing.T) {
	before := Active()
	for _, l := range Available() {
		restore := Set(l)
		must.Equal(t, Active(), l, "Active()")
		restore()
		if Active() != before {
			t.Fatalf("Active() = %v after restore, want %v", Active(), before)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Set of a level that does not exist did not panic")
		}
	}()
	Set(levels)
}

func TestLevelString(t *testing.T) {
	for l := Generic; l < levels; l++ {
		if got, err := choose(l.String(), []Level{Generic, AVX2, AVX512, NEON}); got != l || err != nil {
			t.Errorf("the name of %d, %q, is read back as %v, %v", l, l, got, err)
		}
	}
	must.Equal(t, levels.String(), "Level(4)", "String of an unknown level", levels)
}

func TestFactsFromLinuxFiles(t *testing.T) {
	const dir = "sys/devices/system/cpu/cpu0/cache/"
	root := fstest.MapFS{}
	for name, text := range map[string]string{
		"index0/level": "1\n", "index0/type": "Data\n", "index0/size": "64K\n", "index0/coherency_line_size": "128\n",
		"index1/level": "1\n", "index1/type": "Instruction\n", "index1/size": "48K\n",
		"index2/level": "2\n", "index2/type": "Unified\n", "index2/size": "1024K\n",
		"index3/level": "3\n", "index3/type": "Unified\n", "index3/size": "32M\n",
	} {
		root[dir+name] = &fstest.MapFile{Data: []byte(text)}
	}
	root["proc/cpuinfo"] = &fstest.MapFile{Data: []byte("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n")}

	var f Facts
	f.fill(root)
	want := Facts{Brand: "implementer 0x41 part 0xd0c", L1D: 64 << 10, L2: 1 << 20, L3: 32 << 20, Line: 128}
	must.Equal(t, f, want, "fill")

	known := Facts{Brand: "x", L1D: 1, L2: 2, L3: 3, Line: 4}
	f = known
	if f.fill(root); f != known {
		t.Errorf("fill replaced known facts: %+v", f)
	}
	f = Facts{}
	if f.fill(fstest.MapFS{}); f != (Facts{}) {
		t.Errorf("fill found %+v in an empty tree", f)
	}
}

func TestBrand(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"processor : 0\ncpu\t\t: POWER9, x\n":    "POWER9, x",
		"Model Name\t: Loongson-3A5000\n":        "Loongson-3A5000",
		"uarch\t: sifive,u74-mc\nhart : 1\n":     "sifive,u74-mc",
		"vendor_id       : IBM/S390\n":           "IBM/S390",
		"model name : first\nmodel name : two\n": "first",
	} {
		if got := brand(text); got != want {
			t.Errorf("brand(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCacheBytes(t *testing.T) {
	for s, want := range map[string]int{
		"48K": 48 << 10, "2M": 2 << 20, "64": 64, "": 0, "K": 0, "-1K": 0, "many": 0, "99999999999K": 0,
	} {
		if got := cacheBytes(s); got != want {
			t.Errorf("cacheBytes(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCPU(t *testing.T) {
	f := CPU()
	t.Logf("%+v, levels %v, active %v", f, Available(), Active())
	must.AtLeast(t, f.Cores, 1, "Cores")
	if f.L1D < 0 || f.L2 < 0 || f.L3 < 0 || f.Line < 0 {
		t.Errorf("negative size in %+v", f)
	}
}

var sink Level

func BenchmarkActive(b *testing.B) {
	for b.Loop() {
		sink = Active()
	}
}
