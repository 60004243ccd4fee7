package bench

import (
	"fmt"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/internal/render"
)

// limit measures the limit of the machine at this moment. It returns the minimum seconds of
// one iteration and the name of the rate that determines them.
func (s *session) limit(method subject.Method, rows, cols, rank int, t machine.Type, threads int) (seconds float64, by string, err error) {
	cost := method.Cost(rows, cols, rank, t)
	if !method.Streams {
		peak, err := machine.PeakRate(s.ctx, s.probe, t, threads)
		if err != nil {
			return 0, "", err
		}
		return cost.Operations() / (1e9 * peak), "multiply-adds", nil
	}
	set := max(2*rows*cols*t.Size(), threads*machine.MinWorkingSet)
	bandwidth, err := machine.ReadRate(s.ctx, s.probe, set, threads)
	if err != nil {
		return 0, "", err
	}
	by = fmt.Sprintf("%s read, %s", s.report.Limits.Holding(int64(set), threads), render.Bytes(set))
	return (cost.Read + cost.Written) / (1e9 * bandwidth), by, nil
}
