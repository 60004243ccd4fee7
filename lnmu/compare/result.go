package compare

import (
	"encoding/json"

	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// Comparison is what the results of both evaluations have, ready for JSON.
type Comparison struct {
	Method   string `json:"method"`
	Rows     int    `json:"rows"`
	Cols     int    `json:"cols"`
	Observed int    `json:"observed"` // entries of M
	Seed     uint64 `json:"seed"`

	// Weighted says that the entries of M have weights, which count in all errors: a mean over
	// entries is a weighted mean.
	Weighted bool `json:"weighted,omitempty"`

	// Measure says what the errors of the points are: errors, or divergences.
	Measure Measure `json:"measure,omitempty"`

	// Columns is the number of columns of M in a consensus map: all, or 1000 of them, evenly
	// spaced (see Mapped).
	Columns int `json:"consensus_columns,omitempty"`

	Advice Advice `json:"advice"`

	// AllRuns counts all runs, and Finished those that were not cut short. If the work ended early,
	// Stop is the reason: outcome.StopTime or outcome.StopCancelled.
	AllRuns  int          `json:"all_runs"`
	Finished int          `json:"runs_finished"`
	Stop     outcome.Stop `json:"stop,omitempty"`

	// Notes are those of all finished runs, as lnmu.Result.Notes, in order and each once. There is one
	// on the ranks whose runs ended at their limit of iterations while the error still fell. Stability adds
	// one for a part that fewer than two runs keep, and one if Poisson resamples a matrix that is not of counts.
	Notes []string `json:"notes,omitempty"`
}

// Measure is the measure of M - V W.
type Measure string

// Divergence is the Kullback-Leibler divergence D(M | V W), which lnmu.KL minimises. Other methods
// have the Measure "", the Frobenius norm.
const Divergence Measure = "divergence"

// Advice is the recommended rank, and the reason.
type Advice struct {
	// Rank is the recommended rank, 0 if none is clear. Stability recommends the largest rank whose
	// parts recur. HeldOut recommends OneStandardError, or Elbow if nothing was held out. If the
	// ranks end before the held-out error shows where to stop, it recommends Elbow if the elbow is
	// clear, and the stability falls from there or was not measured there.
	Rank int `json:"rank"`

	// Least is the rank of the least held-out error. OneStandardError is the smallest rank
	// whose held-out error is at most the least one plus its standard error (L. Breiman and
	// others, Classification and regression trees, 1984, section 3.4.3). Both are 0 if nothing
	// was held out.
	Least            int `json:"least,omitempty"`
	OneStandardError int `json:"one_standard_error,omitempty"`

	// Elbow is the rank at which the curve of the training error lies farthest below the
	// line between its ends, when both axes have length 1 (V. Satopää and others, Finding
	// a "kneedle" in a haystack, 2011); 0 if there is none.
	Elbow int `json:"elbow,omitempty"`

	// AtEnd is true if the held-out error is least at the largest rank that was tried, or at
	// the one before it. A larger rank may then be better.
	AtEnd bool `json:"at_end,omitempty"`

	Reason string `json:"reason"` // in words
}

// HeldOutResult is the result of HeldOut.
type HeldOutResult struct {
	Comparison
	Folds    int `json:"folds"`    // 1: nothing is held out
	Restarts int `json:"restarts"` // runs of all observed entries

	// NeverHeldOut counts the observed entries that no fold holds out, because their row or
	// column would be left without any.
	NeverHeldOut int `json:"never_held_out,omitempty"`

	// Prefixes says that a run gave the factors of all ranks: the first r are the answer
	// for rank r.
	Prefixes bool `json:"prefixes"`

	// Compared says which runs were compared for Agreement: restarts or, if there is only one,
	// the runs of the folds. It is empty if there are fewer than two runs.
	Compared Compared `json:"compared,omitempty"`

	Points []HeldOutPoint `json:"points"` // by increasing rank
}

// Compared is the kind of runs that HeldOut compared.
type Compared string

const (
	ComparedRestarts Compared = "restarts" // of all observed entries, from different starts
	ComparedFolds    Compared = "folds"    // without the held-out entries, from different starts
)

// HeldOutPoint is the result of HeldOut for a rank. A pointer is nil if its part is not finished
// or not asked for.
type HeldOutPoint struct {
	Rank int `json:"rank"`

	// Training is ||M - V W||_F / ||M||_F over the observed entries, for the best of the runs
	// of all of them. If Measure is Divergence, it is D(M | V W) over the divergence of M from
	// its mean. With Prefixes the best run is the one at the largest rank.
	Training *float64 `json:"training_error,omitempty"`

	HeldOut   *FoldErrors `json:"held_out,omitempty"`
	Agreement *Agreement  `json:"agreement,omitempty"`
}

// FoldErrors are the errors at the entries that a run did not see: the root mean square of M - V W
// there, divided by that of M. If Measure is Divergence, an error is the mean divergence there,
// divided by the mean divergence of the observed entries of M from their mean. An entry of V W
// then counts as at least 1 % of that mean, because the divergence of a count from 0 is infinite.
type FoldErrors struct {
	Mean          float64   `json:"mean"`
	StandardError float64   `json:"standard_error"` // of the mean
	Folds         []float64 `json:"folds"`
}

// Agreement says how far runs from different starts find the same factors.
type Agreement struct {
	Runs int `json:"runs"`

	// Stability is the mean cosine between matched columns of V of two runs, over all pairs of
	// runs. The matching makes it largest. It is 1 if all runs find the same.
	Stability float64 `json:"stability"`

	// Cophenetic and Dispersion are properties of the consensus map. Its entries are the
	// shares of the runs in which two columns of M belong to the same factor. A column
	// belongs to the factor with the largest part in it.
	Cophenetic float64 `json:"cophenetic"`
	Dispersion float64 `json:"dispersion"`

	// Map is the consensus map. It is empty without Settings.Consensus.
	Map lnmu.Dense[float64] `json:"-"`
}

// StabilityResult is the result of Stability, ready for JSON but for its matrices.
type StabilityResult[T lnmu.Float] struct {
	Comparison
	Resample Resample `json:"resample,omitempty"`
	Level    float64  `json:"level"`
	Runs     int      `json:"runs"`

	Points []StabilityPoint[T] `json:"points"` // by increasing rank
}

// StabilityPoint is the result of Stability for a rank.
type StabilityPoint[T lnmu.Float] struct {
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
	// of its own matrix. If Measure is Divergence, they are relative divergences.
	Error    float64 `json:"error"`
	RunError float64 `json:"run_error"`

	// Cophenetic and Dispersion are properties of Map, as in Agreement.
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
func (p StabilityPoint[T]) MarshalJSON() ([]byte, error) {
	type point StabilityPoint[T]
	return json.Marshal(struct {
		point
		Error    outcome.Real `json:"error"`
		RunError outcome.Real `json:"run_error"`
	}{point(p), outcome.Real(p.Error), outcome.Real(p.RunError)})
}
