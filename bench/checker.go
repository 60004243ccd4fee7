package bench

import (
	"strings"

	"nmu/bench/report"
)

// noise is the relative tolerance of a bar that asks for equal times.
const noise = 0.03

// barsThreads is the number of threads of the bars.
const barsThreads = 2

// checker collects checks.
type checker struct {
	report.Index
	report *report.Report
	checks []report.Check
}

// add appends a check that was measured.
func (c *checker) add(k report.Check) {
	switch {
	case k.AtMost && k.Value == 0:
		k.Ratio = 1
	case k.AtMost:
		k.Ratio = k.Bar / k.Value
	default:
		k.Ratio = k.Value / k.Bar
	}
	k.Verdict = report.FallsShort
	if k.Ratio >= 1-k.Noise {
		k.Verdict = report.Meets
	}
	c.checks = append(c.checks, k)
}

// missing appends a check for which there is no number.
func (c *checker) missing(k report.Check, why string) {
	k.Verdict, k.Note = report.Unmeasured, why
	c.checks = append(c.checks, k)
}

// absent returns a text if a note of the report says that the peer is not installed, else "".
func (c *checker) absent(peer string) string {
	for _, n := range c.report.Notes {
		if strings.Contains(n, "not installed: "+peer+":") {
			return peer + " is not installed"
		}
	}
	return ""
}
