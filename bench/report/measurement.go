package report

import (
	"fmt"

	"nmu/bench/internal/stat"
	"nmu/internal/render"
)

// Measurement is one measured quantity. Group, Case, Series and X together
// identify it. All measurements of a group have the same unit.
type Measurement struct {
	Group  string  `json:"group"`       // a section of the report, such as "iterations"
	Case   string  `json:"case"`        // what is measured, such as "rnmu cbcl float64 threads=2"
	Series string  `json:"series"`      // a program or a level
	X      float64 `json:"x,omitempty"` // the size that grows along a series
	XName  string  `json:"x_name,omitempty"`

	Unit         string `json:"unit"`
	HigherBetter bool   `json:"higher_is_better"`
	stat.Stat

	// Limit is the limit of the machine in the same unit, and LimitBy names the measured
	// rate behind it. Ratio is the share of the limit that was reached. Limits holds one limit
	// per sample, if the limit was measured for every sample; Limit is then their median.
	Limit   float64   `json:"limit,omitempty"`
	Limits  []float64 `json:"limits,omitempty"`
	LimitBy string    `json:"limit_by,omitempty"`
	Ratio   float64   `json:"ratio,omitempty"`

	// Predicted is the prediction of package scaling in the same unit, and PredictedBy the
	// resource that bounds it.
	Predicted   float64 `json:"predicted,omitempty"`
	PredictedBy string  `json:"predicted_by,omitempty"`

	Bytes         int64   `json:"bytes,omitempty"`          // size of the matrix, if there is one
	RelativeError float64 `json:"relative_error,omitempty"` // of the factors, if there are any
	Note          string  `json:"note,omitempty"`
}

// LimitShare returns the share of the limit that is reached, or 0 without a limit.
func (m Measurement) LimitShare() float64 {
	if m.Limit <= 0 || m.Median <= 0 {
		return 0
	}
	if m.HigherBetter {
		return m.Over(m.LimitStat())
	}
	return m.LimitStat().Over(m.Stat)
}

// LimitStat returns the limit with its samples.
func (m Measurement) LimitStat() stat.Stat { return stat.Stat{Median: m.Limit, Samples: m.Limits} }

// PredictionRatio returns the prediction over the measurement, or 0 without a prediction.
func (m Measurement) PredictionRatio() float64 {
	if m.Predicted <= 0 || m.Median <= 0 {
		return 0
	}
	return m.Predicted / m.Median
}

// ID identifies the quantity across reports.
func (m Measurement) ID() string {
	return fmt.Sprintf("%s: %s, %s", m.Group, m.Label(), m.Series)
}

// Label returns the case with its size, if it has one.
func (m Measurement) Label() string {
	if m.XName == "" {
		return m.Case
	}
	return fmt.Sprintf("%s %s=%s", m.Case, m.XName, render.Number(m.X))
}
