// Package stat summarises repeated measurements of one quantity and compares two summaries,
// with the statistics of golang.org/x/perf/benchmath.
package stat

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// confidence is the confidence level of every interval.
const confidence = 0.95

// Stat summarises repeated measurements of one quantity without assuming a
// distribution.
type Stat struct {
	Samples []float64 `json:"samples"` // in the order measured
	Median  float64   `json:"median"`

	// Low and High bound the median with the given Confidence: at least 95 % for six
	// samples and more. With fewer samples they are the extremes.
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`

	// Spread is the difference of the extremes over the median.
	Spread float64 `json:"spread"`
}

// New summarises a copy of the samples. Without samples the Stat is zero.
func New(samples []float64) Stat {
	if len(samples) == 0 {
		return Stat{}
	}
	s := Stat{Samples: slices.Clone(samples)}
	sorted := benchSample(samples)
	lo, hi := sorted.Values[0], sorted.Values[len(samples)-1]
	sum := benchmath.AssumeNothing.Summary(sorted, confidence)
	s.Median, s.Low, s.High, s.Confidence = sum.Center, sum.Lo, sum.Hi, sum.Confidence
	if math.IsInf(s.Low, 0) || math.IsInf(s.High, 0) {
		s.Low, s.High = lo, hi
		s.Confidence = 1 - math.Ldexp(2, -len(samples)) // that the median is between the extremes
	}
	if s.Median != 0 {
		s.Spread = (hi - lo) / math.Abs(s.Median)
	}
	return s
}

// Over returns s over other. If both have the same number of samples, the result is the
// median of the ratios sample by sample: a slow repetition cancels if both were measured in
// turn. Otherwise it is the ratio of the medians.
func (s Stat) Over(other Stat) float64 {
	if len(s.Samples) != len(other.Samples) || len(s.Samples) == 0 {
		return s.Median / other.Median
	}
	ratios := make([]float64, len(s.Samples))
	for i, x := range s.Samples {
		ratios[i] = x / other.Samples[i]
	}
	return New(ratios).Median
}

// benchSample copies samples for benchmath.
func benchSample(samples []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(samples), &benchmath.DefaultThresholds)
}

// Change is the difference between two measurements of one quantity.
type Change struct {
	// Ratio is the new median over the old one. Low and High are its extremes as both
	// medians move through their intervals.
	Ratio, Low, High float64
	// P is the probability of samples at least as different if nothing changed
	// (Mann-Whitney U test).
	P float64
	// Significant is whether P is below 5 %. Fewer than four samples on each
	// side can never be significant.
	Significant bool
}

// Compare returns the change from old to new. A side without samples, or an old median of
// zero, gives a Change with P = 1 and a Ratio that is not a number.
func Compare(old, new Stat) Change {
	if len(old.Samples) == 0 || len(new.Samples) == 0 || old.Median == 0 {
		return Change{Ratio: math.NaN(), Low: math.NaN(), High: math.NaN(), P: 1}
	}
	c := benchmath.AssumeNothing.Compare(benchSample(old.Samples), benchSample(new.Samples))
	return Change{
		Ratio: new.Median / old.Median,
		Low:   new.Low / old.High, High: new.High / old.Low,
		P: c.P, Significant: c.P < c.Alpha,
	}
}
