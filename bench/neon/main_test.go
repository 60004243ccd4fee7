package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listing is what the assembler lists of two functions: one without a loop, and one with three.
const listing = `# nmu/kernel
nmu/kernel.call STEXT nosplit asm size=4 args=0x10 locals=0x0 funcid=0x0 align=0x0 leaf
	0x0000 00000 (kernel_arm64.s:15)	TEXT	nmu/kernel.call(SB), NOSPLIT|LEAF|NOFRAME, $0-16
	0x0000 00000 (kernel_arm64.s:16)	RET
	0x0000 c0 03 5f d6                                      ._.
nestNEON STEXT static nosplit asm size=24 args=0x8 locals=0x0 funcid=0x0 align=0x0 leaf
	0x0000 00000 (nest.h:1)	TEXT	nestNEON<>(SB), NOSPLIT|LEAF|NOFRAME|STATIC, $0-8
	0x0000 00000 (nest.h:2)	VFMLA	V1.D2, V2.D2, V0.D2
	0x0004 00004 (nest.h:3)	FLDPQ.P	32(R1), (F1, F2)
	0x0008 00008 (nest.h:3)	SUBS	$1, R6
	0x000c 00012 (nest.h:4)	BNE	4
	0x0010 00016 (nest.h:5)	CBNZ	R3, 0
	0x0014 00020 (nest.h:6)	CBZ	R3, 28
	0x0018 00024 (nest.h:7)	TBNZ	$3, R3, 20
	0x001c 00028 (nest.h:8)	RET
	0x0000 40 cc 61 4e 21 08 c1 ac c6 04 00 f1 c1 ff ff 54  @.aN!......T
	0x0010 83 ff ff b5 43 00 00 b4 e3 ff 1f 37 c0 03 5f d6  ....C......7.._.
`

// TestFind finds the loops that have no loop inside, with their place and their bytes.
func TestFind(t *testing.T) {
	loops := find(listing, regexp.MustCompile("NEON"))
	if len(loops) != 2 {
		t.Fatalf("%d loops, want 2", len(loops))
	}
	for i, want := range []loop{
		{place: "nest.h:3", code: []string{"0x21 0x08 0xc1 0xac", "0xc6 0x04 0x00 0xf1", "0xc1 0xff 0xff 0x54"}},
		{place: "nest.h:6", code: []string{"0x43 0x00 0x00 0xb4", "0xe3 0xff 0x1f 0x37"}},
	} {
		if l := loops[i]; l.function != "nestNEON" || l.place != want.place || !slices.Equal(l.code, want.code) {
			t.Errorf("loop %d is %+v, want %+v", i, *l, want)
		}
	}
	if loops := find(listing, regexp.MustCompile("call")); len(loops) != 0 {
		t.Errorf("a function without a loop has %d", len(loops))
	}
}

// TestCount counts what an iteration multiplies and loads.
func TestCount(t *testing.T) {
	l := loop{assembly: []string{
		"ldp\tq24, q25, [x3], #64", "ldr\td27, [x5, x6]", "ld1r\t{ v0.2d }, [x3]", "ldr\tx3, [x0]", "stp\tq0, q1, [x1]",
		"fmla\tv0.2d, v24.2d, v1.d[0]", "fmls\tv0.2d, v24.2d, v1.2d", "fmul\tv0.2d, v24.2d, v1.2d", "fmadd\td0, d1, d2, d3",
	}}
	if fused, loads, precision := l.count(); fused != 2 || loads != 4 || precision != "float64" {
		t.Errorf("%d multiply-adds, %d loads, %s; want 2, 4, float64", fused, loads, precision)
	}
}

// TestModel asks the model for the loops whose tiles were chosen by it: loads must not bound them, but those of
// four entries of a sparse matrix, of which three in a cycle take 60 % of the peak.
func TestModel(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it builds for arm64: with NMU_FULL only")
	}
	const mca = "llvm-mca-19"
	if _, err := exec.LookPath(mca); err != nil {
		t.Skip("NOT TESTED:", mca, "cannot be used on this machine (Debian: llvm-19):", err)
	}
	var out strings.Builder
	if err := run(&out, mca, "^(contractNEONof3|sweepNEONof12|sampledNEON)$"); err != nil {
		t.Fatal(err)
	}
	full := regexp.MustCompile(`(?m)^ *(\w+) +\S+ +float(?:32|64) +(?:24 +14 +\S+ +(?:9[5-9]|100)|16 +20 +\S+ +60) %$`)
	var functions []string
	for _, m := range full.FindAllStringSubmatch(out.String(), -1) {
		functions = append(functions, m[1])
	}
	if want := []string{"contractNEONof3", "sweepNEONof12", "sampledNEON", "contractNEONof3", "sweepNEONof12", "sampledNEON"}; !slices.Equal(functions, want) {
		t.Errorf("loops near the limit of the core are those of %v, want %v:\n%s", functions, want, out.String())
	}
}
