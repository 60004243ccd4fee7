package report

import (
	"fmt"
	"io"
	"strings"

	"nmu/internal/render"
)

// maxMachines is the largest number of machines of a plan.
const maxMachines = 1024

// minEfficiency is the efficiency below which more machines do not pay.
const minEfficiency = 0.5

// WritePlan writes the part scale as Markdown: how the model was checked, and what it
// predicts. The text refers to the picture of PlotPlan by the given name. Without a plan
// WritePlan writes nothing.
func (r *Report) WritePlan(w io.Writer, picture string) error {
	if r.Planning == nil {
		return nil
	}
	p := r.Planning
	var b strings.Builder
	text := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	text("# How it scales\n\n")
	text("How long an iteration takes on more threads, processes and machines: what was\nmeasured, what a model makes of it, and what it predicts for %s on up to %d\nmachines.\n\n    mpirun --bind-to none -n 2 nmu bench --only scale --mpi --out DIR\n\n", size(p.Problem.Bytes()), maxMachines)
	text("made this page (`scale.md`), the plot and their figures (`bench-scale.json`) on\n%s, %s, %s.\n\n", r.CPU, render.Plural(r.Threads, "core"), r.Origin.Line())
	text("%s", `## The model

The longer side of M is shared out over the machines. A machine keeps its part of M, of
the state of the underapproximations and of the factor on that side; all of them keep the
other factor. In a HALS step each goes through its part, the sums H N and H Hᵀ over all
parts are formed along a tree over the machines, and each renews the other factor for
itself. If P is a power of two and the shares are equal, two machines swap their sums at
each level of the tree, so that all have the whole in the end; else it is sent to them,
which takes as many messages again. For an m x n matrix with m >= n, numbers of b bytes,
rank r (of R-NMU 1), T HALS steps in an iteration (of NMF 1) and P machines:

| | operations | bytes of M and the state | messages, one after the other |
|---|---|---|---|
| NMF | 4 m n r | m n b | log2 P, or 2 ⌈log2 P⌉, of (n r + r²) b bytes |
| G-NMU, R-NMU | (4 T + 2) m n r + 2 m n | (T + 2) m n b | T times as many |
| with `+"`--solver admm`"+` | (4 T + 2) m n r + (2 T + 9) m n or less | (2 T + 1) m n b | the same |
| sweeps and Gram matrices of all | T (3 r² + r) (m + n) | 2 T m r b, and a copy | |

A machine does the P-th part of it, but all of what goes with n in the last row. That takes

    operations / (share of the peak) + bytes / bandwidth + messages x latency + their bytes / rate

where of the first two only the longer one counts for R-NMU, which goes through M as it
lies. What a machine does not hold in memory it goes through on its disk (`+"`--memory`"+`), and that
time counts where it is longer. The share of the peak of multiply-adds is what one thread
reaches on a matrix in its second cache:

`)
	text("%s", p.sharesTable().Markdown())
	text("\n## What was measured\n\nMedians of %d. Predicted is what the model makes of these shares and of the peak, the\nbandwidth and the messages that were measured in the same run.\n\n%s", r.Repetitions, r.scalingTable().Markdown())
	if t := r.plainTable(ExchangeGroup); len(t.Rows) > 0 {
		text("\nMessages:\n\n%s", t.Markdown())
	}
	if t := r.plainTable(OneOrMoreGroup); len(t.Rows) > 0 {
		text("\nAn iteration on the faces by processes of one thread, and by one process of as many:\n\n%s", t.Markdown())
	}
	text("\n## A plan\n\nM is %s x %s, float64: %s. The machines are not measured but stated; the shares above\nare taken over. `--plan` and `--kind` plan for another matrix and other machines.\n\n%s",
		count(p.Problem.Rows), count(p.Problem.Cols), size(p.Problem.Bytes()), p.kindTable().Markdown())
	text("\nThe efficiency is the part of the machines' time in which they do what one machine\nthat holds all of M would do.\n")
	for _, m := range p.Methods {
		text("\n### %s, r = %d, %s\n\n%s\n%s\n", m.Title, m.factors(), m.iterationsText(), p.table(m).Markdown(), p.verdict(m))
	}
	text("\n![Iterations in an hour over the number of machines](%s)\n", picture)
	_, err := io.WriteString(w, b.String())
	return err
}

// PlotPlan draws the iterations in an hour of every method over the number of machines.
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
	return render.Lines(fmt.Sprintf("%s, predicted", size(p.Problem.Bytes())), "machines", "iterations in an hour", points)
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

// sharesTable shows the share of the peak that one thread reaches.
func (p *Planning) sharesTable() render.Table {
	t := render.Table{Head: []string{"", "share of the peak"}, Align: "lr"}
	for _, m := range p.Methods {
		t.Rows = append(t.Rows, []string{m.Title, percent(m.Share)})
	}
	return t
}

// scalingTable shows the measurements beside their predictions.
func (r *Report) scalingTable() render.Table {
	t := render.Table{Head: []string{"", "", "by", "iteration", "predicted", "predicted/measured", ""}, Align: "llrrrrl"}
	for _, m := range r.Measurements {
		if m.Predicted == 0 {
			continue
		}
		t.Rows = append(t.Rows, []string{
			m.Group, m.Case, workersOf(m), seconds(m.Median / 1e3), seconds(m.Predicted / 1e3), fmt.Sprintf("%.2f", m.PredictionRatio()), m.Note,
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

// plainTable shows a group of measured times.
func (r *Report) plainTable(group string) render.Table {
	t := render.Table{Head: []string{"", "", "median", ""}, Align: "llrl"}
	for _, m := range r.Measurements {
		if m.Group == group {
			unit := map[string]float64{"ms": 1e-3, "µs": 1e-6}[m.Unit]
			t.Rows = append(t.Rows, []string{m.Case, m.Series, seconds(m.Median * unit), m.Note})
		}
	}
	return t
}

// kindTable states the kind of machine.
func (p *Planning) kindTable() render.Table {
	k := p.Kind
	per := func(x float64) string { return render.Number(x) + " GB/s" }
	return render.Table{Head: []string{"stated", k.Name}, Align: "lr", Rows: [][]string{
		{"cores", fmt.Sprint(k.Cores)},
		{"peak of multiply-adds, all cores", fmt.Sprintf("%s GFLOP/s", render.Number(k.Peak))},
		{"last cache", size(k.Cache * 1e9)},
		{"from it", per(k.FromCache)},
		{"memory for M, the state and the factors", size(k.Memory * 1e9)},
		{"from memory", per(k.Bandwidth)},
		{"from disk", per(k.Read)},
		{"to disk", per(k.Write)},
		{"latency of a message", fmt.Sprintf("%s µs", render.Number(k.Latency))},
		{"rate of a long one", per(k.Network)},
	}}
}

// table shows the predictions for a method.
func (p *Planning) table(m PlannedMethod) render.Table {
	t := render.Table{
		Head:  []string{"machines", "M and state of each", "in", "an iteration", "exchange", "bound by", "efficiency", "the whole", "machine hours"},
		Align: "rrlrrlrr",
	}
	for machines := 1; machines <= maxMachines; machines *= 2 {
		x := m.Iteration(p.Problem, p.Kind, machines, m.Share)
		whole := m.Whole(p.Problem, p.Kind, machines, m.Share)
		in := "memory"
		if !m.Fits(p.Problem, p.Kind, machines) {
			in = "disk"
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(machines), size(m.Held(p.Problem) / float64(machines)), in, seconds(x.Total()), seconds(x.Exchange), x.By(),
			percent(p.efficiency(m, machines)), seconds(whole), short(whole * float64(machines) / 3600),
		})
	}
	return t
}

// efficiency returns the part of the time of the machines that one machine would need.
func (p *Planning) efficiency(m PlannedMethod, machines int) float64 {
	return m.Efficiency(p.Problem, p.Kind, machines, m.Share)
}

// verdict says how many machines hold M in memory, what fewer machines cost, and how many
// machines pay.
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
	text := fmt.Sprintf("From %s on all is in memory.", render.Plural(least, "machine"))
	if least > 1 {
		text += fmt.Sprintf(" One machine with its disk takes %s times the machine hours of %d.", short(hours(1)/hours(pow)), pow)
	}
	last := pow
	for next := 2 * last; next < 1<<24 && p.efficiency(m, next) >= minEfficiency; next *= 2 {
		last = next
	}
	return text + fmt.Sprintf("\nMore of them pay up to %s machines: with twice as many the efficiency is below %s.", count(last), percent(minEfficiency))
}
