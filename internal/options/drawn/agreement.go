package drawn

import (
	"context"
	"fmt"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/factors"
)

// Agreement is a comparison of many runs at ranks 2 and 3.
type Agreement struct {
	Method   string
	Settings []Value
}

// Agreements returns comparisons with each way to resample.
func Agreements() []Agreement {
	with := func(runs, way string) []Value {
		s := []Value{{"runs", runs, "whole number"}, {"seed", "7", "whole number"}, {"iterations", "30", "whole number"}}
		if way != "" {
			s = append(s, Value{"resample", way, "word"})
		}
		return s
	}
	return []Agreement{{"nmf", with("6", "columns")}, {"kl", with("5", "poisson")}, {"rnmu", with("4", "")}}
}

// Hashes returns the SHA-256 of V, of the lower and the upper ends of its intervals, of those of W,
// and of the consensus map that Go finds at rank 3.
func (a Agreement) Hashes() ([]string, error) {
	d, err := options.Describe(a.Method)
	if err != nil {
		return nil, err
	}
	var r options.Run
	if err := r.Set(Text(a.Settings), options.Consensus); err != nil {
		return nil, err
	}
	s := compare.Settings{Start: lnmu.Start{Seed: r.Seed}, Limits: lnmu.Limits{Iterations: r.Iterations}, Runs: r.Runs, Resample: compare.Resample(r.Resample)}
	res, err := compare.Stability(context.Background(), Matrix(false), []int{2, 3}, d.Method, &s)
	if err != nil {
		return nil, err
	}
	if len(res.Points) != 2 {
		return nil, fmt.Errorf("%d points", len(res.Points))
	}
	p := res.Points[1]
	var hashes []string
	for _, m := range []lnmu.Dense[float64]{p.V, p.VLow, p.VHigh, p.W, p.WLow, p.WHigh, p.Map} {
		hashes = append(hashes, factors.SHA256(m))
	}
	return hashes, nil
}
