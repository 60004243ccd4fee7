package kernel_test

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"

	"nmu/internal/must"
)

const neonHeader = "neon_arm64.h"

// neonMacro is one line of the header: #define name(args) WORD $expr.
type neonMacro struct {
	name string
	args []string
	expr string
}

var neonDefine = regexp.MustCompile(`^#define (\w+)\(([\w, ]+)\) WORD \$(\(.+\))$`)

// parseNEON reads the macros of a header. Anything but comments and macros of
// the one form is an error: it would go unchecked.
func parseNEON(text string) ([]neonMacro, error) {
	var macros []neonMacro
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		f := neonDefine.FindStringSubmatch(line)
		if f == nil {
			return nil, fmt.Errorf("line %d is neither a comment nor a WORD macro: %s", i+1, line)
		}
		macros = append(macros, neonMacro{f[1], strings.Split(f[2], ", "), f[3]})
	}
	return macros, nil
}

// word evaluates the macro for the given values of its arguments and of DOUBLE. Go's
// assembler gives the operators the precedence they have in Go.
func (m neonMacro) word(double bool, value map[string]int) (uint32, error) {
	file := map[bool]string{true: "neon_f64_arm64.s", false: "neon_f32_arm64.s"}[double]
	text, err := os.ReadFile(file)
	f := regexp.MustCompile(`(?m)^#define DOUBLE (.+)$`).FindSubmatch(text)
	if err != nil || f == nil {
		return 0, fmt.Errorf("%s defines no DOUBLE: %v", file, err)
	}
	expr := strings.ReplaceAll(m.expr, "DOUBLE", strings.TrimSpace(string(f[1])))
	for _, a := range m.args {
		expr = strings.ReplaceAll(expr, "("+a+")", fmt.Sprintf("(%d)", value[a]))
	}
	x, err := parser.ParseExpr(expr)
	if err != nil {
		return 0, err
	}
	w, ok := evaluate(x)
	if !ok || w > 1<<32-1 {
		return 0, fmt.Errorf("%s is not a 32-bit word", expr)
	}
	return uint32(w), nil
}

// evaluate returns the value of whole numbers and the operators of the header between them. go/types
// would do it too, and takes three seconds to compile.
func evaluate(x ast.Expr) (value uint64, ok bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return evaluate(x.X)
	case *ast.BasicLit:
		value, err := strconv.ParseUint(x.Value, 0, 64)
		return value, err == nil
	case *ast.BinaryExpr:
		a, one := evaluate(x.X)
		b, other := evaluate(x.Y)
		values := map[token.Token]uint64{token.OR: a | b, token.AND: a & b, token.SHL: a << b, token.SHR: a >> b}
		value, ok = values[x.Op]
		return value, ok && one && other
	}
	return 0, false
}

// neonForm is a class of instructions in the index of A64 encodings, section
// "Data Processing - Scalar Floating-Point and Advanced SIMD".
type neonForm int

const (
	threeSame neonForm = iota // three registers of the same type
	twoMisc                   // two registers, miscellaneous
	byElement                 // vector by indexed element
)

// neonOp is an instruction by the fields of the Arm Architecture Reference
// Manual: U, the high bit of size, and opcode.
type neonOp struct {
	name    string // of the macro
	asm     string // mnemonic
	form    neonForm
	u, high uint32
	opcode  uint32
}

var neonOps = []neonOp{
	{"FADD", "FADD", threeSame, 0, 0, 0b11010},
	{"FSUB", "FSUB", threeSame, 0, 1, 0b11010},
	{"FMUL", "FMUL", threeSame, 1, 0, 0b11011},
	{"FDIV", "FDIV", threeSame, 1, 0, 0b11111},
	{"FCMGT", "FCMGT", threeSame, 1, 1, 0b11100},
	{"FADDP", "FADDP", threeSame, 1, 0, 0b11010},
	{"FCMGTZ", "FCMGT", twoMisc, 0, 1, 0b01100},
	{"FMAE", "FMLA", byElement, 0, 1, 0b0001},
	{"FMSE", "FMLS", byElement, 0, 1, 0b0101},
	{"FMULE", "FMUL", byElement, 0, 1, 0b1001},
}

// encode assembles the instruction from its fields. double selects .2d over .4s.
func (o neonOp) encode(double bool, r map[string]int) uint32 {
	m, n, d := uint32(r["m"]), uint32(r["n"]), uint32(r["d"])
	sz := uint32(0)
	if double {
		sz = 1
	}
	w := uint32(1)<<30 | o.u<<29 | 0b01110<<24 | (o.high<<1|sz)<<22 | n<<5 | d // Q = 1
	switch o.form {
	case threeSame:
		w |= 1<<21 | m<<16 | o.opcode<<11 | 1<<10
	case twoMisc:
		w |= 0b10000<<17 | o.opcode<<12 | 0b10<<10
	case byElement:
		w |= 1<<24 | m<<16 | o.opcode<<12
	}
	return w
}

// text is what a disassembler makes of the instruction.
func (o neonOp) text(double bool, r map[string]int) string {
	t, e := "4S", "S"
	if double {
		t, e = "2D", "D"
	}
	s := fmt.Sprintf("%s V%d.%s, V%d.%s", o.asm, r["d"], t, r["n"], t)
	switch {
	case o.form == threeSame:
		s += fmt.Sprintf(", V%d.%s", r["m"], t)
	case o.form == byElement:
		s += fmt.Sprintf(", V%d.%s[0]", r["m"], e)
	case o.asm == "FCMGT":
		s += ", #0"
	}
	return s
}

// args returns the names of the macro's arguments in order.
func (o neonOp) args() string {
	return [...]string{"m n d", "n d", "m n d"}[o.form]
}

// neonOperands returns a spread of register numbers: every register
// in every place, twice in different company.
func neonOperands() (s []map[string]int) {
	for k := range 32 {
		s = append(s, map[string]int{"m": k, "n": 31 - k, "d": (k*7 + 3) % 32}, map[string]int{"m": (k*5 + 1) % 32, "n": k, "d": k})
	}
	return s
}

// checkNEON returns nil if header defines exactly the macros of neonOps, and
// each rightly.
func checkNEON(header string) error {
	macros, err := parseNEON(header)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, m := range macros {
		if seen[m.name] {
			return fmt.Errorf("%s is defined twice", m.name)
		}
		seen[m.name] = true
	}
	if len(seen) != len(neonOps) {
		return fmt.Errorf("%d macros, want one for each of %d instructions", len(seen), len(neonOps))
	}
	for _, m := range macros {
		if err := checkNEONMacro(m); err != nil {
			return err
		}
	}
	return nil
}

// checkNEONMacro returns nil if m gives the right word for a spread of
// registers: the one assembled from the manual's fields, which must also
// disassemble to the right text.
func checkNEONMacro(m neonMacro) error {
	for _, o := range neonOps {
		if o.name != m.name {
			continue
		}
		if got := strings.Join(m.args, " "); got != o.args() {
			return fmt.Errorf("%s takes (%s), want (%s)", m.name, got, o.args())
		}
		for k, r := range slices.Repeat(neonOperands(), 2) {
			if err := checkNEONWord(m, o, k < 64, r); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s is not in the table of the test", m.name)
}

func checkNEONWord(m neonMacro, o neonOp, double bool, r map[string]int) error {
	w, err := m.word(double, r)
	if err != nil {
		return fmt.Errorf("%s%v: %w", m.name, r, err)
	}
	if want := o.encode(double, r); w != want {
		return fmt.Errorf("%s%v is 0x%08x, want 0x%08x", m.name, r, w, want)
	}
	if got, want := disassemble(w), o.text(double, r); got != want {
		return fmt.Errorf("%s%v is 0x%08x, which is %q, want %q", m.name, r, w, got, want)
	}
	return nil
}

// disassemble returns the text of an instruction, or of the error.
func disassemble(w uint32) string {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], w)
	inst, err := arm64asm.Decode(b[:])
	if err != nil {
		return err.Error()
	}
	return inst.String()
}

func readNEONHeader(t *testing.T) string {
	text := must.Get(os.ReadFile(neonHeader))(t)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func TestNEONHeader(t *testing.T) {
	must.Equal(t, checkNEON(readNEONHeader(t)), nil)
}

// A macro with any one mistake of the kind that a hand makes is refused.
func TestNEONHeaderMutations(t *testing.T) {
	header := readNEONHeader(t)
	mutants := 0
	for _, line := range strings.Split(header, "\n") {
		if !strings.HasPrefix(line, "#define") {
			continue
		}
		must.Do(t, checkNEONLine(line))
		for _, mutant := range mutateNEON(line) {
			mutants++
			if checkNEONLine(mutant) == nil {
				t.Errorf("accepted: %s", mutant)
			}
		}
		first, rest := line+"\n", strings.Replace(header, line+"\n", "", 1)
		for _, mutant := range []string{rest, first + header, strings.Replace(header, line, strings.Replace(line, "define F", "define G", 1), 1)} {
			if checkNEON(mutant) == nil {
				t.Errorf("accepted: a header with %s left out, doubled or renamed", line)
			}
		}
	}
	must.AtLeast(t, mutants, len(neonOps)*40, "only")
}

// checkNEONLine checks a header of one line.
func checkNEONLine(line string) error {
	macros, err := parseNEON(line)
	if err != nil {
		return err
	}
	if len(macros) != 1 {
		return fmt.Errorf("%d macros in: %s", len(macros), line)
	}
	return checkNEONMacro(macros[0])
}

// mutateNEON returns the line with every bit of its base flipped in turn, and
// with its operands and shifts confused.
func mutateNEON(line string) []string {
	var mutants []string
	hex := strings.Index(line, "0x") + 2
	for k := hex; k < hex+8; k++ {
		digit, err := strconv.ParseUint(line[k:k+1], 16, 4)
		if err != nil {
			return nil
		}
		for bit := range 4 {
			mutants = append(mutants, fmt.Sprintf("%s%X%s", line[:k], digit^1<<bit, line[k+1:]))
		}
	}
	for _, r := range [][2]string{
		{"(m)<<16", "(n)<<16"}, {"(m)<<16", "(m)<<15"}, {"(n)<<5", "(m)<<5"}, {"(n)<<5", "(n)<<6"},
		{"(n)<<5", "(d)<<5"}, {"| (d)", "| (n)"}, {" | (d)", ""}, {" | (n)<<5", ""}, {" | (m)<<16", ""},
		{"(m)<<16 | (n)<<5", "(n)<<16 | (m)<<5"}, {"(m, n", "(n, m"}, {"n, d)", "d, n)"},
		{"DOUBLE | ", ""}, {"DOUBLE", "DOUBLE>>1"}, {"WORD", "BYTE"}, {"#define", "// #define"},
	} {
		if mutant := strings.Replace(line, r[0], r[1], 1); mutant != line {
			mutants = append(mutants, mutant)
		}
	}
	return mutants
}

// The disassembler alone would notice every wrong bit too.
func TestNEONDisassemblyIsSharp(t *testing.T) {
	for _, o := range neonOps {
		for _, double := range []bool{true, false} {
			r := neonOperands()[5]
			w := o.encode(double, r)
			for bit := range 32 {
				if got := disassemble(w ^ 1<<bit); got == o.text(double, r) {
					t.Errorf("%s: bit %d of 0x%08x makes no difference", got, bit, w)
				}
			}
		}
	}
}
