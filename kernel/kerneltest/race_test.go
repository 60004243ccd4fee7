//go:build race

package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel"
)

// racesEnv makes TestRaces the process that has the races.
const racesEnv = "KERNEL_TEST_RACES"

// TestRaces checks, for every operand of every kernel, that the race detector knows what the bodies
// in assembly do: it reports a goroutine that writes what a call reads, or reads what a call
// writes, and no other. The races are in a process of their own, which ends with an error.
func TestRaces(t *testing.T) {
	if os.Getenv(racesEnv) != "" {
		races[float64]()
		races[float32]()
		return
	}
	if len(isa.Available()) == 1 {
		t.Skip("this machine has no level with assembly")
	}
	for _, level := range isa.Available()[1:] {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRaces$")
		cmd.Env = append(os.Environ(), racesEnv+"=1", isa.Env+"="+level.String(),
			"GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0")
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("level %v: the process with races has no error:\n%s", level, out)
		}
		cases := strings.Split(string(out), "case: ")[1:]
		if least := 2 * 2 * len(All[float64]()); len(cases) < least {
			t.Errorf("level %v: %d cases, want %d and more:\n%s", level, len(cases), least, out)
		}
		for _, c := range cases {
			name, report, _ := strings.Cut(c, "\n")
			must.Equal(t, strings.Contains(report, "DATA RACE"), strings.HasSuffix(name, " is a race"), "level", level, name, "but the race detector says", report)
		}
	}
}

// races calls the kernels, each time beside a goroutine that touches an operand.
func races[T kernel.Float]() {
	for _, k := range All[T]() {
		for _, shape := range k.Distinct {
			for o := 0; ; o++ {
				// Each case has its own operands: the race detector reports an address once.
				fresh := func() (call func() T, operand touchedOperand) {
					s := &touched[T]{rand: rand.New(rand.NewPCG(1, 0))}
					call = k.setup(source[T]{s, ours[T]()}, shape)
					if o < len(s.operands) {
						operand = s.operands[o]
					}
					return call, operand
				}
				_, operand := fresh()
				if operand.name == "" {
					break
				}
				ahead := k.Name == "AccumulateAhead" && (operand.name == "N" || operand.name == "M") // it reads neither
				name := fmt.Sprintf("%s[%s] of %v beside a goroutine that", k.Name, checkasm.Precision[T](), shape)
				call, operand := fresh()
				beside(name+" writes "+operand.name, !ahead, call, operand.write)
				call, operand = fresh()
				beside(name+" reads "+operand.name, operand.written, call, operand.read)
				if call, operand = fresh(); operand.gap != nil {
					beside(name+" writes between the rows of "+operand.name, false, call, operand.gap)
				}
			}
		}
	}
}

// beside calls a kernel and touches an operand side by side.
func beside[T kernel.Float](name string, race bool, call func() T, touch func()) {
	verdict := "is no race"
	if race {
		verdict = "is a race"
	}
	fmt.Fprintf(os.Stderr, "case: %s %s\n", name, verdict)
	var both sync.WaitGroup
	both.Go(func() { call() })
	both.Go(touch)
	both.Wait()
}

// touchedOperand is an operand that a goroutine touches beside a call.
type touchedOperand struct {
	name             string
	written          bool // by the kernel
	read, write, gap func()
}

// touched makes the operands.
type touched[T kernel.Float] struct {
	rand     *rand.Rand
	operands []touchedOperand
}

func (s *touched[T]) matrix(name string, rows, cols int, how access) *operand[T] {
	stride := cols
	if rows > 1 {
		stride += 3
	}
	o := &operand[T]{Data: make([]T, rows*stride), Rows: rows, Cols: cols, Stride: stride}
	fill(o.Data)
	whole := o.Data
	o.Data = o.Data[:(rows-1)*stride+cols]
	each := func(touch func(x *T)) func() {
		return func() {
			for i := range rows {
				touch(&whole[i*stride+i%cols])
			}
			for j := range min(cols, 8) { // of a vector
				touch(&whole[j])
			}
		}
	}
	t := touchedOperand{
		name: name, written: how != read,
		read:  each(func(x *T) { runtime.KeepAlive(*x) }),
		write: each(func(x *T) { *x = 0.75 }),
	}
	if stride > cols {
		t.gap = func() {
			for i := range rows {
				clear(whole[i*stride+cols : (i+1)*stride])
			}
		}
	}
	s.operands = append(s.operands, t)
	return o
}

func (s *touched[T]) Bits(name string, rows, cols int) *kernel.Bits {
	// The race detector remembers four accesses of the same eight bytes: a row has its own.
	b := &kernel.Bits{Rows: rows, Cols: cols, Stride: 8, Data: make([]byte, 8*rows)}
	for i := range b.Data {
		b.Data[i] = 0x5B
	}
	s.operands = append(s.operands, touchedOperand{
		name:  name,
		read:  func() { runtime.KeepAlive(b.Data[0]) },
		write: func() { b.Data[0] = 0x7F },
	})
	return b
}

func (s *touched[T]) Scalar(string) T { return 0.5 }
func (s *touched[T]) IntN(n int) int  { return s.rand.IntN(n) }
func (s *touched[T]) Once(int) bool   { return false }
func (s *touched[T]) Fixed(...int)    {}
