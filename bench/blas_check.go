package bench

import (
	"fmt"
	"strings"

	"nmu/bench/internal/machine"
	"nmu/bench/report"
	"nmu/internal/render"
)

// The bars of package blas: time of another program over time of this one.
const (
	barGemmGonum = 5    // gonum, one thread
	barGemmNumPy = 0.7  // OpenBLAS, one thread
	barGemmTwo   = 1.7  // one thread over two, from barGemmFrom up
	barBLASSmall = 0.95 // gonum, whatever the size
	barGemmFrom  = 1024
)

// barPrograms are the bars of gonum's programs.
var barPrograms = []struct {
	name string
	bar  float64
}{{"mul", 5}, {"qr", 2}, {"lu", 2}}

// checkBLAS compares products of package blas with other programs, and one thread with two.
func (c *checker) checkBLAS() {
	one := gemmGroup(machine.Float64, 1)
	for _, n := range blasSizes {
		for _, other := range []struct {
			name string
			bar  float64
		}{{"gonum", barGemmGonum}, {"numpy", barGemmNumPy}} {
			c.over(report.Check{
				Name: fmt.Sprintf("blas/%s/gemm/%d", other.name, n),
				What: fmt.Sprintf("Dgemm n=%d, threads=1: %s over nmu", n, other.name), Unit: "x", Bar: other.bar,
			}, one, gemmCase(n), other.name, one)
		}
		if n >= barGemmFrom {
			c.over(report.Check{
				Name: fmt.Sprintf("blas/threads/gemm/%d", n),
				What: fmt.Sprintf("Dgemm n=%d: one thread over two", n), Unit: "x", Bar: barGemmTwo,
			}, one, gemmCase(n), "nmu", gemmGroup(machine.Float64, barsThreads))
		}
	}
	for _, p := range barPrograms {
		c.over(report.Check{
			Name: fmt.Sprintf("blas/gonum/%s/%d", p.name, decomposed),
			What: fmt.Sprintf("gonum's %s, n=%d, threads=1: on gonum's BLAS over on nmu's", p.name, decomposed), Unit: "x", Bar: p.bar,
		}, groupBLASGonum, p.name, "gonum", groupBLASGonum)
	}
	c.smallBLAS()
}

// over checks the time of a case by a series over the time of this program in group ours.
func (c *checker) over(k report.Check, group, name, series, ours string) {
	a, ok := c.FindBy(group, name, series)
	b, also := c.FindBy(ours, name, "nmu")
	if !ok || !also || b.Median <= 0 {
		c.missing(k, c.absent(series))
		return
	}
	k.Value = a.Over(b.Stat)
	k.Note = strings.TrimSpace(fmt.Sprintf("%s and %s µs; %s", render.Number(a.Median), render.Number(b.Median), a.Note))
	c.add(k)
}

// smallBLAS checks the small call with the lowest speed relative to gonum.
func (c *checker) smallBLAS() {
	k := report.Check{Name: "blas/small", What: "small calls, threads=1: gonum over nmu, at least", Unit: "x", Bar: barBLASSmall}
	for _, m := range c.report.Measurements {
		theirs, ok := c.FindBy(m.Group, m.Case, "gonum")
		if m.Group != groupBLASSmall || m.Series != "nmu" || m.Median <= 0 || !ok {
			continue
		}
		if x := theirs.Over(m.Stat); k.Note == "" || x < k.Value {
			k.Value, k.Note = x, fmt.Sprintf("%s: %s and %s µs", m.Case, render.Number(theirs.Median), render.Number(m.Median))
		}
	}
	if k.Note == "" {
		c.missing(k, "")
	} else {
		c.add(k)
	}
}
