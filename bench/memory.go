package bench

import (
	"fmt"
	"runtime"
	"strings"

	"nmu/bench/internal/engine"
	"nmu/bench/internal/machine"
	"nmu/bench/internal/process"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/render"
)

// Groups of the measurements of the memory part.
const (
	groupAllocations = "allocations per iteration"
	groupPeak        = "peak memory"
)

// The bars of memory.
const (
	barPeakFactor  = 2.1  // times the size of the matrix
	barPeakBytes   = 64e6 // added to that product
	barAllocations = 0
)

// measureAllocations counts the allocations of all methods between the first iteration and
// the last.
func (s *session) measureAllocations() error {
	for _, p := range s.problems {
		if p.Name != subject.Swimmer && p.Name != subject.MiB && p.Name != subject.CBCL {
			continue
		}
		for _, method := range subject.Methods {
			for _, t := range subject.Types {
				for _, threads := range machine.ThreadCounts(s.opts.Threads) {
					s.say("allocations of %s on %s, %s, threads %d", method.Name, p.Name, t, threads)
					var counts []float64
					for range s.opts.Repetitions {
						c := &engine.Clock{Iterations: max(s.iterations(p.Iterations(method))/4, engine.MinIterations), Allocations: true}
						took, err := engine.FactorProblem(s.ctx, c, p, method.Method, t, threads)
						if err != nil {
							return fmt.Errorf("bench: %s on %s: %w", method.Name, p.Name, err)
						}
						counts = append(counts, took.Allocations)
					}
					s.report.Add(report.Measurement{
						Group: groupAllocations, Case: p.Name + " " + report.CaseName(method.Name, t, threads), Series: "nmu",
						Unit: "allocations", Stat: stat.New(counts), Bytes: int64(p.Bytes(t)),
					})
				}
			}
		}
	}
	return nil
}

// measureSizes factors matrices up to the largest size, each in its own process.
func (s *session) measureSizes() error {
	if len(s.plan.Child) == 0 {
		s.note("peak memory: not measured: this program cannot start itself here")
		return nil
	}
	cols := s.plan.sizeCols()
	// The smallest matrix is several times the last cache, so that no matrix fits in a cache.
	least := max(64<<20, 4*s.report.Limits.CPU.L3)
	var rows []int
	for bytes := s.plan.Size; bytes >= least || rows == nil; bytes /= 4 {
		rows = append([]int{bytes / 8 / cols}, rows...)
	}
	for _, method := range subject.Methods {
		for i, m := range rows {
			if err := s.size(method, m, cols, false); err != nil {
				return err
			}
			if i == 0 {
				if err := s.size(method, cols, m, true); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// size measures one matrix in a child process.
func (s *session) size(method subject.Method, rows, cols int, wide bool) error {
	task := childTask{
		Method: method.Name, Rows: rows, Cols: cols, Rank: s.plan.Rank, Threads: s.opts.Threads,
		Iterations: s.opts.Repetitions + 2,
	}
	task.Iterations = max(task.Iterations, engine.MinIterations)
	if method.Recursive() {
		task.Rank = 2
	}
	task.Rank = min(task.Rank, rows, cols)
	bytes := 8 * rows * cols
	about := fmt.Sprintf("%d x %d, r = %d", rows, cols, task.Rank)
	if free := process.AvailableMemory(); free > 0 && free < bytes/10*22 {
		s.note("%s on %s: not measured: %s of memory are free", task.Method, about, render.Bytes(free))
		return nil
	}
	s.say("memory of %s on %s, %s", task.Method, about, render.Bytes(bytes))
	got, err := runChild(s.ctx, s.plan.Child, task)
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if err != nil {
		s.note("%s on %s: not measured: %v", task.Method, about, err)
		return nil
	}
	name := task.Method
	if wide {
		name += ", wide"
	} else {
		for i := range got.Seconds {
			got.Seconds[i] *= 1e3
		}
		s.report.Add(report.Measurement{
			Group: growthGroup("MB"), Case: name, Series: "nmu", X: float64(bytes) / 1e6, XName: "MB",
			Unit: "ms", Stat: stat.New(got.Seconds), Bytes: int64(bytes), Note: about,
		})
	}
	if got.Peak == 0 {
		if !wide {
			s.note("peak memory of %s on %s: not measured: no way to ask for it on %s", task.Method, about, runtime.GOOS)
		}
		return nil
	}
	peak := float64(got.Peak) / 1e6
	s.report.Add(report.Measurement{
		Group: groupPeak, Case: name, Series: "nmu", X: float64(bytes) / 1e6, XName: "MB", Unit: "MB",
		Stat: stat.New([]float64{peak}), Bytes: int64(bytes), Note: fmt.Sprintf("%s: %.3f times M", about, float64(got.Peak)/float64(bytes)),
	})
	return nil
}

// checkPeak checks the peak memory of every measured process.
func (c *checker) checkPeak() {
	found := false
	for _, m := range c.report.Measurements {
		if m.Group != groupPeak {
			continue
		}
		found = true
		c.add(report.Check{
			Name: fmt.Sprintf("memory/%s/%s", strings.ReplaceAll(m.Case, ", ", "/"), render.Number(m.X)),
			What: fmt.Sprintf("%s, matrix of %s MB: peak memory", m.Case, render.Number(m.X)), Unit: "MB",
			Value: m.Median, Bar: (barPeakFactor*float64(m.Bytes) + barPeakBytes) / 1e6, AtMost: true, Note: m.Note,
		})
	}
	if !found {
		c.missing(report.Check{Name: "memory", What: "peak memory", Unit: "MB"}, "")
	}
}

// checkAllocations checks the maximum over all methods, problems, precisions and numbers of
// threads.
func (c *checker) checkAllocations() {
	k := report.Check{Name: "allocations", What: "allocations per iteration, at most", Bar: barAllocations, AtMost: true}
	cases := 0
	for _, m := range c.report.Measurements {
		if m.Group != groupAllocations {
			continue
		}
		cases++
		if m.Median > k.Value {
			k.Value, k.Note = m.Median, m.Case
		}
	}
	if cases == 0 {
		c.missing(k, "")
		return
	}
	if k.Note == "" {
		k.Note = fmt.Sprintf("in all of %d cases", cases)
	}
	c.add(k)
}
