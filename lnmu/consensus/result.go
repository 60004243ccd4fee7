package consensus

import (
	"encoding/json"
	"math"

	"nmu/lnmu"
)

// Result is the result of Find, ready for JSON but for its matrices.
type Result[T lnmu.Float] struct {
	Method      string   `json:"method"`
	Rows        int      `json:"rows"`
	Cols        int      `json:"cols"`
	Observed    int      `json:"observed"` // entries of M
	Weighted    bool     `json:"weighted,omitempty"`
	Resample    Resample `json:"resample,omitempty"`
	Seed        uint64   `json:"seed"`
	Level       float64  `json:"level"`
	RunsPerRank int      `json:"runs_per_rank"`

	// Measure says what Point.Error and RunError are: errors, or divergences.
	Measure Measure `json:"measure,omitempty"`

	// Columns is the number of columns of M in a consensus map: all, or 1000 of them, evenly
	// spaced.
	Columns int `json:"consensus_columns,omitempty"`

	Points []Point[T] `json:"points"` // by increasing rank
	Advice Advice     `json:"advice"`

	// Runs counts all runs, and Finished those that were not cut short. If there are fewer,
	// Stop is the reason: lnmu.StopTime or lnmu.StopCancelled.
	Runs     int       `json:"runs"`
	Finished int       `json:"runs_finished"`
	Stop     lnmu.Stop `json:"stop,omitempty"`

	// Notes are those of all finished runs, as lnmu.Result.Notes, in order and each once, those about ranks
	// whose runs ended at their limit of iterations while the error still fell, and those about parts that fewer
	// than two runs keep.
	Notes []string `json:"notes,omitempty"`
}

// Measure is the measure of M - V W.
type Measure string

// Divergence is the relative divergence of M from V W, which lnmu.KL minimises. Other methods have
// the Measure "", the relative error.
const Divergence Measure = "divergence"

// Point is the result for a rank.
type Point[T lnmu.Float] struct {
	Rank int `json:"rank"`
	Runs int `json:"runs"` // that are compared

	// Stability is the mean of Silhouettes: 1 if the parts of all runs are the same, and about 0
	// if parts that are matched differ as much as others.
	Stability float64 `json:"stability"`

	// Silhouettes are the mean silhouettes of the parts, by the distance 1 - cosine between
	// columns of V. Kept counts the runs whose part is no outlier.
	Silhouettes []float64 `json:"silhouettes"`
	Kept        []int     `json:"kept"`

	// Error is the relative error of V W, and RunError the median of those of the runs, each
	// of its own matrix. If Result.Measure is Divergence, they are relative divergences.
	Error    float64 `json:"error"`
	RunError float64 `json:"run_error"`

	// Cophenetic and Dispersion are properties of Map, as in rank.Agreement.
	Cophenetic float64 `json:"cophenetic"`
	Dispersion float64 `json:"dispersion"`

	// Q is the weighted sum of squares of M - V W, and RunQ the least one of the runs, each of its own
	// matrix. ExpectedQ is the expectation if the weights are the reciprocals of the squares of
	// independent errors. Without weights all are 0.
	Q         float64 `json:"q,omitempty"`
	RunQ      float64 `json:"run_q,omitempty"`
	ExpectedQ float64 `json:"expected_q,omitempty"`

	// V (m x r) holds the medians of the parts of all runs but outliers, columns with the sum 1.
	// W (r x n) are the weights for them, fitted to M, by gnmu and rnmu under V W <= M. The parts come
	// in the order of decreasing weights. A part that no run keeps is NaN, comes last, and is not in
	// V W; without any other part V W is 0.
	V lnmu.Dense[T] `json:"-"`
	W lnmu.Dense[T] `json:"-"`

	// The entry of V or W lies between Low and High, and so does the share Level of the entries
	// of the runs that count. They are NaN for a part that fewer than two runs keep.
	VLow  lnmu.Dense[T] `json:"-"`
	VHigh lnmu.Dense[T] `json:"-"`
	WLow  lnmu.Dense[T] `json:"-"`
	WHigh lnmu.Dense[T] `json:"-"`

	// Map is the consensus map: for each pair of columns of M, the share of the runs in which
	// both belong to the same part. A column belongs to the part that is largest in it.
	Map lnmu.Dense[T] `json:"-"`
}

// MarshalJSON implements json.Marshaler. JSON has no infinity: a divergence that is infinite, since V W is 0
// where M is positive, is null.
func (p Point[T]) MarshalJSON() ([]byte, error) {
	finite := func(x float64) *float64 {
		if math.IsInf(x, 1) {
			return nil
		}
		return &x
	}
	type point Point[T]
	return json.Marshal(struct {
		point
		Error    *float64 `json:"error"`
		RunError *float64 `json:"run_error"`
	}{point(p), finite(p.Error), finite(p.RunError)})
}

// Advice is the recommended rank, and the reason.
type Advice struct {
	Rank   int    `json:"rank"` // 0 if none is clear
	Reason string `json:"reason"`
}
