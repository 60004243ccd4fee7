package bench

import (
	"fmt"

	"nmu/internal/render"
	"nmu/lnmu"
)

// Names of the problems that no cache holds: one with long rows, and the same with
// long columns, whose passes run over a transposed copy.
const (
	problemLarge = "large"
	problemWide  = "wide"
)

// The bars of large problems.
const (
	barLargeNMF  = 0.50 // of the multiply-adds
	barLargeGNMU = 0.45
	barAround    = 2 + 4 // iterations, of what Factor does around them, with the first and the last
	barLargePeer = 2.5   // NumPy over this program
)

// barsLarge are the bars of the iterations of large problems. R-NMU, which is bound by
// the bandwidth, is not measured there: its rates in the memory are those of the
// growth.
var barsLarge = []struct {
	method string
	bar    float64
}{{nameOf(lnmu.NMF{}), barLargeNMF}, {nameOf(lnmu.GNMU{}), barLargeGNMU}}

// isLarge reports whether a problem is one of those.
func isLarge(problem string) bool { return problem == problemLarge || problem == problemWide }

// measuredOn reports whether the method is measured on a problem.
func (b benched) measuredOn(problem string) bool { return !isLarge(problem) || !b.streams }

// aroundGroup is the group of what Factor takes, in iterations, for the first and the
// last of them, which are no measure of one, and for what is around them.
func aroundGroup(problem string) string { return "around the iterations, " + problem }

// large generates a large problem. It takes much memory, and is made when it is
// measured.
func (s *session) large(name string) (*problem, error) {
	rows, cols, rank := 20000, 2000, 20
	if s.plan.small {
		rows, cols, rank = 300, 40, 5
	}
	if name == problemWide {
		rows, cols = cols, rows
	}
	s.say("generating a %d x %d matrix", rows, cols)
	return generated(name, rows, cols, rank, benched.ofFew)
}

// largeAlgorithms measures the methods on the large problems, as algorithms on the
// others.
func (s *session) largeAlgorithms() error {
	for _, name := range []string{problemLarge, problemWide} {
		p, err := s.large(name)
		if err != nil {
			return err
		}
		for _, method := range methods {
			if !method.measuredOn(name) {
				continue
			}
			if err := s.algorithm(p, method); err != nil {
				return err
			}
		}
	}
	return nil
}

// largePeers gives the other programs the large problem.
func (s *session) largePeers(installed []Peer) error {
	p, err := s.large(problemLarge)
	if err != nil {
		return err
	}
	nmf, err := benchedBy(nameOf(lnmu.NMF{}))
	if err != nil {
		return err
	}
	return s.contest(p, p.job(nmf.Method, s.machine.Threads, s.iterations(p.iterations(nmf))), installed)
}

// large is how near large problems come to the limits, and what they cost around the
// iterations.
func (c *checker) large() {
	for _, problem := range []string{problemLarge, problemWide} {
		for _, b := range barsLarge {
			for _, t := range types {
				method, err := benchedBy(b.method)
				if err != nil {
					continue // a bar of a method that is no longer measured
				}
				c.share(problem, method, t, checkThreads, b.bar)
				k := Check{
					Name: fmt.Sprintf("around/%s/%s/%s/%d", b.method, problem, t, checkThreads),
					What: fmt.Sprintf("%s, %s, %s, threads=%d: time of Factor around the iterations, with the first and the last, in iterations", b.method, problem, t, checkThreads),
					Bar:  barAround, AtMost: true,
				}
				m, ok := c.find(aroundGroup(problem), caseName(method, t, checkThreads))
				if !ok {
					c.missing(k, "")
					continue
				}
				k.Value = m.Median
				k.Note = fmt.Sprintf("an iteration takes %s ms", render.Number(c.iteration(problem, method, t)))
				c.add(k)
			}
		}
	}
}

// iteration returns the milliseconds of an iteration.
func (c *checker) iteration(problem string, method benched, t Type) float64 {
	m, _ := c.find(iterationGroup(problem), caseName(method, t, checkThreads))
	return m.Median
}
