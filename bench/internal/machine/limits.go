package machine

import (
	"fmt"

	"nmu/bench/internal/stat"
	"nmu/internal/isa"
)

// Set names the part of the memory that holds a working set.
type Set string

// The parts of the memory, nearest first.
const (
	L1     Set = "L1"
	L2     Set = "L2"
	L3     Set = "L3"
	Memory Set = "memory"
)

// Op names the operation of a bandwidth loop on its working set.
type Op string

// The operations. Read counts the bytes loaded; Copy counts the bytes loaded and stored.
const (
	Read Op = "read"
	Copy Op = "copy"
)

// Type names a precision.
type Type string

// The precisions.
const (
	Float64 Type = "float64"
	Float32 Type = "float32"
)

// Size returns the bytes of one number: 8 or 4.
func (t Type) Size() int {
	if t == Float32 {
		return 4
	}
	return 8
}

// Peak is the measured rate of multiply-adds on operands in registers.
type Peak struct {
	Level   string    `json:"level"`
	Type    Type      `json:"type"`
	Threads int       `json:"threads"`
	Rate    stat.Stat `json:"gflops"` // 1e9 operations per second; a multiply-add is two
}

// Bandwidth is the measured rate of one operation over one working set.
type Bandwidth struct {
	Level   string    `json:"level"`
	Op      Op        `json:"op"`
	Set     Set       `json:"set"`
	Bytes   int       `json:"bytes"` // the working set of all threads together
	Threads int       `json:"threads"`
	Streams int       `json:"streams"` // places read at once per thread: the faster of 1 and 4
	Rate    stat.Stat `json:"gbs"`     // 1e9 bytes per second
}

// Limits are the measured limits of a machine.
type Limits struct {
	CPU        isa.Facts   `json:"cpu"`
	Peaks      []Peak      `json:"peaks"`
	Bandwidths []Bandwidth `json:"bandwidths"`
}

// Peak returns the median rate in 1e9 operations per second. The error wraps
// ErrUnmeasured.
func (l *Limits) Peak(level isa.Level, t Type, threads int) (float64, error) {
	for _, p := range l.Peaks {
		if p.Level == level.String() && p.Type == t && p.Threads == threads {
			return p.Rate.Median, nil
		}
	}
	return 0, fmt.Errorf("%w: multiply-adds %v %s with %d threads", ErrUnmeasured, level, t, threads)
}

// Bandwidth returns the median rate in 1e9 bytes per second. The error wraps
// ErrUnmeasured.
func (l *Limits) Bandwidth(level isa.Level, op Op, set Set, threads int) (float64, error) {
	for _, b := range l.Bandwidths {
		if b.Level == level.String() && b.Op == op && b.Set == set && b.Threads == threads {
			return b.Rate.Median, nil
		}
	}
	return 0, fmt.Errorf("%w: %s bandwidth of %s at %v with %d threads", ErrUnmeasured, op, set, level, threads)
}

// Holding names the nearest part of the memory that holds bytes when threads share them
// evenly. Each thread has its own L1 and L2; all threads share L3.
func (l *Limits) Holding(bytes int64, threads int) Set {
	switch {
	case bytes <= int64(threads*l.CPU.L1D):
		return L1
	case bytes <= int64(threads*l.CPU.L2):
		return L2
	case bytes <= int64(l.CPU.L3):
		return L3
	}
	return Memory
}

// WorkingSet returns the bytes of a working set of all threads together that fits into set
// but into no nearer part. For L1 and L2 it is half of each thread's own cache. For L3 it is half
// of the shared cache, or more if the L2 caches would hold that. For Memory it is memory, or, if
// memory is 0, the maximum of 256 MiB, four times L3 and 16 MiB per thread. It is 0 if the
// machine has no such part, or if a nearer part is as large.
func WorkingSet(set Set, cpu isa.Facts, threads, memory int) int {
	var bytes int
	switch set {
	case L1:
		bytes = threads * cpu.L1D / 2
	case L2:
		if cpu.L2 > 2*cpu.L1D {
			bytes = threads * cpu.L2 / 2
		}
	case L3:
		bytes = min(max(cpu.L3/2, 2*threads*cpu.L2), cpu.L3/4*3)
		if bytes <= threads*cpu.L2 {
			bytes = 0
		}
	case Memory:
		bytes = memory
		if bytes == 0 {
			bytes = max(256<<20, 4*cpu.L3, threads*16<<20)
		}
	}
	return bytes / (threads * MinWorkingSet) * (threads * MinWorkingSet)
}
