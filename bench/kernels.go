package bench

import (
	"fmt"
	"time"

	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/kernel"
)

// kernels measures every kernel at every level on working sets in L1, L2 and
// memory, on one thread, and compares each with the lower of its two ceilings:
// its bytes over the faster of the read and copy bandwidth of the part that
// holds them, and its operations over the rate of multiply-adds.
func (s *session) kernels() error {
	defer isa.Set(isa.Active())()
	for _, set := range []Set{L1, L2, Memory} {
		bytes := workingSet(set, s.report.Limits.CPU, 1, s.machine.Memory)
		if bytes == 0 {
			s.note("kernels: the size of the %s cache is unknown, or it is no larger than the one before", set)
			continue
		}
		for _, t := range types {
			var err error
			if t == Float64 {
				err = kernelsIn[float64](s, set, t, bytes)
			} else {
				err = kernelsIn[float32](s, set, t, bytes)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := kernelsByWidth[float64](s, Float64); err != nil {
		return err
	}
	return kernelsByWidth[float32](s, Float32)
}

func kernelsIn[T kernel.Float](s *session, set Set, t Type, bytes int) error {
	buffer := kernel.NewMatrix[T](1, bytes/t.Size())
	pool := buffer.Row(0)
	for _, k := range kernels.All[T]() {
		for _, cut := range k.Cut(pool, kernels.Rank(string(set))) {
			group := "products and sweeps, "
			if cut.Stream {
				group = "streaming kernels, "
			}
			if err := kernelOn(s, group+string(set)+" "+string(t), cut, pool, t, set); err != nil {
				return err
			}
		}
	}
	return nil
}

// kernelOn measures a kernel on its blocks of a pool in set at every level, next
// to each other.
func kernelOn[T kernel.Float](s *session, group string, cut kernels.Cut[T], pool []T, t Type, set Set) error {
	for _, level := range s.machine.Levels {
		kernels.Fill(pool) // the kernel before may have written there
		if err := kernelAt(s, group, cut, level, t, set); err != nil {
			return err
		}
	}
	return nil
}

// kernelAt measures a kernel on its blocks at a level.
func kernelAt[T kernel.Float](s *session, group string, cut kernels.Cut[T], level isa.Level, t Type, set Set) error {
	s.say("kernel %s, %s, %v", cut.Name, group, level)
	isa.Set(level)
	at := 0
	rate, err := s.machine.sample(s.ctx, func(n int) (time.Duration, float64) {
		begun := time.Now()
		for range n {
			cut.Blocks[at]()
			if at++; at == len(cut.Blocks) {
				at = 0
			}
		}
		d := time.Since(begun)
		if cut.Stream {
			return d, float64(n) * cut.Bytes
		}
		return d, float64(n) * cut.Ops
	})
	if err != nil {
		return err
	}
	m := Measurement{
		Group: group, Case: cut.Name, Series: level.String(),
		Unit: "GFLOP/s", HigherBetter: true, Stat: rate,
	}
	if cut.Stream {
		m.Unit = "GB/s"
	}
	m.Limit, m.LimitBy = s.ceiling(cut.Cost, level, t, set)
	s.report.Add(m)
	return nil
}

// ceiling returns the lower of the two ceilings of a kernel in its unit, and
// what it follows from; 0 if that was not measured.
func (s *session) ceiling(k kernels.Cost, level isa.Level, t Type, set Set) (float64, string) {
	lim := &s.report.Limits
	peak, err := lim.Peak(level, t, 1)
	read, readErr := lim.Bandwidth(level, Read, set, 1)
	copied, copyErr := lim.Bandwidth(level, Copy, set, 1)
	if err != nil || readErr != nil || copyErr != nil {
		return 0, ""
	}
	bandwidth, by := read, fmt.Sprintf("%s read", set)
	if copied > read {
		bandwidth, by = copied, fmt.Sprintf("%s copy", set)
	}
	if k.Bytes/bandwidth < k.Ops/peak {
		by = "multiply-adds"
	}
	seconds := max(k.Bytes/bandwidth, k.Ops/peak)
	if k.Stream {
		return k.Bytes / seconds, by
	}
	return k.Ops / seconds, by
}
