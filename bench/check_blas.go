package bench

import (
	"fmt"
	"strings"

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

// blas is the products of package blas against those of others, and its threads.
func (c *checker) blas() {
	for _, n := range blasSizes {
		for _, other := range []struct {
			name string
			bar  float64
		}{{"gonum", barGemmGonum}, {"numpy", barGemmNumPy}} {
			c.over(Check{
				Name: fmt.Sprintf("blas/%s/gemm/%d", other.name, n),
				What: fmt.Sprintf("Dgemm n=%d, threads=1: %s over nmu", n, other.name), Unit: "x", Bar: other.bar,
			}, caseKey{gemmGroup(Float64, 1), gemmCase(n), other.name}, caseKey{gemmGroup(Float64, 1), gemmCase(n), "nmu"})
		}
		if n >= barGemmFrom {
			c.over(Check{
				Name: fmt.Sprintf("blas/threads/gemm/%d", n),
				What: fmt.Sprintf("Dgemm n=%d: one thread over two", n), Unit: "x", Bar: barGemmTwo,
			}, caseKey{gemmGroup(Float64, 1), gemmCase(n), "nmu"}, caseKey{gemmGroup(Float64, checkThreads), gemmCase(n), "nmu"})
		}
	}
	for _, p := range barPrograms {
		c.over(Check{
			Name: fmt.Sprintf("blas/gonum/%s/%d", p.name, decomposed),
			What: fmt.Sprintf("gonum's %s, n=%d, threads=1: on gonum's BLAS over on nmu's", p.name, decomposed), Unit: "x", Bar: p.bar,
		}, caseKey{groupBLASGonum, p.name, "gonum"}, caseKey{groupBLASGonum, p.name, "nmu"})
	}
	c.smallBLAS()
}

// over adds the check of one time over another.
func (c *checker) over(k Check, theirs, ours caseKey) {
	a, ok := c.index[theirs]
	b, also := c.index[ours]
	if !ok || !also || b.Median <= 0 {
		c.missing(k, c.absent(theirs.series))
		return
	}
	k.Value = a.Over(b.Stat)
	k.Note = strings.TrimSpace(fmt.Sprintf("%s and %s µs; %s", render.Number(a.Median), render.Number(b.Median), a.Note))
	c.add(k)
}

// smallBLAS is the small call that is slowest beside gonum's.
func (c *checker) smallBLAS() {
	k := Check{Name: "blas/small", What: "small calls, threads=1: gonum over nmu, at least", Unit: "x", Bar: barBLASSmall}
	for _, m := range c.report.Measurements {
		theirs, ok := c.index[caseKey{m.Group, m.Case, "gonum"}]
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
