package record

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"nmu/cmd/internal/message"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu"
)

// WriteTable prints the report for people.
func (r *Factor) WriteTable(out io.Writer, dir string, written []string) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, f := range r.facts() {
		fmt.Fprintf(t, "%s\t%s\n", f.Name, render.Printable(f.Value))
	}
	if len(written) > 0 {
		fmt.Fprintf(t, "written\t%s in %s\n", strings.Join(written, ", "), render.Printable(dir))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeTop(out, r.Top)
}

// facts returns the lines of the table.
func (r *Factor) facts() (list []page.Fact) {
	row := func(name, format string, args ...any) {
		list = append(list, page.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	input := r.Input
	if r.Variable != "" {
		input += ", variable " + r.Variable
	}
	if r.Transpose {
		input += ", transposed"
	}
	if r.Entries > 0 {
		row("input", "%s, %d x %d, sparse, %d entries", input, r.Rows, r.Cols, r.Entries)
	} else {
		row("input", "%s, %d x %d", input, r.Rows, r.Cols)
	}
	if s := r.Partial.text(r.Rows, r.Cols); s != "" {
		row("observed", "%s", s)
	}
	row("method", "%s", r.howText())
	row("start", "%s", r.startText())
	row(page.Named("relative error", r.Weighted), "%s", message.Percent(r.RelativeError))
	if r.description().Underapproximates { // of other methods V W need not be below M
		row(page.Named("relative violation", r.Weighted), "%s", message.Percent(r.Violation))
		most := ""
		if r.Bound {
			most = "at most "
		}
		row("largest violation", "%s%.3g", most, r.MaxViolation)
	}
	if x := r.Improved; x != nil && !r.Bound {
		row("improved", "%s with the same zeros, %s by the factor %.4g alone", message.Percent(x.Error), message.Percent(x.ScaledError), x.Scale)
	}
	if r.Q > 0 {
		row("Q", "%.5g", float64(r.Q))
	}
	if s := page.OverExpected(float64(r.Q), r.ExpectedQ); s != "" {
		row("Q / expected", "%s", s)
	}
	if r.RelativeL1 != nil {
		row(page.Named("relative l1 error", r.Weighted), "%s", message.Percent(*r.RelativeL1))
	}
	if r.Divergence != nil {
		row(page.Named("deviance explained", r.Weighted), "%s", explained(*r.Divergence))
	}
	if r.Feasible == lnmu.FeasibleFinal && len(r.FeasibleSteps) > 0 {
		s := r.FeasibleSteps[0]
		row("before that", "%s, largest violation %.3g", message.Percent(s.Before), s.Violation)
	}
	row("sparsity of V", "s %s, sh %s", message.Percent(r.SparsityV), message.Percent(r.HoyerV))
	row("sparsity of W", "s %s, sh %s", message.Percent(r.SparsityW), message.Percent(r.HoyerW))
	row("ended by", "%s", r.Stop)
	threads := render.Plural(r.Threads, "thread")
	if r.Processes > 1 {
		threads = fmt.Sprintf("%d processes of %s", r.Processes, threads)
	}
	row("time", "%.3g s, %s, %s kernels, %s", r.Seconds, threads, r.Level, r.Precision)
	return list
}

// explained returns the part of the deviance that V W explains, given the relative divergence.
func explained(divergence render.Real) string {
	if math.IsInf(float64(divergence), 1) {
		return "nothing: " + InfiniteDivergence
	}
	return message.Percent(1 - float64(divergence))
}

// InfiniteDivergence is the note on an infinite divergence, which result.json has as null.
const InfiniteDivergence = "the divergence is infinite, since V W is 0 where M is positive"

// text describes it for people, and is empty for a complete matrix.
func (p Partial) text(rows, cols int) string {
	var s string
	switch {
	case p.Sparse:
		s = "the stored entries"
	case p.Missing > 0:
		s = fmt.Sprintf("all but %d entries (%s)", p.Missing, message.Percent(float64(p.Missing)/(float64(rows)*float64(cols))))
	case p.Weighted:
		s = "all entries"
	default:
		return ""
	}
	if p.Weighted {
		s += ", with weights"
	}
	if p.Solver == lnmu.MissingExact {
		s += ", solved exactly"
	}
	return s
}

func (r *Factor) howText() string {
	d := r.description()
	s := r.Method
	for _, name := range r.Given {
		if name != "block" && name != "inner" { // these follow in words
			s += ", " + strings.ReplaceAll(name, "-", " ") + " " + r.Options[name]
		}
	}
	for _, x := range []struct{ what, file string }{{"fix v", r.FixV}, {"fix w", r.FixW}} {
		if x.file != "" {
			s += ", " + x.what + " " + x.file
		}
	}
	if r.Baseline {
		s += ", baseline"
	}
	if r.Scale != "" {
		s += ", scale " + r.Scale
	}
	s += fmt.Sprintf(", rank %d", r.Rank)
	if r.Rank != r.RankAsked {
		s += fmt.Sprintf(" of %d", r.RankAsked)
	}
	if d.Recursive && r.Block > 1 {
		s += fmt.Sprintf(" in blocks of %d", r.Block)
	}
	s += fmt.Sprintf(", %d iterations", r.Iterations)
	if d.Recursive {
		s += " each"
	}
	if d.Underapproximates {
		s += fmt.Sprintf(", T = %d", r.Inner)
	}
	if r.Revived > 0 {
		s += fmt.Sprintf(", %s re-initialised", render.Plural(r.Revived, "factor"))
	}
	return s
}

func (r *Factor) startText() string {
	if r.Past > 0 {
		return fmt.Sprintf("%s, whose sums of products now have %s", r.Continued, render.Plural(r.Past, "column"))
	}
	if r.Init != string(lnmu.InitRandom) && r.Init != string(lnmu.InitNested) {
		return r.Init
	}
	s := fmt.Sprintf("%s, seed %d", r.Init, r.BestSeed)
	switch {
	case r.Finished == r.Restarts:
		return s + ", the best of " + render.Plural(r.Restarts, "run")
	case r.Finished > 0:
		return s + fmt.Sprintf(", the best of the %d that were finished of %s", r.Finished, render.Plural(r.Restarts, "run"))
	}
	return s + fmt.Sprintf(", not finished; %d of %s begun", r.Begun, render.Plural(r.Restarts, "run"))
}

// WriteTable prints the report for people.
func (r *Transform) WriteTable(out io.Writer, dir string, written []string) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, render.Printable(fmt.Sprintf(format, args...)))
	}
	row("input", "%s, %d x %d", r.Input, r.Rows, r.Cols)
	if s := r.Partial.text(r.Rows, r.Cols); s != "" {
		row("observed", "%s", s)
	}
	row("basis", "%s, rank %d", r.Basis, r.Rank)
	switch {
	case r.Under:
		row("solved", "V W <= M, exactly in floating point, KKT residual %.2g", r.KKT)
	case r.SumToOne:
		row("solved", "columns of W that sum to one, KKT residual %.2g", r.KKT)
	case r.ByDivergence:
		row("solved", "least divergence, ended by %s, at most %d iterations, KKT residual %.2g", r.Stop, r.Iterations, r.KKT)
	default:
		row("solved", "ended by %s, at most %d sweeps, KKT residual %.2g", r.Stop, r.Iterations, r.KKT)
	}
	row(page.Named("relative error", r.Weighted), "%s", message.Percent(r.RelativeError))
	if r.Divergence != nil {
		row(page.Named("deviance explained", r.Weighted), "%s", explained(*r.Divergence))
	}
	if r.Under {
		row("largest violation", "%.3g", r.MaxViolation)
	}
	row("time", "%.3g s, %s kernels, %s", r.Seconds, r.Level, r.Precision)
	if len(written) > 0 {
		row("written", "%s in %s", strings.Join(written, ", "), dir)
	}
	return t.Flush()
}
