package scaling

import (
	"errors"
	"math"
	"math/bits"
	"strings"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/kernels"
	"nmu/internal/together"
	"nmu/lnmu"
)

// of describes a method, which must be known.
func of(t *testing.T, method lnmu.Method, p Problem, rank int) Method {
	t.Helper()
	m, err := Of(method, p.Rows, p.Cols, rank)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// all are methods with both solvers.
func all(t *testing.T, p Problem, rank int) []Method {
	t.Helper()
	admm := lnmu.Lagrangian{Solver: lnmu.SolverADMM}
	var list []Method
	for _, method := range []lnmu.Method{
		lnmu.NMF{}, lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 3},
		lnmu.GNMU{}, lnmu.GNMU{Lagrangian: lnmu.Lagrangian{StepsPerUpdate: 1, Sweeps: 2}}, lnmu.GNMU{Lagrangian: admm},
		lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Lagrangian: admm},
	} {
		list = append(list, of(t, method, p, rank))
	}
	return list
}

// counter counts the operations of an iteration that is written out.
type counter struct{ products, elements, long, short float64 }

// product counts that of a p x q and a q x r matrix, sum for sum: a multiplication and
// then multiply-adds, or multiply-adds to what is there.
func product(p, q, r int, adds bool) (n float64) {
	for range p {
		for range r {
			for l := range q {
				if l > 0 || adds {
					n++ // the addition
				}
				n++ // the multiplication
			}
		}
	}
	return n
}

// iterate goes through an iteration of m on L lines of S numbers.
func (c *counter) iterate(m Method, lines, numbers int) {
	entry := func(ops float64) {
		for range lines * numbers {
			c.elements += ops
		}
	}
	for step := range m.Steps {
		if m.State && step == 0 {
			c.products += product(lines, m.Rank, numbers, true)
			entry(-1) // which product counts with a sum that begins from nothing
			if !m.Augmented {
				entry(3) // N + µ (M - V W)
			} else {
				entry(7) // G and the target
			}
		} else if m.Augmented {
			entry(4) // the target
		}
		c.products += product(lines, numbers, m.Rank, true) + product(m.Rank, lines, numbers, true)
		for _, factor := range []struct {
			n       int
			counted *float64
		}{{lines, &c.long}, {numbers, &c.short}} {
			for range m.Sweeps * factor.n {
				*factor.counted += product(1, m.Rank, m.Rank, true) // each of r entries from all
			}
			for k := range m.Rank { // the Gram matrix is symmetric
				*factor.counted += product(k+1, factor.n, 1, true)
			}
		}
	}
}

// TestCost compares the formulas with counts, also of a wide matrix.
func TestCost(t *testing.T) {
	for _, p := range []Problem{{13, 7, 8}, {7, 13, 8}, {9, 9, 4}} {
		for _, m := range all(t, p, 5) {
			var c counter
			c.iterate(m, max(p.Rows, p.Cols), min(p.Rows, p.Cols))
			got := m.Cost(p)
			if m.Rank == 1 && m.Augmented {
				continue // one kernel, see TestCostRankOne
			}
			if got.Products != c.products || got.Elements != c.elements || got.Long != c.long || got.Short != c.short {
				t.Errorf("%+v on %+v: %+v, counted %+v", m, p, got, c)
			}
			if got.Operations() != c.products+c.elements+c.long+c.short {
				t.Errorf("%s: %g operations in all", m.Name, got.Operations())
			}
		}
	}
}

// TestCostRankOne compares an iteration with one factor with the operations and bytes of
// the kernels that make it.
func TestCostRankOne(t *testing.T) {
	p := Problem{Rows: 40, Cols: 24, Size: 8}
	entries := float64(p.Rows * p.Cols)
	for _, c := range []struct {
		kernel string
		method lnmu.Method
		moved  float64 // bytes for an entry: one pass that updates, and one that does not
	}{
		{"RankOne", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{StepsPerUpdate: 2}}, 24 + 8},
		{"RankOneAugmented", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, StepsPerUpdate: 2}}, 24 + 16},
	} {
		var want float64
		for _, k := range kernels.All[float64]() {
			if k.Name != c.kernel {
				continue
			}
			for _, m := range k.Measures[:2] {
				want += float64(m.Ops) * entries
			}
		}
		got := of(t, c.method, p, 3).Cost(p)
		if got.Products+got.Elements != want {
			t.Errorf("%s: %g operations, the kernels %g", c.kernel, got.Products+got.Elements, want)
		}
		if got.Read+got.Written != c.moved*entries {
			t.Errorf("%s: %g bytes for an entry, want %g", c.kernel, (got.Read+got.Written)/entries, c.moved)
		}
	}
}

// TestOf: what the model takes from a method is what lnmu will do.
func TestOf(t *testing.T) {
	p := Problem{Rows: 300, Cols: 40, Size: 8}
	for _, c := range []struct {
		method lnmu.Method
		want   Method
	}{
		{lnmu.NMF{}, Method{Name: "nmf", Rank: 7, Blocks: 1, Iterations: 600, Steps: 1, Sweeps: 1}},
		{lnmu.NMF{Solver: lnmu.SolverAccelerated}, Method{Name: "nmf", Rank: 7, Blocks: 1, Iterations: 100, Steps: 1, Sweeps: 10}},
		{lnmu.GNMU{}, Method{Name: "gnmu", Rank: 7, Blocks: 1, Iterations: 240, Steps: 2, Sweeps: 1, State: true}},
		{lnmu.RNMU{}, Method{Name: "rnmu", Rank: 1, Blocks: 7, Iterations: 180, Steps: 2, Sweeps: 1, State: true}},
		{lnmu.RNMU{Block: 2}, Method{Name: "rnmu", Rank: 2, Blocks: 4, Iterations: 180, Steps: 2, Sweeps: 1, State: true}},
		{lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, Method{Name: "rnmu", Rank: 1, Blocks: 7, Iterations: 30, Steps: 1, Sweeps: 1, State: true, Augmented: true}},
	} {
		if got := of(t, c.method, p, 7); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	if _, err := Of(lnmu.SNMF{PenaltyV: 0.5, PenaltyW: 0.5}, 300, 40, 7); !errors.Is(err, ErrMethod) {
		t.Errorf("a method that the model does not know: %v", err)
	}
	if _, err := Of(lnmu.NMF{}, 3, 3, 0); err == nil {
		t.Error("no error for rank 0")
	}
}

// TestIteration checks what must hold of any time that is predicted.
func TestIteration(t *testing.T) {
	p, k := Problem{Rows: 1 << 20, Cols: 512, Size: 8}, Server()
	for _, m := range all(t, p, 20) {
		last := math.Inf(1)
		for machines := 1; machines <= 1024; machines *= 2 {
			x := m.Iteration(p, k, machines, 0.5)
			if (machines == 1) != (x.Exchange == 0) {
				t.Errorf("%s on %d machines: %g s of exchange", m.Name, machines, x.Exchange)
			}
			if alone := max(x.Local, x.Disk); !(alone < last) || x.Total() != alone+x.Exchange {
				t.Errorf("%s on %d machines: %+v, after %g s", m.Name, machines, x, last)
			} else {
				last = alone
			}
			if x.Local < max(x.Compute, x.Memory) || x.Local > x.Compute+x.Memory {
				t.Errorf("%s on %d machines: %+v", m.Name, machines, x)
			}
			if e := m.Efficiency(p, k, machines, 0.5); machines == 1 && e != 1 || !(e > 0) {
				t.Errorf("%s on %d machines: efficiency %g", m.Name, machines, e)
			}
			if whole := m.Whole(p, k, machines, 0.5); whole <= float64(m.Iterations*m.Blocks)*x.Total() {
				t.Errorf("%s on %d machines: %g s in all", m.Name, machines, whole)
			}
		}
		// A wide matrix is a tall one.
		if a, b := m.Iteration(p, k, 3, 0.5), m.Iteration(Problem{p.Cols, p.Rows, p.Size}, k, 3, 0.5); a != b {
			t.Errorf("%s: %+v tall, %+v wide", m.Name, a, b)
		}
		// As many times as many lines on as many machines take as long, but for the exchange.
		a, b := m.Iteration(p, k, 1, 0.5), m.Iteration(Problem{4 * p.Rows, p.Cols, p.Size}, k, 4, 0.5)
		if b.Exchange = 0; a != b {
			t.Errorf("%s: %+v, and four times as much on four machines %+v", m.Name, a, b)
		}
	}
}

// TestDisk: what a machine does not hold costs the disk, of the underapproximations
// with the state.
func TestDisk(t *testing.T) {
	p, k := Problem{Rows: 1e6, Cols: 1000, Size: 8}, Server()
	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
		m := of(t, method, p, 20)
		k.Memory = 1.001 * m.Held(p) / 1e9
		if !m.Fits(p, k, 1) || m.Iteration(p, k, 1, 1).Disk != 0 {
			t.Errorf("%s does not fit where it does", m.Name)
		}
		k.Memory *= 0.998
		want := p.Bytes() / 1e9 / k.Read
		if m.State {
			want *= 3 // M, N twice
			want += p.Bytes() / 1e9 / k.Write
		}
		if got := m.Iteration(p, k, 1, 1).Disk; m.Fits(p, k, 1) || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %g s of disk, want %g", m.Name, got, want)
		}
		if by := m.Iteration(p, k, 1, 1).By(); by != "disk" {
			t.Errorf("%s is bound by the %s", m.Name, by)
		}
		if !m.Fits(p, k, 2) {
			t.Errorf("%s does not fit two machines", m.Name)
		}
	}
}

// TestMessages counts the messages of factorizations by several processes: those of the
// first one, which has the most, in three iterations more.
func TestMessages(t *testing.T) {
	const rank, more = 4, 3
	data, err := dataset.Random[float64](1600, 50, rank, 1)
	if err != nil {
		t.Fatal(err)
	}
	tall := lnmu.NewDense(1600, 50, data)
	p := Problem{Rows: tall.Rows, Cols: tall.Cols, Size: 8}
	for _, method := range []lnmu.Method{
		lnmu.NMF{}, lnmu.GNMU{}, lnmu.GNMU{Lagrangian: lnmu.Lagrangian{StepsPerUpdate: 3}}, lnmu.RNMU{},
		lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9}},
	} {
		factors := rank
		if method.Describe().Recursive {
			factors = 1
		}
		m := of(t, method, p, factors)
		for _, processes := range []int{1, 2, 3, 4} {
			var found [2]Messages
			var words [2]int
			for i, iterations := range []int{1, 1 + more} {
				together.Run(processes, func(q *together.Process) {
					first, last := lnmu.Share(p.Rows, p.Cols, q.Rank(), processes)
					part := lnmu.Part[float64]{Matrix: tall.Slice(first, last, 0, p.Cols), Processes: q, Rows: p.Rows, Cols: p.Cols}
					_, err := lnmu.Factor(t.Context(), part, factors, method, &lnmu.Settings{Restarts: 1, Iterations: iterations})
					if err != nil {
						t.Error(err)
					}
					if q.Rank() > 0 {
						return
					}
					want := m.Messages(p, processes)
					for bytes, n := range q.Received {
						if float64(bytes) >= want.Bytes {
							found[i].Count += n
							found[i].Bytes = float64(bytes)
						}
					}
					for bytes, n := range q.Broadcasts {
						switch {
						case float64(bytes) >= want.Bytes:
							found[i].Count += n * bits.Len(uint(processes-1))
						case bytes == 1:
							words[i] += n
						}
					}
				})
			}
			got := Messages{Count: (found[1].Count - found[0].Count) / more, Bytes: found[1].Bytes}
			want := m.Messages(p, processes)
			if processes == 3 { // slabs are cut in two
				want.Count = max(want.Count, min(got.Count, 2*want.Count))
			}
			if got.Count != want.Count {
				t.Errorf("%+v, %d processes: counted %+v, want %+v", m, processes, got, want)
			}
			if words[1] > words[0] {
				t.Errorf("%s, %d processes: whether to go on is a message of its own", m.Name, processes)
			}
			// Rows of both matrices begin at cache lines.
			if most := float64(m.Rank*(p.Cols+m.Rank+2*16)+1) * 8; processes > 1 && (got.Bytes < want.Bytes || got.Bytes > most) {
				t.Errorf("%s, %d processes: a message of %g bytes, want %g", m.Name, processes, got.Bytes, want.Bytes)
			}
		}
	}
}

func TestReadKind(t *testing.T) {
	k, err := ReadKind(strings.NewReader(`{"name": "ours", "cores": 8, "memory_gb": 32}`))
	want := Server()
	want.Name, want.Cores, want.Memory = "ours", 8, 32
	if err != nil || k != want {
		t.Errorf("%+v, %v; want %+v", k, err, want)
	}
	for text, says := range map[string]string{
		"": "EOF", "[]": "array", `{"core": 8}`: `"core"`, `{"cores": 0}`: "cores is 0", `{"disk_gbs": -1}`: "disk_gbs is -1", `{"memory_gb": 1e300}`: "memory_gb",
	} {
		if _, err := ReadKind(strings.NewReader(text)); !errors.Is(err, ErrKind) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
