package page

import (
	"fmt"
	"math"

	"nmu/internal/options"
	"nmu/lnmu/compare"
)

// choice is the section on the choice of the rank, if ranks were compared.
func (p *page) choice() any {
	if p.Choice == nil || len(p.Choice.Points) == 0 {
		return nil
	}
	c := p.Choice
	data := struct {
		Errors, Agreement *chart
		Rows              []choiceRow
		Compared          string
		Folds             int
		Error, Number     string // in the table, by rank
	}{Folds: c.Folds, Error: Named("error", c.Weighted), Number: Named(relativeError, c.Weighted)}
	if c.Measure == compare.Divergence {
		data.Number = Named(relativeDivergence, c.Weighted)
	}
	switch c.Compared {
	case compare.ComparedRestarts:
		data.Compared = fmt.Sprintf("%d runs from different starts", c.Restarts)
	case compare.ComparedFolds:
		data.Compared = "the runs of the folds"
	}
	for _, point := range c.Points {
		data.Rows = append(data.Rows, choiceRow{point.Rank, point.Rank == c.Advice.Rank, options.Texts(RankColumns(), point, percent)})
	}
	by := func(name, class, field string) curve {
		k := curve{name: name, class: class}
		options.Curve(options.FieldsOf("nmu_rank_point"), c.Points, field, k.add)
		return k
	}
	if curves := drawn(by("in the run", "a", "training_error"), by("held out", "b", "held_out_error").upTo(2)); curves != nil {
		data.Errors = newChart("Lines: the "+data.Number+" by rank, of entries that were held out and of those that were not.", "number of parts", data.Number, short, curves...)
	}
	if curves := drawn(by("stability", "a", "stability"), by("cophenetic correlation", "b", "cophenetic")); curves != nil {
		data.Agreement = newChart("Lines: agreement of the runs, by rank; 1 is best.", "number of parts", "agreement", func(x float64) string { return fmt.Sprintf("%.1f", x) }, curves...)
	}
	return data
}

// advice says which rank is advised, and why.
func (p *page) advice() string {
	c := p.Choice
	switch c.Advice.Rank {
	case 0:
		return Advice(&c.Comparison)
	case p.Rank:
		return fmt.Sprintf("Rank %d, that of this run, is advised: %s.", p.Rank, c.Advice.Reason)
	}
	return fmt.Sprintf("Rank %d is advised, and this run has rank %d: %s.", c.Advice.Rank, p.Rank, c.Advice.Reason)
}

// Advice says which rank a comparison advises, and why.
func Advice(c *compare.Comparison) string {
	if c.Advice.Rank == 0 {
		return "No rank is clear: " + c.Advice.Reason + "."
	}
	return fmt.Sprintf("Rank %d is advised: %s.", c.Advice.Rank, c.Advice.Reason)
}

// choiceRow is a row of the table of ranks.
type choiceRow struct {
	Rank    int
	Advised bool
	Cells   []string // RankColumns
}

// RankColumns returns the fields that a table of compared ranks shows beside the rank.
func RankColumns() []options.Field {
	return options.Pick(options.FieldsOf("nmu_rank_point"), "held_out_error", "standard_error", "training_error", "stability", "cophenetic", "dispersion")
}

// add adds a point, unless y is infinite.
func (k *curve) add(x, y float64) {
	if !math.IsInf(y, 1) { // a divergence may be
		k.x, k.y = append(k.x, x), append(k.y, y)
	}
}

// upTo removes points above times the first one: the error of ranks that are much too large may
// hide all others.
func (k curve) upTo(times float64) curve {
	some := curve{name: k.name, class: k.class}
	for i, y := range k.y {
		if y <= times*k.y[0] {
			some.add(k.x[i], y)
		}
	}
	return some
}

// drawn returns the curves that have points.
func drawn(curves ...curve) (some []curve) {
	for _, k := range curves {
		if len(k.x) > 0 {
			some = append(some, k)
		}
	}
	return some
}
