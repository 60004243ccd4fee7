package page

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nmu/internal/render"
	"nmu/lnmu/outcome"
)

// title returns the title of the page.
func (p *page) title() string {
	return fmt.Sprintf("%s in %s", filepath.Base(filepath.ToSlash(p.Input)), render.Plural(p.Rank, "part"))
}

// answer returns what the run has found in a few sentences.
func (p *page) answer() []string {
	verb, share, of := "explain", 1-float64(p.RelativeError*p.RelativeError), p.named("sum of squares")
	if p.Rank == 1 {
		verb += "s"
	}
	if p.Divergence != nil {
		share, of = 1-float64(*p.Divergence), p.named("deviance")
	}
	list := []string{fmt.Sprintf("%s %s %s of the %s.", render.Plural(p.Rank, "part"), verb, percent(max(0, share)), p.observed(of+" of M"))}
	if p.Choice != nil && len(p.Choice.Points) > 0 {
		list = append(list, p.advice())
	}
	return list
}

// lead returns the sentences about the run at the top of the page.
func (p *page) lead() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A matrix M of %s and %s, factored by %s, %s: M ≈ V W. ",
		render.Plural(p.Rows, "row"), render.Plural(p.Cols, "column"), strings.ToUpper(p.Method.Name), p.Method.Title)
	if p.Rank == 1 {
		b.WriteString("The column of V is the part. The row of W holds its weight in each column of M.")
	} else {
		fmt.Fprintf(&b, "The %d columns of V are the parts. The rows of W hold their weights in each column of M.", p.Rank)
	}
	switch {
	case p.Image.Known():
		fmt.Fprintf(&b, " Every column of M is a picture of %d × %d pixels, and so is every part.", p.Image.Height, p.Image.Width)
	case p.spectral():
		fmt.Fprintf(&b, " Every column of M is the spectrum of a pixel of an image of %d × %d, and every part is a spectrum.", p.Map.Height, p.Map.Width)
	case p.Map.Known():
		fmt.Fprintf(&b, " Every column of M is a pixel of an image of %d × %d.", p.Map.Height, p.Map.Width)
	}
	return b.String()
}

// keyFigure is a number at the top of the page.
type keyFigure struct {
	Name, Text string
	Value      float64
	Says       string
}

// Named returns the name of a number about M - V W: weighted, if the squares had weights.
func Named(name string, weighted bool) string {
	if weighted {
		return "weighted " + name
	}
	return name
}

// named returns the name of a number of the run.
func (p *page) named(name string) string { return Named(name, p.Weighted) }

// observed says where something holds, if not all entries count.
func (p *page) observed(what string) string {
	if p.Missing {
		what += " at the observed entries"
	}
	return what
}

// norm says of what a norm is taken, and where.
func (p *page) norm(of string) string { return p.named("norm of ") + p.observed(of) }

// OverExpected writes Q over its expectation, or nothing if V and W have more numbers than M.
func OverExpected(q, expected float64) string {
	if expected > 0 {
		return fmt.Sprintf("%.3g", q/expected)
	}
	return ""
}

// summary makes the section of the results.
func (p *page) summary() any {
	var figures []keyFigure
	if d := p.Divergence; d != nil && !math.IsInf(float64(*d), 1) {
		figures = append(figures, keyFigure{headline(p.named("deviance explained")), percent(1 - float64(*d)), 1 - float64(*d), "of the " + p.observed(p.named("deviance of M")) + " from its mean, which was minimised"})
	}
	figures = append(figures, keyFigure{headline(p.named(relativeError)), percent(p.RelativeError), p.RelativeError, "the " + p.norm("M − V W") + ", relative to that of M"})
	if p.Method.Underapproximates { // of other methods V W need not be below M
		figures = append(figures, keyFigure{"Above M", percent(p.RelativeViolation), p.RelativeViolation, "the " + p.norm("the excess of V W over M") + ", relative to that of M"})
	}
	if text := OverExpected(float64(p.Q), p.ExpectedQ); text != "" {
		figures = append(figures, keyFigure{"Q / expected", text, float64(p.Q) / p.ExpectedQ, fmt.Sprintf("Q, the weighted sum of squares of %s, is %s; near 1 for a good fit, if the weights are 1/s² for errors of standard deviation s", p.observed("M − V W"), render.Number(float64(p.Q)))})
	}
	figures = append(figures,
		keyFigure{"Zeros in V", percent(p.SparsityV), p.SparsityV, "entries below 0.1 % of the largest one of their part count as zero"},
		keyFigure{"Zeros in W", percent(p.SparsityW), p.SparsityW, "entries below 0.1 % of the largest weight of their part count as zero"})
	return struct {
		Figures  []keyFigure
		Findings []string
		Notes    []string
	}{figures, p.findings(), sentences(p.Notes)}
}

// sentences returns notes as sentences.
func sentences(notes []string) []string {
	list := make([]string, len(notes))
	for i, s := range notes {
		list[i] = headline(s) + "."
	}
	return list
}

// headline returns a text that begins with a capital.
func headline(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// findings returns sentences about the results.
func (p *page) findings() []string {
	var list []string
	say := func(format string, args ...any) {
		list = append(list, strings.ReplaceAll(fmt.Sprintf(format, args...), "V W", "V\u00a0W"))
	}

	if p.RelativeError == 0 {
		say("%s.", p.observed("V W equals M"))
	} else {
		say("The %s is %s of that of M, and its square %s of that of M.", p.norm("M − V W"), percent(p.RelativeError), percent(float64(p.RelativeError*p.RelativeError)))
	}
	if p.RelativeL1 != nil {
		say("In the %s, the sum of absolute values, which was minimised, it is %s.", p.observed(p.named("l1 norm")), percent(*p.RelativeL1))
	}
	if p.Divergence != nil {
		if d := float64(*p.Divergence); math.IsInf(d, 1) {
			say("The %s from V W, which was minimised, is infinite: V W is 0 where M is positive.", p.observed(p.named("divergence of M")))
		} else {
			say("Of the %s from its mean, which was minimised, V W explains %s.", p.observed(p.named("deviance of M")), percent(1-d))
		}
	}
	exceeds := "at most"
	if p.ViolationBound {
		exceeds = "at most perhaps"
	}
	switch {
	case p.MaxViolation <= 0:
		say("%s: the residual is nonnegative after each part is subtracted.", p.observed("V W never exceeds M"))
	case p.Method.Underapproximates:
		say("V W should stay below M. It exceeds M by %s %s, which is %s of the largest entry of M.", exceeds, render.Number(p.MaxViolation), percent(p.MaxViolation/p.LargestEntry))
	default:
		say("V W exceeds M by %s %s; this method allows that.", exceeds, render.Number(p.MaxViolation))
	}
	if blocks := p.blocks(); len(blocks) > 1 {
		n := len(blocks)
		half := slices.IndexFunc(blocks, func(b outcome.Block) bool { return 2*b.Rank >= p.Rank })
		if half < 0 { // nothing was left of M before
			half = n - 1
		}
		var words []string
		for _, i := range slices.Compact([]int{0, half, n - 1}) {
			words = append(words, fmt.Sprintf("%s with %s", percent(blocks[i].Error), render.Plural(blocks[i].Rank, "part")))
		}
		say("The parts were found one after the other: the %s is %s. The first k of them are the result for rank k.", p.named("error"), strings.Join(words, ", "))
	}
	say("Hoyer's sparsity is 0 if all entries are equal and 1 if one entry is not zero. It is %s for the parts and %s for their weights.", percent(p.HoyerV), percent(p.HoyerW))
	if p.Rank < p.RankAsked {
		say("Of the requested %s, %d were found: the run was ended by %s.", render.Plural(p.RankAsked, "part"), p.Rank, p.Stop)
	} else if p.Stop == outcome.StopIterations {
		say("The run made all its iterations.")
	} else {
		say("The run was ended by: %s.", p.Stop)
	}
	return list
}

// What a curve is of.
const (
	relativeError      = "relative error"
	relativeDivergence = "relative divergence"
)

// errorsData is the data of the section of the error by rank and by iteration.
type errorsData struct {
	Rank, Iteration *chart
	Rows            []outcome.Block
	L1              bool
	Recursive       bool
	Error, Number   string // by the number of parts, by iteration
}

// errors makes the section of the error by rank and by iteration.
func (p *page) errors() any {
	if data := p.errorCharts(); data.Rank != nil || data.Iteration != nil {
		return data
	}
	return nil
}

// errorCharts returns the errors that are known.
func (p *page) errorCharts() errorsData {
	data := errorsData{Recursive: p.Method.Recursive, L1: p.RelativeL1 != nil, Error: p.named(relativeError), Number: p.named(relativeError)}
	if p.Divergence != nil {
		data.Number = p.named(relativeDivergence)
	}
	if data.Rows = p.blocks(); len(data.Rows) > 0 {
		curves := []curve{{name: data.Error, class: "a"}, {name: "in the norm l1", class: "b"}}
		for _, b := range data.Rows {
			curves[0].add(float64(b.Rank), b.Error)
			curves[1].add(float64(b.Rank), b.L1)
		}
		if !data.L1 {
			curves = curves[:1]
		}
		label := fmt.Sprintf("Line: the %s by the number of parts, from %s to %s.", data.Error, percent(data.Rows[0].Error), percent(data.Rows[len(data.Rows)-1].Error))
		data.Rank = newChart(label, "number of parts", data.Error, short, curves...)
	}
	trace := p.trace()
	if len(trace.x) > 1 {
		trace.name, trace.class = data.Number, "a"
		label := fmt.Sprintf("Line: the %s by iteration, from %s to %s.", data.Number, percent(trace.y[0]), percent(trace.y[len(trace.y)-1]))
		data.Iteration = newChart(label, "iteration", data.Number, short, trace.thinned())
	}
	return data
}

// trace returns the curve of the error by iteration. It has every check of every block, and the
// error at the end of the block, which may come between two checks.
func (p *page) trace() (trace curve) {
	begin, every := 0, max(1, p.CheckEvery)
	for _, b := range p.checked() {
		for k, e := range b.History {
			trace.add(float64(begin+(k+1)*every), e)
		}
		last := p.RelativeError
		if p.Method.Recursive {
			last = b.Error
		} else if p.Divergence != nil {
			last = float64(*p.Divergence)
		}
		begin += b.IterationsDone
		if b.IterationsDone > len(b.History)*every {
			trace.add(float64(begin), last)
		}
	}
	return trace
}

// thinned returns the curve with at most mostPoints points.
func (c curve) thinned() curve {
	t := curve{name: c.name, class: c.class}
	for _, i := range render.Thin(len(c.y), mostPoints, func(i int) float64 { return c.y[i] }) {
		t.add(c.x[i], c.y[i])
	}
	return t
}

// short writes a fraction for an axis.
func short(x float64) string { return render.Number(100*x) + " %" }
