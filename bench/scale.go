package bench

import (
	"fmt"

	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/dataset"
	"nmu/internal/render"
	"nmu/lnmu"
)

// measureScale measures strong and weak scaling over threads and processes. Each measurement
// has the prediction of the model. The prediction follows from the share of the peak that a
// method reaches in cache and from the limits of the machine, measured in turn.
func (s *session) measureScale() error {
	rows, cols, rank := scaleRows, scaleCols, scaleRank
	if s.plan.small {
		rows, cols, rank = 256, 30, 3
	}
	s.say("generating a %d x %d matrix", rows, cols)
	data, err := dataset.Random[float64](rows, cols, rank, 1)
	if err != nil {
		return fmt.Errorf("%w: the problem of the part %s: %w", ErrOption, PartScale, err)
	}
	m := lnmu.NewDense(rows, cols, data)
	if s.group != nil {
		if err := s.group.Send(s.ctx, m); err != nil {
			return err
		}
	}
	plan := report.Planning{Kind: s.plan.Kind, Problem: s.plan.Planned}
	for i, method := range subject.Methods {
		r := rank
		if method.Recursive() {
			r = 2
		}
		c, err := s.calibrate(method, r)
		if err != nil {
			return err
		}
		if err := s.scaleThreads(c, m); err != nil {
			return err
		}
		if s.group != nil {
			if err := s.scaleProcesses(c, i, m); err != nil {
				return err
			}
		}
		model, err := method.Model(plan.Problem.Rows, plan.Problem.Cols, scaleRank)
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		plan.Methods = append(plan.Methods, report.PlannedMethod{Title: method.Title, Method: model, Share: c.share})
	}
	if plan.Here, err = s.localKind(s.opts.Threads, float64(8*rows*cols)); err != nil {
		return err
	}
	plan.Here.Name, plan.Here.Cores = s.report.CPU, s.opts.Threads
	s.report.Planning = &plan
	if s.group != nil {
		return s.compareProcesses()
	}
	return nil
}

// barModel is the minimum ratio of prediction and measurement, the smaller over the larger.
const barModel = 0.75

// checkModel checks the worst prediction for each method along each axis.
func (c *checker) checkModel() {
	for _, method := range subject.Methods {
		for _, axis := range []string{report.AxisThreads, report.AxisProcesses} {
			k := report.Check{
				Name: fmt.Sprintf("model/%s/%s", method.Name, axis),
				What: fmt.Sprintf("%s, over %s: prediction and measurement, the less over the other", method.Name, axis), Bar: barModel,
			}
			for _, m := range c.report.Measurements {
				ratio := m.PredictionRatio()
				if m.Case != method.Name || m.XName != axis || ratio == 0 {
					continue
				}
				if near := min(ratio, 1/ratio); k.Value == 0 || near < k.Value {
					k.Value, k.Note = near, fmt.Sprintf("%s, %s %s: %s ms, predicted %s", m.Group, render.Number(m.X), axis, render.Number(m.Median), render.Number(m.Predicted))
				}
			}
			switch {
			case k.Value > 0:
				c.add(k)
			case axis == report.AxisProcesses:
				c.missing(k, "mpirun -n 2 measures it")
			default:
				c.missing(k, "")
			}
		}
	}
}
