package bench

import (
	"fmt"
	"strings"

	"nmu/internal/isa"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Verdict says how a measured number stands to its bar.
type Verdict string

// The verdicts.
const (
	Meets      Verdict = "meets"
	FallsShort Verdict = "falls short"
	Unmeasured Verdict = "not measured"
)

// Check is one requirement with the number that was measured for it.
type Check struct {
	Name    string  `json:"name"` // the same in all reports; see Report.Check
	What    string  `json:"what"` // in words
	Unit    string  `json:"unit,omitempty"`
	Value   float64 `json:"value"`
	Bar     float64 `json:"bar"`
	AtMost  bool    `json:"at_most"`         // whether the bar is an upper one
	Noise   float64 `json:"noise,omitempty"` // the share by which the bar may be missed, where it asks for equality
	Ratio   float64 `json:"ratio"`           // how far the bar is met: at least 1 if it is
	Verdict Verdict `json:"verdict"`
	Note    string  `json:"note,omitempty"`
}

// The bars. Shares are those of the measured limit.
const (
	barBandwidth   = 0.85 // R-NMU, of the bandwidth
	barPrecision   = 1.8  // float64 over float32
	barDouble      = 0.65 // NMF and G-NMU in float64, of the multiply-adds
	barNarrow      = 0.77 // the same where AVX-512 is no faster than AVX2
	barSingle      = 0.60 // in float32
	barThreads     = 1.85 // two threads against one, large matrices
	barSmall       = 1.0  // small matrices
	barWidth       = 0.9  // rate of a kernel on long rows over that on short ones
	barGrowth      = 1.0  // growth of time over growth of work
	barPeakFactor  = 2.1  // of the matrix
	barPeakBytes   = 64e6 // and as much more
	barAllocations = 0

	// noise is the share by which equal times may differ from run to run: a bar
	// that asks for no more than equality is met within it.
	noise = 0.03
	// largest is the size up to which growth and memory are to be shown.
	largest = 4e9
	// checkThreads is the number of threads that the bars are about.
	checkThreads = 2
)

// barPeers are the bars of whole jobs: time of a peer over time of this program.
var barPeers = []struct {
	peer    string
	method  lnmu.Method
	problem string
	bar     float64
}{
	{"gonum", lnmu.NMF{}, problemCBCL, 12}, {"gonum", lnmu.GNMU{}, problemCBCL, 9}, {"gonum", lnmu.RNMU{}, problemCBCL, 5.5},
	{"numpy", lnmu.NMF{}, problemCBCL, 3}, {"numpy", lnmu.GNMU{}, problemCBCL, 3.8}, {"numpy", lnmu.RNMU{}, problemCBCL, 9},
	{"scikit-learn", lnmu.NMF{}, problemCBCL, 2.5},
	{"numpy", lnmu.NMF{}, problemLarge, barLargePeer},
}

// Check compares the measurements of the report with the bars that this program
// has set itself, and stores and returns the result. What was not measured is
// said to be so. The names of the bars are
//
//	limit/METHOD/PROBLEM/TYPE/THREADS         share of the limit of an iteration
//	around/METHOD/PROBLEM/TYPE/THREADS        time of the first and last iteration and around, in iterations
//	precision/rnmu/cbcl/THREADS               float64 over float32
//	threads/METHOD/PROBLEM/TYPE               one thread over two
//	peer/PEER/METHOD/PROBLEM/float64/THREADS  another program over this one
//	solver/METHOD/PROBLEM                     the default solver over the other
//	growth/AXIS/METHOD                        of time over that of the work
//	memory/METHOD/MB, memory/METHOD/wide/MB   most memory of a process
//	width/KERNEL/TYPE/COLUMNS                 rate on long rows over that on short ones
//	allocations                               per iteration
//	sparse/METHOD/RANK/TYPE                   an iteration over a plain pass
//	blas/PEER/gemm/N, blas/gonum/PROGRAM/N    gonum or NumPy over this one
//	blas/threads/gemm/N                       one thread over two
//	blas/small                                the small call that is slowest beside gonum's
//	model/METHOD/AXIS                         prediction and measurement, the less over the other
//	processes/METHOD/cbcl                     two processes of one thread over one of two
func (r *Report) Check() []Check {
	c := &checker{report: r, index: r.index()}
	c.shares()
	c.large()
	c.threads()
	c.widths()
	c.peers()
	c.solvers()
	c.growth()
	c.peak()
	c.allocations()
	c.sparse()
	c.blas()
	c.model()
	c.processes()
	r.Checks = c.checks
	return c.checks
}

// checker collects checks.
type checker struct {
	index
	report *Report
	checks []Check
}

// add appends a check that was measured.
func (c *checker) add(k Check) {
	switch {
	case k.AtMost && k.Value == 0:
		k.Ratio = 1
	case k.AtMost:
		k.Ratio = k.Bar / k.Value
	default:
		k.Ratio = k.Value / k.Bar
	}
	k.Verdict = FallsShort
	if k.Ratio >= 1-k.Noise {
		k.Verdict = Meets
	}
	c.checks = append(c.checks, k)
}

// missing appends a check for which there is no number.
func (c *checker) missing(k Check, why string) {
	k.Verdict, k.Note = Unmeasured, why
	c.checks = append(c.checks, k)
}

// absent says that a peer is not installed, if a note of the report does.
func (c *checker) absent(peer string) string {
	for _, n := range c.report.Notes {
		if strings.Contains(n, "not installed: "+peer+":") {
			return peer + " is not installed"
		}
	}
	return ""
}

// share is how near an iteration comes to its limit.
func (c *checker) share(problem string, method benched, t Type, threads int, bar float64) {
	k := Check{
		Name: fmt.Sprintf("limit/%s/%s/%s/%d", nameOf(method), problem, t, threads),
		What: fmt.Sprintf("%s, %s, %s, threads=%d: of the limit", nameOf(method), problem, t, threads), Unit: "%", Bar: 100 * bar,
	}
	m, ok := c.find(iterationGroup(problem), caseName(method, t, threads))
	if !ok || m.Limit <= 0 {
		c.missing(k, "")
		return
	}
	k.Value = 100 * m.share()
	k.Note = fmt.Sprintf("%s ms, limit %s ms (%s)", render.Number(m.Median), render.Number(m.Limit), m.LimitBy)
	c.add(k)
}

// shares is how near the faces come to the limits.
func (c *checker) shares() {
	group := iterationGroup(problemCBCL)
	precision := func(method benched, threads int) {
		k := Check{
			Name: fmt.Sprintf("precision/%s/cbcl/%d", nameOf(method), threads),
			What: fmt.Sprintf("%s, cbcl, threads=%d: float64 over float32", nameOf(method), threads), Unit: "x", Bar: barPrecision,
		}
		d, ok := c.find(group, caseName(method, Float64, threads))
		f, also := c.find(group, caseName(method, Float32, threads))
		if !ok || !also {
			c.missing(k, "")
			return
		}
		k.Value = d.Over(f.Stat)
		k.Note = fmt.Sprintf("%s and %s ms", render.Number(d.Median), render.Number(f.Median))
		c.add(k)
	}
	for _, method := range methods {
		if method.streams {
			c.share(problemCBCL, method, Float64, checkThreads, barBandwidth)
			precision(method, checkThreads)
			precision(method, 1)
			c.share(problemCBCL, method, Float64, 1, barBandwidth)
		}
	}
	for _, method := range methods {
		if !method.streams {
			c.share(problemCBCL, method, Float64, checkThreads, c.double())
			c.share(problemCBCL, method, Float32, checkThreads, barSingle)
		}
	}
}

// double is the bar of the iterations in float64. Registers of twice the width
// that multiply and add at the same rate need data twice as fast.
func (c *checker) double() float64 {
	lim := &c.report.Limits
	wide, err := lim.Peak(isa.AVX512, Float64, 1)
	narrow, also := lim.Peak(isa.AVX2, Float64, 1)
	if err == nil && also == nil && wide < 1.5*narrow {
		return barNarrow
	}
	return barDouble
}

// threads is two threads against one, for every problem.
func (c *checker) threads() {
	for _, p := range []string{problemCBCL, problemLarge, problemWide, problemDense, problemMiB, problemSwimmer, problemTiny} {
		for _, method := range methods {
			if !method.measuredOn(p) {
				continue
			}
			for _, t := range types {
				k := Check{
					Name: fmt.Sprintf("threads/%s/%s/%s", nameOf(method), p, t),
					What: fmt.Sprintf("%s, %s, %s: one thread over two", nameOf(method), p, t), Unit: "x", Bar: barThreads,
				}
				one, ok := c.find(iterationGroup(p), caseName(method, t, 1))
				two, also := c.find(iterationGroup(p), caseName(method, t, checkThreads))
				if ok && one.Bytes < largeBytes {
					k.Bar, k.Noise = barSmall, noise
				}
				if !ok || !also {
					c.missing(k, "")
					continue
				}
				k.Value = one.Over(two.Stat)
				k.Note = fmt.Sprintf("%s, %s and %s ms", render.Bytes(one.Bytes), render.Number(one.Median), render.Number(two.Median))
				if one.Limit > 0 && two.Limit > 0 {
					k.Note += fmt.Sprintf("; of the limits %s x", render.Number(one.limits().Over(two.limits())))
				}
				c.add(k)
			}
		}
	}
}

// peers is whole jobs of other programs against those of this one.
func (c *checker) peers() {
	for _, b := range barPeers {
		group := peerGroup(b.problem)
		name := caseName(b.method, Float64, c.report.Threads) // the same for all
		k := Check{
			Name: fmt.Sprintf("peer/%s/%s/%s/%s/%d", b.peer, nameOf(b.method), b.problem, Float64, c.report.Threads),
			What: fmt.Sprintf("%s, %s, float64, threads=%d: %s over nmu", nameOf(b.method), b.problem, c.report.Threads, b.peer), Unit: "x", Bar: b.bar,
		}
		ours, ok := c.find(group, name)
		theirs, also := c.index[caseKey{group, name, b.peer}]
		if !ok || !also || theirs.Median <= 0 {
			c.missing(k, c.absent(b.peer))
			continue
		}
		k.Value = theirs.Over(ours.Stat)
		k.Note = fmt.Sprintf("%s and %s s; relative errors %.4f and %.4f %%; %s",
			render.Number(theirs.Median), render.Number(ours.Median), 100*theirs.RelativeError, 100*ours.RelativeError, theirs.Note)
		if m, ok := c.find(iterationGroup(b.problem), name); ok && m.Limit > 0 {
			k.Note += fmt.Sprintf("; %s x if every iteration took no longer than its limit", render.Number(k.Value/m.share()))
		}
		c.add(k)
	}
}

// growth is, along every axis, the most that time grew over the growth of the
// work, between neighbours that the same part of the memory holds.
func (c *checker) growth() {
	for _, axis := range []string{"m", "n", "r", "MB"} {
		for _, method := range methods {
			if axis == "r" && perFactor(method) {
				continue // an iteration is that of one factor
			}
			work := "mnr"
			if perFactor(method) {
				work = "mn"
			}
			k := Check{
				Name: fmt.Sprintf("growth/%s/%s", axis, nameOf(method)),
				What: fmt.Sprintf("%s as %s grows: growth of time over that of %s", nameOf(method), axis, work), Bar: barGrowth, Noise: noise, AtMost: true,
			}
			if axis == "MB" {
				k.What = fmt.Sprintf("%s up to a matrix of 4 GB: growth of time over that of %s", nameOf(method), work)
			}
			var last *Measurement
			top := 0.0
			for _, m := range c.report.Measurements {
				if m.Group != growthGroup(axis) || m.Case != nameOf(method) || m.Median <= 0 {
					continue
				}
				if last != nil && c.held(method, *last) == c.held(method, m) {
					ratio := m.Over(last.Stat) / (m.X / last.X)
					if ratio > k.Value {
						k.Value = ratio
						k.Note = fmt.Sprintf("most from %s=%s to %s (%s and %s ms)", axis, render.Number(last.X), render.Number(m.X), render.Number(last.Median), render.Number(m.Median))
						if m.Limit > 0 && last.Limit > 0 {
							k.Note += fmt.Sprintf("; that of the limit %s", render.Number(m.limits().Over(last.limits())/(m.X/last.X)))
						}
						if m.Beside > last.Beside {
							k.Note += fmt.Sprintf("; with the sweeps and Gram matrices the operations grow by %s", render.Number((1+m.Beside)/(1+last.Beside)))
						}
					}
				}
				last = &m
				top = m.X
			}
			switch {
			case k.Value == 0:
				c.missing(k, "")
			case axis == "MB" && top*1e6 < largest*0.99:
				note := fmt.Sprintf("up to %s MB: %.3f; --size 4GB goes on", render.Number(top), k.Value)
				k.Value = 0
				c.missing(k, note)
			default:
				c.add(k)
			}
		}
	}
}

// held names the part of the memory that holds what an iteration works on: M
// and, but for NMF, N.
func (c *checker) held(method benched, m Measurement) Set {
	bytes := m.Bytes
	if method.Describe().Underapproximates {
		bytes *= 2
	}
	return c.report.Limits.Holding(bytes, c.report.Threads)
}

// peak is the most memory of every process that was measured.
func (c *checker) peak() {
	found := false
	for _, m := range c.report.Measurements {
		if m.Group != groupPeak {
			continue
		}
		found = true
		c.add(Check{
			Name: fmt.Sprintf("memory/%s/%s", strings.ReplaceAll(m.Case, ", ", "/"), render.Number(m.X)),
			What: fmt.Sprintf("%s, matrix of %s MB: peak memory", m.Case, render.Number(m.X)), Unit: "MB",
			Value: m.Median, Bar: (barPeakFactor*float64(m.Bytes) + barPeakBytes) / 1e6, AtMost: true, Note: m.Note,
		})
	}
	if !found {
		c.missing(Check{Name: "memory", What: "peak memory", Unit: "MB"}, "")
	}
}

// allocations is the most of all methods, problems, precisions and numbers of
// threads.
func (c *checker) allocations() {
	k := Check{Name: "allocations", What: "allocations per iteration, at most", Bar: barAllocations, AtMost: true}
	cases := 0
	for _, m := range c.report.Measurements {
		if m.Group != groupAllocations {
			continue
		}
		cases++
		if m.Median > k.Value {
			k.Value, k.Note = m.Median, m.Case
		}
	}
	if cases == 0 {
		c.missing(k, "")
		return
	}
	if k.Note == "" {
		k.Note = fmt.Sprintf("in all of %d cases", cases)
	}
	c.add(k)
}
