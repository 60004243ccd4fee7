package report

import (
	"fmt"
	"io"
	"strings"

	"nmu/internal/render"
)

// maxMachines is the largest number of machines of a plan.
const maxMachines = 1024

// minEfficiency is the minimum efficiency of a plan.
const minEfficiency = 0.5

// WritePlan writes the part scale as Markdown: the predictions of the model, their check, and
// the model. The text refers to the picture of PlotPlan by the given name. Without a
// plan WritePlan writes nothing.
func (r *Report) WritePlan(w io.Writer, picture string) error {
	if r.Planning == nil {
		return nil
	}
	p := r.Planning
	var b strings.Builder
	text := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	text("# How it scales\n\n")
	text("This page predicts how long a run takes on several machines, and shows how far measurements on threads\nand processes agree with the model behind the prediction. The command\n\n    mpirun --bind-to none -n 2 nmu-lab bench --only scale --mpi --out DIR\n\n")
	text("made this page (`scale.md`), its plot and its figures (`bench-scale.json`) on\n%s, %s, %s.\n\n", r.CPU, render.Plural(r.Threads, "core"), r.Origin.Line())
	text("## %s on up to %d machines\n\n", size(p.Problem.Bytes()), maxMachines)
	text("M is %s x %s, float64. `--plan` chooses another matrix, and `--kind` other machines. The machines are\nassumed, not measured:\n\n%s\n", count(p.Problem.Rows), count(p.Problem.Cols), p.assumed())
	text("The efficiency is the time of one machine that holds all of M in memory, over the machine hours of the run.\n")
	for _, m := range p.Methods {
		text("\n### %s, r = %d, %s\n\n%s\n%s\n", m.Title, m.factors(), m.iterationsText(), p.table(m).Markdown(), p.verdict(m))
	}
	text("\n![Iterations per hour, plotted against the number of machines](%s)\n", picture)
	text("\n## Measurements\n\nTimes are medians of %d. In strong scaling the matrix stays the same; in weak scaling it grows with the\nnumber of threads or processes. `alone` is the time of one thread or process. The model predicts from\nthe peak, the bandwidth and the messages measured in the same run.\n\n%s", r.Repetitions, r.scalingTable().Markdown())
	if t := r.messageTable(); len(t.Rows) > 0 {
		text("\nA message from one process to another:\n\n%s", t.Markdown())
	}
	if t := r.facesTable(); len(t.Rows) > 0 {
		text("\nAn iteration on the faces:\n\n%s", t.Markdown())
	}
	text("%s", `
## The model

The machines share the longer side of M. Each machine holds its part of M, of the multipliers or the
residual, and of the long factor. All machines hold the whole other factor. In a HALS step each machine
passes over its part. The sums H N and H Hᵀ are added along a tree over the machines, and each machine
then updates the other factor. If P is a power of two and all parts are equal, two machines swap their
sums at each level of the tree. Otherwise the total is sent back, which doubles the messages.

M is m x n, m >= n, on P machines. A number has b bytes, the rank is r (1 for R-NMU), and an iteration
has T HALS steps (1 for NMF).

| | operations | bytes of M and the state | messages, one after the other |
|---|---|---|---|
| NMF | 4 m n r | m n b | log2 P, or 2 ⌈log2 P⌉, of (n r + r²) b bytes |
| G-NMU, R-NMU | (4 T + 2) m n r + 2 m n | (T + 2) m n b | T times as many |
| with `+"`--solver admm`"+` | (4 T + 2) m n r + (2 T + 9) m n or less | (2 T + 1) m n b | the same |
| sweeps and Gram matrices of all | T (3 r² + r) (m + n) | 2 T m r b, and a copy | |

Each machine does 1/P of this work, but all of the terms with n in the last row. An iteration takes

    operations / (share of the peak) + bytes / bandwidth + messages x latency + their bytes / rate

Of the first two terms R-NMU takes only the longer one. A machine whose part does not fit in memory
keeps it on disk, as `+"`--memory`"+` does; the time of the disk counts if it is longer. The share of the peak is
measured with one thread, on a matrix in the second cache: `)
	for i, m := range p.Methods {
		text("%s%s %s", [...]string{"", ", "}[min(i, 1)], m.Title, percent(m.Share))
	}
	text(".\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// PlotPlan draws the iterations per hour of every method over the number of machines.
func (r *Report) PlotPlan() ([]byte, error) {
	p := r.Planning
	var points []render.Point
	for _, m := range p.Methods {
		for machines := 1; machines <= maxMachines; machines *= 2 {
			points = append(points, render.Point{
				Line: m.Title, X: float64(machines), Y: 3600 / m.Iteration(p.Problem, p.Kind, machines, m.Share).Total(),
			})
		}
	}
	return render.Lines(fmt.Sprintf("Matrix of %s, predicted", size(p.Problem.Bytes())), "Machines", "Iterations per hour", points)
}

// factors returns the rank of the whole factorization.
func (m PlannedMethod) factors() int { return m.Rank * m.Blocks }

// iterationsText writes the number of iterations.
func (m PlannedMethod) iterationsText() string {
	if m.Blocks > 1 {
		return fmt.Sprintf("%d iterations of each factor", m.Iterations)
	}
	return render.Plural(m.Iterations, "iteration")
}

// scalingTable shows the measurements with several threads or processes. Each row has the
// prediction, and the time of a single thread or process.
func (r *Report) scalingTable() render.Table {
	t := render.Table{Head: []string{"", "", "by", "iteration", "alone", "predicted/measured", ""}, Align: "llrrrrl"}
	type key struct{ group, method string }
	alone, most := map[key]float64{}, map[key]float64{}
	for _, m := range r.Measurements {
		k := key{m.Group, m.Case}
		if m.X == 1 {
			alone[k] = m.Median
		}
		most[k] = max(most[k], m.X)
	}
	for _, m := range r.Measurements {
		k := key{m.Group, m.Case}
		if m.Predicted == 0 || m.X == 1 && most[k] > 1 {
			continue
		}
		t.Rows = append(t.Rows, []string{
			m.Group, m.Case, workersOf(m), seconds(m.Median / 1e3), seconds(alone[k] / 1e3), fmt.Sprintf("%.2f", m.PredictionRatio()), m.Note,
		})
	}
	return t
}

// workersOf names the threads or processes of a measurement.
func workersOf(m Measurement) string {
	switch {
	case m.X != 1:
		return fmt.Sprintf("%.0f %s", m.X, m.XName)
	case m.XName == AxisProcesses:
		return "1 process"
	}
	return "1 thread"
}

// messageTable shows the times of messages.
func (r *Report) messageTable() render.Table {
	t := render.Table{Head: []string{"", "time"}, Align: "lr"}
	for _, m := range r.Measurements {
		if m.Group == ExchangeGroup {
			t.Rows = append(t.Rows, []string{m.Case, seconds(m.Median / 1e6)})
		}
	}
	return t
}

// facesTable compares processes with threads.
func (r *Report) facesTable() render.Table {
	t := render.Table{Head: []string{"", "", "time"}, Align: "llr"}
	for _, m := range r.Measurements {
		if m.Group == OneOrMoreGroup {
			t.Rows = append(t.Rows, []string{m.Case, m.Series, seconds(m.Median / 1e3)})
		}
	}
	return t
}

// assumed describes the kind of machine.
func (p *Planning) assumed() string {
	k := p.Kind
	per := func(x float64) string { return render.Number(x) + " GB/s" }
	return fmt.Sprintf(`- processors: %s (%s, %s GFLOP/s in all)
- last cache: %s, read at %s
- memory: %s for M, the state and the factors, at %s
- disk: read at %s, written at %s
- network: %s µs for a short message, %s for a long one
`, k.Name, render.Plural(k.Cores, "core"), render.Number(k.Peak), size(k.Cache*1e9), per(k.FromCache), size(k.Memory*1e9), per(k.Bandwidth), per(k.Read), per(k.Write), render.Number(k.Latency), per(k.Network))
}

// table shows the predictions for a method.
func (p *Planning) table(m PlannedMethod) render.Table {
	t := render.Table{
		Head:  []string{"machines", "M and state of each", "in", "iteration", "of it exchange", "efficiency", "whole run", "machine hours"},
		Align: "rrlrrrrr",
	}
	for machines := 1; machines <= maxMachines; machines *= 4 {
		x := m.Iteration(p.Problem, p.Kind, machines, m.Share)
		whole := m.Whole(p.Problem, p.Kind, machines, m.Share)
		in := "memory"
		if !m.Fits(p.Problem, p.Kind, machines) {
			in = "disk"
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(machines), size(m.Held(p.Problem) / float64(machines)), in, seconds(x.Total()), seconds(x.Exchange),
			percent(p.efficiency(m, machines)), seconds(whole), short(whole * float64(machines) / 3600),
		})
	}
	return t
}

// efficiency returns the parallel efficiency of a method on the given number of machines.
func (p *Planning) efficiency(m PlannedMethod, machines int) float64 {
	return m.Efficiency(p.Problem, p.Kind, machines, m.Share)
}

// verdict states the minimum number of machines that hold M and the state in memory, the
// relative cost of a single machine, and the maximum number of machines with minEfficiency.
func (p *Planning) verdict(m PlannedMethod) string {
	least, pow := 1, 1
	for !m.Fits(p.Problem, p.Kind, least) {
		least++
	}
	for pow < least {
		pow *= 2
	}
	hours := func(machines int) float64 {
		return float64(machines) * m.Whole(p.Problem, p.Kind, machines, m.Share)
	}
	text := fmt.Sprintf("M and the state fit in the memory of %s.", render.Plural(least, "machine"))
	if least > 1 {
		text += fmt.Sprintf(" One machine with its disk takes %s times the machine hours of %d machines.", short(hours(1)/hours(pow)), pow)
	}
	last := pow
	for next := 2 * last; next < 1<<24 && p.efficiency(m, next) >= minEfficiency; next *= 2 {
		last = next
	}
	return text + fmt.Sprintf("\nOn %s machines the efficiency is still at least %s.", count(last), percent(minEfficiency))
}
