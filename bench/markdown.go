package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"nmu/lnmu"
)

// WriteMarkdown writes a summary: the algorithms and the other programs on every
// problem that was measured.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# nmu bench\n\n%s, up to %s; %s. Medians of %d.\n", r.CPU, plural(r.Threads, "thread"),
		origin(r.Date, r.OS, r.Arch, r.Level, r.Go, r.Revision), r.Repetitions)
	for _, p := range []string{problemCBCL, problemSwimmer, problemDense, problemMiB, problemTiny} {
		if table := r.Markdown(p); table != "" {
			fmt.Fprintf(&b, "\n## %s\n\n%s", p, table)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown returns a table of the iterations and whole jobs on one problem, and
// one of the other programs on it, of what was measured. The share is that of the
// limit of the machine.
func (r *Report) Markdown(problem string) string {
	index := r.index()
	var algorithms, peers strings.Builder
	var names, notes []string
	for _, m := range r.Measurements {
		if m.Group != peerGroup(problem) {
			continue
		}
		if !slices.Contains(names, m.Series) {
			names = append(names, m.Series)
		}
		if note := m.Series + " " + m.Note; m.Series != "nmu" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for _, method := range methods {
		for _, threads := range ThreadCounts(r.Threads) {
			var row strings.Builder
			note := ""
			for _, t := range types {
				name := caseName(method, t, threads)
				iteration, ok := index.find(iterationGroup(problem), name)
				whole, also := index.find(wholeGroup(problem), name)
				if !ok || !also {
					continue
				}
				fmt.Fprintf(&row, " %.3g ms | %.0f %% | %.3g s |", iteration.Median, 100*iteration.Ratio, whole.Median)
				note = whole.Note
			}
			if row.Len() > 0 {
				fmt.Fprintf(&algorithms, "| %s, %s | %d |%s\n", title(method), note, threads, row.String())
			}
		}
		name := caseName(method, Float64, r.Threads)
		ours, ok := index.find(peerGroup(problem), name)
		if !ok {
			continue
		}
		fmt.Fprintf(&peers, "| %s |", title(method))
		for _, by := range names {
			theirs, ok := index[caseKey{peerGroup(problem), name, by}]
			switch {
			case !ok:
				peers.WriteString(" |")
			case by == "nmu":
				fmt.Fprintf(&peers, " %.3g s |", theirs.Median)
			default:
				fmt.Fprintf(&peers, " %.3g s, %.1f x |", theirs.Median, theirs.Over(ours.Stat))
			}
		}
		peers.WriteString("\n")
	}
	var b strings.Builder
	if algorithms.Len() > 0 {
		b.WriteString("| | threads | float64, iteration | of the limit | whole job | float32, iteration | of the limit | whole job |\n")
		b.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|\n")
		b.WriteString(algorithms.String())
	}
	if peers.Len() > 0 {
		fmt.Fprintf(&b, "\n| float64, %d threads | %s |\n|---|%s\n%s", r.Threads, strings.Join(names, " | "), strings.Repeat("---:|", len(names)), peers.String())
		fmt.Fprintf(&b, "\nThe same data, start and number of iterations for all: %s.\n", strings.Join(notes, "; "))
	}
	return b.String()
}

// origin says when, where and by what something was computed.
func origin(date time.Time, goos, arch, level, goVersion, revision string) string {
	text := fmt.Sprintf("%s, %s/%s, %s kernels, %s", date.Format(time.DateOnly), goos, arch, level, goVersion)
	if revision != "" {
		text += fmt.Sprintf(", revision %.12s", revision)
	}
	return text
}

// title is the name of a method in a text.
func title(method lnmu.Method) string {
	return map[lnmu.Method]string{lnmu.NMF: rowNMF, lnmu.GNMU: rowGNMU, lnmu.RNMU: rowRNMU}[method]
}
