package kernel_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"nmu/internal/must"
)

// Each macro of the header is executed: a function of six instructions is made
// in memory around its word, and its result is compared with Go arithmetic.
func TestNEONHeaderExecutes(t *testing.T) {
	macros, err := parseNEON(readNEONHeader(t))
	must.Do(t, err)
	const rounds = 40 // of both precisions in turn
	var words []uint32
	var registers []map[string]int
	r := rand.New(rand.NewPCG(1, 1))
	for _, m := range macros {
		for k := range rounds {
			p := r.Perm(32)
			regs := map[string]int{"d": p[0], "n": p[1], "m": p[2]}
			w := must.Get(m.word(k%2 == 0, regs))(t)
			words, registers = append(words, w), append(registers, regs)
		}
	}
	for k, run := range assembleNEON(t, words, registers) {
		m, regs := macros[k/rounds], registers[k]
		if k%2 == 0 {
			runNEON(t, run, m.name, regs, r, math.Float64bits, math.Float64frombits)
		} else {
			runNEON(t, run, m.name, regs, r, math.Float32bits, math.Float32frombits)
		}
	}
}

// assembleNEON returns for each word a function that loads d, n, m from its
// argument's first 48 bytes, executes the word, and stores d in the next 16.
func assembleNEON(t *testing.T, words []uint32, registers []map[string]int) []func(unsafe.Pointer) {
	const ldrq, strq, ret = 0x3DC00000, 0x3D800000, 0xD65F03C0 // base register X0; offset/16 << 10
	const length = 6 * 4
	code := must.Get(unix.Mmap(-1, 0, length*len(words), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE))(t)
	t.Cleanup(func() { unix.Munmap(code) })
	funcs := make([]func(unsafe.Pointer), len(words))
	for k, w := range words {
		d, n, m := uint32(registers[k]["d"]), uint32(registers[k]["n"]), uint32(registers[k]["m"])
		for i, instr := range []uint32{ldrq | d, ldrq | 1<<10 | n, ldrq | 2<<10 | m, w, strq | 3<<10 | d, ret} {
			binary.LittleEndian.PutUint32(code[length*k+4*i:], instr)
		}
		// A func value points to a word that holds the address of the code; its
		// argument arrives in R0.
		entry := &[]uintptr{uintptr(unsafe.Pointer(&code[length*k]))}[0]
		funcs[k] = *(*func(unsafe.Pointer))(unsafe.Pointer(&entry))
	}
	must.Do(t, unix.Mprotect(code, unix.PROT_READ|unix.PROT_EXEC))
	return funcs
}

// runNEON calls run on random values and compares with the meaning of name.
func runNEON[T float32 | float64, B uint32 | uint64](t *testing.T, run func(unsafe.Pointer), name string,
	regs map[string]int, r *rand.Rand, bits func(T) B, float func(B) T) {
	t.Helper()
	lanes := 16 / int(unsafe.Sizeof(T(0)))
	io := make([]T, 4*lanes) // d, n, m, result
	d, n, m, got := io[:lanes], io[lanes:2*lanes], io[2*lanes:3*lanes], io[3*lanes:]
	for l := range lanes {
		d[l], n[l], m[l] = T(2*r.Float64()-1), T(2*r.Float64()-1), T(2*r.Float64()-1)
		switch r.IntN(6) {
		case 0:
			m[l] = n[l]
		case 1:
			n[l] = 0
		case 2:
			n[l] = T(math.Copysign(0, -1))
		case 3:
			if strings.HasPrefix(name, "FCM") {
				n[l] = T(math.NaN())
			}
		}
	}
	mask := func(b bool) T {
		if b {
			return float(^B(0))
		}
		return 0
	}
	run(unsafe.Pointer(&io[0]))
	for l := range lanes {
		e := m[0]
		var want T
		switch name {
		case "FADD":
			want = n[l] + m[l]
		case "FSUB":
			want = n[l] - m[l]
		case "FMUL":
			want = n[l] * m[l]
		case "FDIV":
			want = n[l] / m[l]
		case "FCMGT":
			want = mask(n[l] > m[l])
		case "FCMGTZ":
			want = mask(n[l] > 0)
		case "FADDP":
			pairs := io[lanes : 3*lanes]
			want = pairs[2*l] + pairs[2*l+1]
		case "FMAE":
			want = exactFMA(n[l], e, d[l])
		case "FMSE":
			want = exactFMA(-n[l], e, d[l])
		case "FMULE":
			want = n[l] * e
		default:
			t.Fatalf("this test does not know %s", name)
		}
		if bits(got[l]) != bits(want) {
			t.Errorf("%s%v: lane %d is %v (%#x), want %v (%#x); d %v, n %v, m %v",
				name, regs, l, got[l], bits(got[l]), want, bits(want), d, n, m)
		}
	}
}

// exactFMA returns a*b + c of finite values, rounded once.
func exactFMA[T float32 | float64](a, b, c T) T {
	sum := new(big.Float).SetPrec(3000)
	sum.Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
	sum.Add(sum, big.NewFloat(float64(c)))
	if unsafe.Sizeof(a) == 4 {
		v, _ := sum.Float32()
		return T(v)
	}
	v, _ := sum.Float64()
	return T(v)
}
