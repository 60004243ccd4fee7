package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"nmu/internal/dataset"
	"nmu/internal/isa"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Groups of the measurements of the memory part.
const (
	groupAllocations = "allocations per iteration"
	groupPeak        = "peak memory"
	groupCollection  = "longest stop for garbage collection"
)

// leastRows is the least number of rows of a matrix of the memory part.
const leastRows = 100

// sizeCols is the number of columns of the matrices of the memory part.
func (p Plan) sizeCols() int {
	if p.small {
		return 50
	}
	return 2000
}

// memory measures allocations per iteration, the delay of garbage collections,
// and, up to the largest size, the peak memory of a factorization and the time
// of its iterations.
func (s *session) memory() error {
	for _, part := range []func() error{s.allocations, s.collections, s.sizes} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// allocations counts what all methods allocate between the start of iteration 2
// and that of the last.
func (s *session) allocations() error {
	for _, p := range s.problems {
		if p.name != problemSwimmer && p.name != problemMiB && p.name != problemCBCL {
			continue
		}
		for _, method := range methods {
			for _, t := range types {
				for _, threads := range ThreadCounts(s.machine.Threads) {
					s.say("allocations of %s on %s, %s, threads %d", nameOf(method), p.name, t, threads)
					var counts []float64
					for range s.machine.Repetitions {
						c := &clock{iterations: max(s.iterations(p.iterations(method))/4, leastIterations), memory: true}
						took, err := p.once(s.ctx, c, method.Method, t, threads)
						if err != nil {
							return fmt.Errorf("bench: %s on %s: %w", nameOf(method), p.name, err)
						}
						counts = append(counts, took.mallocs)
					}
					s.report.Add(Measurement{
						Group: groupAllocations, Case: p.name + " " + caseName(method, t, threads), Series: "nmu",
						Unit: "allocations", Stat: NewStat(counts), Bytes: int64(p.bytes(t)),
					})
				}
			}
		}
	}
	return nil
}

// stops is the runtime's histogram of how long garbage collections took to stop
// the program: until every goroutine was at a place where it can be.
const stops = "/sched/pauses/stopping/gc:seconds"

// collections measures the longest stop for garbage collection, one of which
// follows the other, while a factorization runs on all threads, at every level,
// and while none does.
func (s *session) collections() error {
	defer isa.Set(isa.Active())()
	p := s.problem(problemDense)
	span := 300 * time.Millisecond
	if s.plan.Short {
		span = 20 * time.Millisecond
	}
	histogram := func() *metrics.Float64Histogram {
		sample := []metrics.Sample{{Name: stops}}
		metrics.Read(sample)
		return sample[0].Value.Float64Histogram()
	}
	longest := func(done <-chan error) (seconds float64, err error) {
		before := histogram()
		for {
			select {
			case err := <-done:
				after := histogram()
				for i, n := range after.Counts {
					if n > before.Counts[i] {
						seconds = after.Buckets[i+1]
					}
				}
				return seconds, err
			default:
			}
			runtime.GC()
		}
	}
	add := func(name, series string, work func() error) error {
		var delays []float64
		for range s.machine.Repetitions {
			done := make(chan error, 1)
			go func() { done <- work() }()
			seconds, err := longest(done)
			if err != nil {
				return err
			}
			delays = append(delays, 1e3*seconds)
		}
		s.report.Add(Measurement{Group: groupCollection, Case: name, Series: series, Unit: "ms", Stat: NewStat(delays)})
		return nil
	}
	s.say("garbage collections of an idle process")
	if err := add("no factorization", "nmu", func() error {
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-time.After(span):
			return nil
		}
	}); err != nil {
		return err
	}
	for _, method := range methods {
		for _, level := range s.machine.Levels {
			s.say("garbage collections while %s runs at %v", nameOf(method), level)
			isa.Set(level)
			if err := add(fmt.Sprintf("during %s, threads=%d", nameOf(method), s.machine.Threads), level.String(), func() error {
				_, err := lnmu.Factor(s.ctx, p.m, p.rank, method.Method, &lnmu.Settings{
					Restarts: 1, Seed: 1, Threads: s.machine.Threads, Iterations: 1 << 30, TimeLimit: span,
				})
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizes factors matrices up to the largest size, each in a process of its own.
func (s *session) sizes() error {
	if len(s.plan.Child) == 0 {
		s.note("peak memory: not measured: this program cannot start itself here")
		return nil
	}
	cols := s.plan.sizeCols()
	// The smallest is several times the last cache, so that all live in memory.
	least := max(64<<20, 4*s.report.Limits.CPU.L3)
	var rows []int
	for bytes := s.plan.Size; bytes >= least || rows == nil; bytes /= 4 {
		rows = append([]int{bytes / 8 / cols}, rows...)
	}
	for _, method := range methods {
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
func (s *session) size(method benched, rows, cols int, wide bool) error {
	task := childTask{
		Method: nameOf(method), Rows: rows, Cols: cols, Rank: s.plan.Rank, Threads: s.machine.Threads,
		Iterations: s.machine.Repetitions + 2,
	}
	task.Iterations = max(task.Iterations, leastIterations)
	if perFactor(method) {
		task.Rank = 2
	}
	task.Rank = min(task.Rank, rows, cols)
	bytes := 8 * rows * cols
	about := fmt.Sprintf("%d x %d, r = %d", rows, cols, task.Rank)
	if free := memoryAvailable(); free > 0 && free < bytes/10*22 {
		s.note("%s on %s: not measured: %s of memory are free", task.Method, about, render.Bytes(free))
		return nil
	}
	s.say("memory of %s on %s, %s", task.Method, about, render.Bytes(bytes))
	got, err := s.child(task)
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
		s.report.Add(Measurement{
			Group: growthGroup("MB"), Case: name, Series: "nmu", X: float64(bytes) / 1e6, XName: "MB",
			Unit: "ms", Stat: NewStat(got.Seconds), Bytes: int64(bytes), Note: about,
		})
	}
	if got.Peak == 0 {
		if !wide {
			s.note("peak memory of %s on %s: not measured: no way to ask for it on %s", task.Method, about, runtime.GOOS)
		}
		return nil
	}
	peak := float64(got.Peak) / 1e6
	s.report.Add(Measurement{
		Group: groupPeak, Case: name, Series: "nmu", X: float64(bytes) / 1e6, XName: "MB", Unit: "MB",
		Stat: NewStat([]float64{peak}), Bytes: int64(bytes), Note: fmt.Sprintf("%s: %.3f times M", about, float64(got.Peak)/float64(bytes)),
	})
	return nil
}

// childTask is the work of a child process: a factorization in float64.
type childTask struct {
	Method     string `json:"method"`
	Rows       int    `json:"rows"`
	Cols       int    `json:"cols"`
	Rank       int    `json:"rank"`
	Threads    int    `json:"threads"`
	Iterations int    `json:"iterations"`
}

// childReply is what a child process prints.
type childReply struct {
	Seconds []float64 `json:"seconds"` // of each iteration but the first and the last
	Peak    int       `json:"peak"`    // bytes of memory at most; 0 if unknown
}

// child runs a task in a process of its own.
func (s *session) child(task childTask) (childReply, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return childReply{}, err
	}
	cmd := exec.CommandContext(s.ctx, s.plan.Child[0], s.plan.Child[1:]...)
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdin = bytes.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return childReply{}, fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	var reply childReply
	if err := json.Unmarshal(stdout.Bytes(), &reply); err != nil {
		return childReply{}, fmt.Errorf("the child printed %.100q: %w", stdout.String(), err)
	}
	return reply, nil
}

// Child is the other side of Plan.Child: it reads a task from r, generates its
// matrix, factors it in its own memory, and writes the times of the iterations
// and the peak of the memory of this process to w.
func Child(ctx context.Context, r io.Reader, w io.Writer) error {
	var task childTask
	if err := json.NewDecoder(r).Decode(&task); err != nil {
		return fmt.Errorf("bench: task of a child process: %w", err)
	}
	if task.Iterations < leastIterations {
		return fmt.Errorf("%w: %d iterations; at least %d are needed", ErrOption, task.Iterations, leastIterations)
	}
	method, err := benchedBy(task.Method)
	if err != nil {
		return err
	}
	const dataRank = 4 // enough, and quickly generated
	data, err := dataset.Random[float64](task.Rows, task.Cols, min(dataRank, task.Rows, task.Cols), 1)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	c := &clock{iterations: task.Iterations, single: make([]float64, 0, task.Iterations-2)}
	// Nothing here refers to the data any more when Factor runs.
	m := lnmu.NewDense(task.Rows, task.Cols, data)
	_, err = factorOnce(ctx, c, lnmu.Settings{Threads: task.Threads, Overwrite: true}, func(s *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.Factor(ctx, m, task.Rank, method.Method, s)
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(childReply{Seconds: c.single, Peak: memoryPeak()})
}

// memoryPeak returns the most memory that this process ever had, or 0 if the
// system does not say.
func memoryPeak() int { return kibibytes("/proc/self/status", "VmHWM:") }

// memoryAvailable returns the memory that can be had without swapping, or 0.
func memoryAvailable() int { return kibibytes("/proc/meminfo", "MemAvailable:") }

// kibibytes reads a line "key 123 kB" of a file of Linux, in bytes; 0 if there
// is none.
func kibibytes(path, key string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == key && fields[2] == "kB" {
			n, err := strconv.Atoi(fields[1])
			if err != nil || n < 0 {
				return 0
			}
			return min(n, maxInt>>10) << 10
		}
	}
	return 0
}
