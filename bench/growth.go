package bench

import "fmt"

// growthGroup is the group of the measurements along one axis: m, n, r, threads
// or MB, the size of M.
func growthGroup(axis string) string { return "growth in " + axis }

// point is a problem along an axis of growth.
type point struct {
	x       float64
	problem *problem
	threads int
}

// growth measures the time of an iteration as m, n, r and the number of threads
// double.
func (s *session) growth() error {
	rows, cols, rank := 1000, 600, 16
	if s.plan.small {
		rows, cols, rank = 40, 30, 2
	}
	threads := s.machine.Threads
	series := map[string][]point{}
	for _, axis := range []string{"m", "n", "r"} {
		for f := 1; f <= 8; f *= 2 {
			m, n, r, x := rows, cols, rank, 0
			switch axis {
			case "m":
				m *= f
				x = m
			case "n":
				n *= f
				x = n
			case "r":
				r *= f
				x = r
			}
			p, err := generated(fmt.Sprintf("%d x %d", m, n), m, n, r, nil)
			if err != nil {
				return err
			}
			series[axis] = append(series[axis], point{float64(x), p, threads})
		}
	}
	for _, p := range ThreadCounts(threads) {
		series["threads"] = append(series["threads"], point{float64(p), series["m"][2].problem, p})
	}
	for _, axis := range []string{"m", "n", "r", "threads"} {
		for _, method := range methods {
			if axis == "r" && perFactor(method) {
				continue // an iteration is that of one factor
			}
			if err := s.along(axis, method, series[axis]); err != nil {
				return err
			}
		}
	}
	return nil
}

// along measures a method and its limit at every point of an axis, one after the
// other in every repetition.
func (s *session) along(axis string, method benched, points []point) error {
	type place struct {
		problem
		iteration, limit []float64
		limitBy          string
	}
	places := make([]place, len(points))
	for i, at := range points {
		places[i].problem = *at.problem
		if perFactor(method) {
			places[i].rank = 2
		}
	}
	for rep := range s.machine.Repetitions {
		for i, at := range points {
			s.say("%s as %s grows to %g, repetition %d of %d", nameOf(method), axis, at.x, rep+1, s.machine.Repetitions)
			p := &places[i]
			limit, by, err := s.limit(method, p.m.Rows, p.m.Cols, p.rank, Float64, at.threads)
			if err != nil {
				return err
			}
			took, err := p.sample(s.ctx, method.Method, Float64, at.threads, s.iterations(10), s.least)
			if err != nil {
				return err
			}
			p.iteration, p.limit, p.limitBy = append(p.iteration, 1e3*took.iteration), append(p.limit, 1e3*limit), by
		}
	}
	for i, at := range points {
		p := &places[i]
		s.report.Add(Measurement{
			Group: growthGroup(axis), Case: nameOf(method), Series: "nmu", X: at.x, XName: axis,
			Unit: "ms", Stat: NewStat(p.iteration), Limits: p.limit, LimitBy: p.limitBy,
			Bytes: int64(p.bytes(Float64)), Beside: method.beside(p.m.Rows, p.m.Cols, p.rank), Note: p.shape(),
		})
	}
	return nil
}
