package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/internal/render"
)

// WriteMarkdown writes a summary: the algorithms and the other programs on every measured
// problem, and the iterations on a sparse matrix.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# nmu-lab bench\n\n%s, up to %s; %s. Medians of %d.\n", r.CPU, render.Plural(r.Threads, "thread"),
		r.Origin.Line(), r.Repetitions)
	for _, p := range []string{subject.CBCL, subject.Swimmer, subject.Dense, subject.MiB, subject.Tiny} {
		if table := r.Markdown(p); table != "" {
			fmt.Fprintf(&b, "\n## %s\n\n%s", p, table)
		}
	}
	if table := r.MarkdownSparse(); table != "" {
		fmt.Fprintf(&b, "\n## sparse\n\n%s", table)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown returns up to three tables of one problem. They show iterations, with the share of
// the limit, and whole jobs; the other programs; and the solvers, also on sparse text.
func (r *Report) Markdown(problem string) string {
	index := r.Index()
	var names, notes []string
	for _, m := range r.Measurements {
		if m.Group != PeerGroup(problem) {
			continue
		}
		if !slices.Contains(names, m.Series) {
			names = append(names, m.Series)
		}
		if note := m.Series + " " + m.Note; m.Series != "nmu" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	algorithms := render.Table{Head: []string{"", "threads"}, Align: "lr"}
	for _, t := range subject.Types {
		algorithms.Head = append(algorithms.Head, string(t)+", iteration", "of the limit", "whole job")
	}
	peers := render.Table{Head: append([]string{fmt.Sprintf("float64, %d threads", r.Threads)}, names...), Align: "lr"}
	for _, method := range subject.Methods {
		for _, threads := range machine.ThreadCounts(r.Threads) {
			var cells []string
			note := ""
			for _, t := range subject.Types {
				name := CaseName(method.Name, t, threads)
				iteration, ok := index.Find(IterationGroup(problem), name)
				whole, also := index.Find(WholeGroup(problem), name)
				if !ok || !also {
					cells = append(cells, "", "", "")
					continue
				}
				cells = append(cells, fmt.Sprintf("%.3g ms", iteration.Median), fmt.Sprintf("%.0f %%", 100*iteration.Ratio), fmt.Sprintf("%.3g s", whole.Median))
				note = whole.Note
			}
			if note != "" {
				algorithms.Rows = append(algorithms.Rows, append([]string{method.Title + ", " + note, fmt.Sprint(threads)}, cells...))
			}
		}
		name := CaseName(method.Name, machine.Float64, r.Threads)
		ours, ok := index.Find(PeerGroup(problem), name)
		if !ok {
			continue
		}
		row := []string{method.Title}
		for _, by := range names {
			theirs, ok := index.FindBy(PeerGroup(problem), name, by)
			switch {
			case !ok:
				row = append(row, "")
			case by == "nmu":
				row = append(row, fmt.Sprintf("%.3g s", theirs.Median))
			default:
				row = append(row, fmt.Sprintf("%.3g s, %.1f x", theirs.Median, theirs.Over(ours.Stat)))
			}
		}
		peers.Rows = append(peers.Rows, row)
	}
	var text string
	if len(algorithms.Rows) > 0 {
		text = algorithms.Markdown()
	}
	if len(peers.Rows) > 0 {
		text += fmt.Sprintf("\n%s\nAll programs get the same data, start and number of iterations. Versions: %s.\n", peers.Markdown(), strings.Join(notes, "; "))
	}
	if solvers := r.markdownSolvers(problem); text != "" && solvers != "" {
		text += "\n" + solvers
	}
	return text
}

// markdownSolvers returns a table of the times of the solvers to the same result. Each solver is
// compared with the first one, the solver of the paper.
func (r *Report) markdownSolvers(problem string) string {
	t := render.Table{Head: []string{fmt.Sprintf("to the same result, float64, %d threads", r.Threads), "default solver", "others"}, Align: "lll"}
	row := map[string]int{} // by group and case
	var first []stat.Stat
	for _, p := range []string{problem, subject.Text} {
		for _, m := range r.Measurements {
			if m.Group != SolverGroup(p) {
				continue
			}
			what := m.Group + m.Case
			text := fmt.Sprintf("%s: %.3g s, error %.2f %%, %s", m.Series, m.Median, 100*m.RelativeError, m.Note)
			i, ok := row[what]
			if !ok {
				row[what] = len(t.Rows)
				first = append(first, m.Stat)
				t.Rows = append(t.Rows, []string{p + ", " + m.Case, text, ""})
				continue
			}
			others := &t.Rows[i][2]
			if *others != "" {
				*others += "; "
			}
			*others += fmt.Sprintf("%s; %.2g of the time", text, m.Over(first[i]))
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}

// MarkdownSparse returns a table of the iterations on a sparse matrix, with their shares of the limit.
func (r *Report) MarkdownSparse() string {
	index := r.Index()
	t := render.Table{Head: []string{"a sparse matrix"}, Align: "l"}
	for _, precision := range subject.Types {
		t.Head = append(t.Head, string(precision)+", iteration", "of the limit", "limit")
	}
	for _, m := range r.Measurements {
		what, ok := strings.CutSuffix(m.Case, SparseCase("", subject.Types[0]))
		if m.Group != SparseGroup || m.Series != "nmu" || !ok {
			continue
		}
		row := []string{what + ", " + m.Note}
		for _, precision := range subject.Types {
			x, ok := index.FindBy(SparseGroup, SparseCase(what, precision), "nmu")
			if !ok {
				row = append(row, "", "", "")
				continue
			}
			row = append(row, fmt.Sprintf("%.3g ms", x.Median), fmt.Sprintf("%.0f %%", 100*x.Ratio), x.LimitBy)
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}
