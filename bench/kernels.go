package bench

import (
	"fmt"
	"time"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/kernel"
)

// measureKernels measures every kernel at every level in one thread, on working sets in L1, L2
// and memory. The limit is the lower of two ceilings. One follows from the bytes and the faster
// of the read and copy bandwidth there, the other from the operations and the multiply-add rate.
func (s *session) measureKernels() error {
	defer isa.Set(isa.Active())()
	for _, set := range []machine.Set{machine.L1, machine.L2, machine.Memory} {
		bytes := machine.WorkingSet(set, s.report.Limits.CPU, 1, s.opts.Memory)
		if bytes == 0 {
			s.note("kernels: the size of the %s cache is unknown, or it is no larger than the one before", set)
			continue
		}
		for _, t := range subject.Types {
			var err error
			if t == machine.Float64 {
				err = kernelsIn[float64](s, set, t, bytes)
			} else {
				err = kernelsIn[float32](s, set, t, bytes)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// kernelsIn measures every kernel on a working set.
func kernelsIn[T kernel.Float](s *session, set machine.Set, t machine.Type, bytes int) error {
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

// kernelOn measures a kernel on its blocks of a pool at every level in turn.
func kernelOn[T kernel.Float](s *session, group string, cut kernels.Cut[T], pool []T, t machine.Type, set machine.Set) error {
	for _, level := range s.opts.Levels {
		kernels.Fill(pool) // the previous kernel may have overwritten the pool
		if err := kernelAt(s, group, cut, level, t, set); err != nil {
			return err
		}
	}
	return nil
}

// kernelAt measures a kernel on its blocks at a level.
func kernelAt[T kernel.Float](s *session, group string, cut kernels.Cut[T], level isa.Level, t machine.Type, set machine.Set) error {
	s.say("kernel %s, %s, %v", cut.Name, group, level)
	isa.Set(level)
	at := 0
	rate, err := s.opts.Rate(s.ctx, func(n int) (time.Duration, float64) {
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
	m := report.Measurement{
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

// ceiling returns the lower of the two ceilings of a kernel in its unit, and the name of the
// measured rate behind it. The ceiling is 0 if a rate was not measured.
func (s *session) ceiling(k kernels.Cost, level isa.Level, t machine.Type, set machine.Set) (float64, string) {
	lim := &s.report.Limits
	peak, err := lim.Peak(level, t, 1)
	read, readErr := lim.Bandwidth(level, machine.Read, set, 1)
	copied, copyErr := lim.Bandwidth(level, machine.Copy, set, 1)
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
