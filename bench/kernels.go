package bench

import (
	"fmt"
	"time"

	"nmu/internal/isa"
	"nmu/kernel"
)

// kernelRank is the number of factors in the kernels that take several; in L1
// it is less, so that a block of the data fits there too.
func kernelRank(set Set) int {
	if set == L1 {
		return 8
	}
	return 49
}

// kernelWork is one kernel at work on a working set that is cut into blocks.
type kernelWork struct {
	name       string
	stream     bool // quoted in bytes moved, not in operations
	blocks     int
	bytes, ops float64 // of one block
	run        func(block int)
}

// kernelWorks returns the kernels on a working set of the numbers in pool. Only
// what a block has for itself counts as moved: each number read and each number
// written once. A multiply-add is two operations.
func kernelWorks[T kernel.Float](pool []T, set Set, size int) []kernelWork {
	var works []kernelWork
	add := func(name string, stream bool, blocks, bytes, ops int, run func(int)) {
		if blocks > 0 && bytes > 0 {
			works = append(works, kernelWork{name, stream, blocks, float64(bytes * size), float64(ops), run})
		}
	}
	var sink T
	var count int

	// Reductions: long vectors, a run at a time.
	vector := func(name string, operands, ops int, run func(x, y []T)) {
		half := len(pool) / operands
		n := min(half, 8192)
		add(name, true, half/max(n, 1), operands*n, ops*n, func(b int) {
			run(pool[b*n:(b+1)*n], pool[len(pool)-half+b*n:][:n])
		})
	}
	vector("Dot", 2, 2, func(x, y []T) { sink += kernel.Dot(x, y) })
	vector("SumSquares", 1, 2, func(x, _ []T) { sink += kernel.SumSquares(x) })
	vector("Max", 1, 1, func(x, _ []T) { sink += kernel.Max(x) })
	vector("Min", 1, 1, func(x, _ []T) { sink += kernel.Min(x) })
	vector("CountLess", 1, 1, func(x, _ []T) { count += kernel.CountLess(x, 0.6) })

	// Entry by entry: as many matrices as there are operands, cut into rows.
	const q = 256
	entries := func(name string, operands, moved, ops int, run func(x, y, z kernel.Matrix[T])) {
		rows := len(pool) / operands / q
		step := min(rows, 32)
		of := func(i, b int) kernel.Matrix[T] {
			i = min(i, operands-1)
			return matrix(pool[(i*rows+b*step)*q:], step, q)
		}
		add(name, true, rows/max(step, 1), moved*step*q, ops*step*q, func(b int) { run(of(0, b), of(1, b), of(2, b)) })
	}
	entries("Add", 2, 3, 1, func(c, x, _ kernel.Matrix[T]) { kernel.Add(c, x) })
	entries("UpdateMultiplier", 3, 4, 3, func(n, m, p kernel.Matrix[T]) { kernel.UpdateMultiplier(n, m, p, 0.001) })

	v, w, acc := make([]T, 32), make([]T, q), make([]T, q)
	fill(w)
	inv := kernel.Reciprocal(kernel.Dot(w, w))
	for _, when := range []kernel.When{kernel.Never, kernel.Before, kernel.After} {
		if when == kernel.Never {
			entries("RankOne", 1, 1, 4, func(n, _, _ kernel.Matrix[T]) {
				sink += kernel.RankOne(acc, v[:n.Rows], n, w, inv, 0, kernel.Multiplier[T]{})
			})
			continue
		}
		name := map[kernel.When]string{kernel.Before: "RankOne, update before", kernel.After: "RankOne, update after"}[when]
		entries(name, 2, 3, 8, func(n, m, _ kernel.Matrix[T]) {
			sink += kernel.RankOne(acc, v[:n.Rows], n, w, inv, 0, kernel.Multiplier[T]{When: when, M: m, Mu: 0.001})
		})
	}

	// Products with a factor of r rows, a block of p rows of the data at a time.
	r := kernelRank(set)
	width := 2048
	for width > 8 && r*width > len(pool)/4 {
		width /= 2
	}
	rows := (len(pool) - r*width) / (width + r)
	p := min(rows/2, 32) // two blocks at least
	if p > 0 {
		blocks := rows / p
		g := matrix(pool, r, width)
		data := func(b int) kernel.Matrix[T] { return matrix(pool[r*width+b*p*width:], p, width) }
		tall := func(b int) kernel.Matrix[T] { return matrix(pool[r*width+rows*width+b*p*r:], r, p) }
		ops := 2 * p * width * r
		add("Contract", false, blocks, p*width+p*r, ops, func(b int) { kernel.Contract(tall(b), data(b), g) })
		add("Product", false, blocks, p*width+p*r, ops, func(b int) { kernel.Product(data(b), tall(b), g) })
		add("AddProduct", false, blocks, 2*p*width+p*r, ops, func(b int) { kernel.AddProduct(data(b), tall(b), g) })
		pairs := blocks / 2
		add("UpdateMultiplierProduct", false, pairs, 3*p*width+p*r, ops, func(b int) {
			kernel.UpdateMultiplierProduct(data(b), data(pairs+b), tall(b), g, 0.001)
		})
		add("Accumulate", false, blocks, p*width+p*r, ops, func(b int) { kernel.Accumulate(g, tall(b), data(b)) })
	}

	// What is done with the factors: r rows, a panel of columns at a time.
	small := matrix(make([]T, r*r), r, r)
	if cols := min(width, len(pool)/r); cols > 0 {
		add("Gram", false, len(pool)/(r*cols), r*cols, r*(r+1)*cols, func(b int) {
			kernel.Gram(small, matrix(pool[b*r*cols:], r, cols))
		})
	}
	b := matrix(make([]T, r*r), r, r)
	for k := range r {
		fill(b.Row(k))
		b.Row(k)[k] = T(2 * r)
	}
	invs := make([]T, r)
	kernel.Reciprocals(invs, b)
	if cols := min(384/size, len(pool)/(2*r)); cols > 0 {
		blocks := len(pool) / (2 * r * cols)
		add("Sweep", false, blocks, 3*r*cols, 2*cols*r*r, func(at int) {
			h, a := matrix(pool[at*r*cols:], r, cols), matrix(pool[(blocks+at)*r*cols:], r, cols)
			kernel.Sweep(h, a, b, invs, 0, kernel.Matrix[T]{})
		})
	}
	return works
}

// matrix views the first rows*cols numbers of data.
func matrix[T kernel.Float](data []T, rows, cols int) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: rows, Cols: cols, Data: data[:rows*cols], Stride: cols}
}

// fill writes numbers between 0.5 and 1.
func fill[T kernel.Float](x []T) {
	for i := range min(len(x), 97) {
		x[i] = 0.5 + T(i)/194
	}
	for n := min(len(x), 97); n < len(x); n *= 2 {
		copy(x[n:], x[:n])
	}
}

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
	return nil
}

func kernelsIn[T kernel.Float](s *session, set Set, t Type, bytes int) error {
	buffer := kernel.NewMatrix[T](1, bytes/t.Size())
	pool := buffer.Row(0)
	for _, k := range kernelWorks(pool, set, t.Size()) {
		for _, level := range s.machine.Levels { // next to each other
			s.say("kernel %s, %s in %s, %v", k.name, t, set, level)
			isa.Set(level)
			fill(pool) // the kernel before may have written there
			at := 0
			rate, err := s.machine.sample(s.ctx, func(n int) (time.Duration, float64) {
				begun := time.Now()
				for range n {
					k.run(at)
					if at++; at == k.blocks {
						at = 0
					}
				}
				d := time.Since(begun)
				if k.stream {
					return d, float64(n) * k.bytes
				}
				return d, float64(n) * k.ops
			})
			if err != nil {
				return err
			}
			m := Measurement{
				Group: "streaming kernels, " + string(set) + " " + string(t), Case: k.name, Series: level.String(),
				Unit: "GB/s", HigherBetter: true, Stat: rate,
			}
			if !k.stream {
				m.Group, m.Unit = "products and sweeps, "+string(set)+" "+string(t), "GFLOP/s"
			}
			m.Limit, m.LimitBy = s.ceiling(k, level, t, set)
			s.report.Add(m)
		}
	}
	return nil
}

// ceiling returns the lower of the two ceilings of a kernel in its unit, and
// what it follows from; 0 if that was not measured.
func (s *session) ceiling(k kernelWork, level isa.Level, t Type, set Set) (float64, string) {
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
	if k.bytes/bandwidth < k.ops/peak {
		by = "multiply-adds"
	}
	seconds := max(k.bytes/bandwidth, k.ops/peak)
	if k.stream {
		return k.bytes / seconds, by
	}
	return k.ops / seconds, by
}
