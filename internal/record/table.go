package record

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// show prints a report as JSON, or its facts and the largest entries for people, with the files that were written to dir.
func show(all any, facts func() render.Facts, top []TopFactor, out io.Writer, asJSON bool, dir string, written []string) error {
	if asJSON {
		return render.WriteJSON(out, all)
	}
	list := facts()
	if len(written) > 0 {
		list.Add("written", "%s in %s", strings.Join(written, ", "), dir)
	}
	if err := list.WriteText(out); err != nil {
		return err
	}
	return writeTop(out, top)
}

// Show prints the report as JSON, or for people with the files that were written to dir.
func (r *Factor) Show(out io.Writer, asJSON bool, dir string, written []string) error {
	return show(r, r.facts, r.Top, out, asJSON, dir, written)
}

// facts returns the lines of the table.
func (r *Factor) facts() (list render.Facts) {
	row := list.Add
	row("input", "%s", r.Matrix.text(&r.Settings))
	if s := r.observed(r.MissingSolver); s != "" {
		row("observed", "%s", s)
	}
	row("method", "%s", r.howText())
	row("start", "%s", r.startText())
	r.numbers(row)
	if x := r.Improved; x != nil && !r.ViolationBound {
		row("improved", "%s with the same zeros, %s by the factor %.4g alone", render.Percent(x.Error), render.Percent(x.ScaledError), x.Scale)
	}
	if s := page.OverExpected(float64(r.Q), r.ExpectedQ); s != "" {
		row("Q / expected", "%s", s)
	}
	if r.Divergence != nil {
		row(page.Named("deviance explained", r.Weighted), "%s", explained(*r.Divergence))
	}
	if steps := r.exactSteps(); lnmu.Choice(r.Settings.Options["feasible"]) == lnmu.FeasibleFinal && steps != nil {
		row("before that", "%s, largest violation %.3g", render.Percent(steps[0].Before), steps[0].Violation)
	}
	row("sparsity of V", "s %s, sh %s", render.Percent(r.SparsityV), render.Percent(r.HoyerV))
	row("sparsity of W", "s %s, sh %s", render.Percent(r.SparsityW), render.Percent(r.HoyerW))
	row("ended by", "%s", r.Stop)
	threads := render.Plural(r.Settings.Threads, "thread")
	if r.Settings.Processes > 1 {
		threads = fmt.Sprintf("%d processes of %s", r.Settings.Processes, threads)
	}
	row("time", "%.3g s, %s, %s kernels, %s", r.Seconds, threads, r.Level, r.Settings.Precision)
	return list
}

// numbers adds rows for the numbers that the list of results labels. Those with a unit are fractions of it. A row lacks
// a number that result.json omits, and one that is infinite. Of methods whose V W need not be below M, violations say
// nothing.
func (r *Factor) numbers(row func(name, format string, args ...any)) {
	most := ""
	if r.ViolationBound {
		most = "at most "
	}
	for _, x := range options.FieldsOf("nmu_result") {
		if x.Label == "" || strings.HasSuffix(x.Name, "_violation") && !r.Settings.description().Underapproximates {
			continue
		}
		value := reflect.ValueOf(r.Result).FieldByName(x.Go)
		member, _ := reflect.TypeOf(r.Result).FieldByName(x.Go)
		if strings.HasSuffix(member.Tag.Get("json"), ",omitempty") && value.IsZero() {
			continue
		}
		switch number := reflect.Indirect(value).Float(); {
		case math.IsInf(number, 1):
		case x.Unit != "":
			row(page.Named(x.Label, r.Weighted), "%s", render.Percent(number))
		case x.Go == "MaxViolation":
			row(x.Label, "%s%.3g", most, number)
		default:
			row(x.Label, "%.5g", number)
		}
	}
}

// explained returns the part of the deviance that V W explains, given the relative divergence.
func explained(divergence outcome.Real) string {
	if math.IsInf(float64(divergence), 1) {
		return "nothing: " + InfiniteDivergence
	}
	return render.Percent(1 - float64(divergence))
}

// InfiniteDivergence is the note on an infinite divergence, which result.json has as null.
const InfiniteDivergence = "the divergence is infinite, since V W is 0 where M is positive"

func (r *Factor) howText() string {
	d, how := r.Settings.description(), &r.Settings
	s := how.Method
	for _, name := range how.Given {
		if name != "block" && name != "inner" { // these follow in words
			s += ", " + strings.ReplaceAll(name, "-", " ") + " " + how.Options[name]
		}
	}
	for _, x := range []struct{ what, file string }{{"fix v", how.FixV}, {"fix w", how.FixW}} {
		if x.file != "" {
			s += ", " + x.what + " " + x.file
		}
	}
	if how.Baseline {
		s += ", baseline"
	}
	if how.Scale != "" {
		s += ", scale " + how.Scale
	}
	s += fmt.Sprintf(", rank %d", r.Rank)
	if r.Rank != how.Rank {
		s += fmt.Sprintf(" of %d", how.Rank)
	}
	if block := how.Options["block"]; d.Recursive && block != "1" {
		s += " in blocks of " + block
	}
	s += ", "
	if len(r.Blocks) == 1 && r.Blocks[0].IterationsDone < how.Iterations {
		s += fmt.Sprintf("%d of ", r.Blocks[0].IterationsDone)
	}
	s += fmt.Sprintf("%d iterations", how.Iterations)
	if d.Recursive {
		s += " each"
	}
	if d.Underapproximates {
		s += ", T = " + how.Options["inner"]
	}
	if r.Revived > 0 {
		s += fmt.Sprintf(", %s re-initialised", render.Plural(r.Revived, "factor"))
	}
	return s
}

func (r *Factor) startText() string {
	how := &r.Settings
	if r.Past > 0 {
		return fmt.Sprintf("%s, whose sums of products now have %s", how.Continued, render.Plural(r.Past, "column"))
	}
	if how.Init != lnmu.InitRandom && how.Init != lnmu.InitNested {
		return how.InitText()
	}
	s := fmt.Sprintf("%s, seed %d", how.Init, r.BestSeed)
	switch runs := render.Plural(how.Restarts, "run"); {
	case r.RestartsFinished == how.Restarts:
		return s + ", the best of " + runs
	case r.RestartsFinished > 0:
		return s + fmt.Sprintf(", the best of the %d that were finished of %s", r.RestartsFinished, runs)
	default:
		return s + fmt.Sprintf(", not finished; %d of %s begun", r.RestartsBegun, runs)
	}
}

// Show prints the report as JSON, or for people with the files that were written to dir.
func (r *Transform) Show(out io.Writer, asJSON bool, dir string, written []string) error {
	return show(r, r.facts, nil, out, asJSON, dir, written)
}

// facts returns the lines of the table.
func (r *Transform) facts() (list render.Facts) {
	row := list.Add
	row("input", "%s, %d x %d", r.Input, r.Rows, r.Cols)
	if s := r.observed(""); s != "" {
		row("observed", "%s", s)
	}
	row("basis", "%s, rank %d", r.Settings.Basis, r.Rank)
	how := r.Settings.Transform
	switch {
	case how.Feasible:
		row("solved", "V W <= M, exactly in floating point, KKT residual %.2g", r.KKT)
	case how.SumToOne:
		row("solved", "columns of W that sum to one, KKT residual %.2g", r.KKT)
	case how.Divergence:
		row("solved", "least divergence, ended by %s, at most %d iterations, KKT residual %.2g", r.Stop, r.IterationsDone, r.KKT)
	default:
		row("solved", "ended by %s, at most %d sweeps, KKT residual %.2g", r.Stop, r.IterationsDone, r.KKT)
	}
	row(page.Named("relative error", r.Weighted), "%s", render.Percent(r.RelativeError))
	if r.Divergence != nil {
		row(page.Named("deviance explained", r.Weighted), "%s", explained(*r.Divergence))
	}
	if how.Feasible {
		row("largest violation", "%.3g", r.MaxViolation)
	}
	row("time", "%.3g s, %s kernels, %s", r.Seconds, r.Level, r.Settings.Precision)
	return list
}
