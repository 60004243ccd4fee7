package rank

import "nmu/lnmu"

// Result is the result of Curve, ready for JSON.
type Result struct {
	Method   string `json:"method"`
	Rows     int    `json:"rows"`
	Cols     int    `json:"cols"`
	Observed int    `json:"observed"` // entries of M
	Folds    int    `json:"folds"`    // 1: nothing is held out
	Restarts int    `json:"restarts"` // runs of all observed entries
	Seed     uint64 `json:"seed"`

	// Weighted says that the entries of M have weights, which count in all errors: a mean over
	// entries is a weighted mean.
	Weighted bool `json:"weighted,omitempty"`

	// Measure says what Point.Training and HeldOut are: errors, or divergences.
	Measure Measure `json:"measure,omitempty"`

	// NeverHeldOut counts the observed entries that no fold holds out, because their row or
	// column would be left without any.
	NeverHeldOut int `json:"never_held_out,omitempty"`

	// Prefixes says that a run gave the factors of all ranks: the first r are the answer
	// for rank r.
	Prefixes bool `json:"prefixes"`

	// Compared says which runs were compared for Point.Agreement: restarts or, if there is only
	// one, the runs of the folds. It is empty if there are fewer than two runs.
	Compared Compared `json:"compared,omitempty"`

	// Columns is the number of columns of M in the consensus matrix: all, or mostColumns of
	// them, evenly spaced.
	Columns int `json:"consensus_columns,omitempty"`

	Points []Point `json:"points"` // by increasing rank
	Advice Advice  `json:"advice"`

	// Runs counts all runs, and Finished those that were not cut short. If there are fewer,
	// Stop is the reason: lnmu.StopTime or lnmu.StopCancelled.
	Runs     int       `json:"runs"`
	Finished int       `json:"runs_finished"`
	Stop     lnmu.Stop `json:"stop,omitempty"`

	// Notes are those of all finished runs, as lnmu.Result.Notes, in order and each once.
	Notes []string `json:"notes,omitempty"`
}

// Compared is the kind of runs that were compared.
type Compared string

const (
	Restarts Compared = "restarts" // of all observed entries, from different starts
	Folds    Compared = "folds"    // without the held-out entries, from different starts
)

// Measure is the measure of M - V W in a comparison.
type Measure string

// Divergence is the Kullback-Leibler divergence D(M | V W), which lnmu.KL minimises. Other
// methods have the Measure "", the Frobenius norm.
const Divergence Measure = "divergence"

// Point is the result for a rank. A pointer is nil if its part is not finished or not asked
// for.
type Point struct {
	Rank int `json:"rank"`

	// Training is ||M - V W||_F / ||M||_F over the observed entries, for the best of the runs
	// of all of them. If Result.Measure is Divergence, it is D(M | V W) over the divergence of
	// M from its mean. With Result.Prefixes the best run is the one at the largest rank.
	Training *float64 `json:"training_error,omitempty"`

	HeldOut   *HeldOut   `json:"held_out,omitempty"`
	Agreement *Agreement `json:"agreement,omitempty"`
}

// HeldOut is the error at the entries that a run did not see: the root mean square of M - V W
// there, divided by that of M. If Result.Measure is Divergence, it is the mean divergence
// there, divided by the mean divergence of the observed entries of M from their mean. An entry
// of V W then counts as at least 1 % of that mean, because the divergence of a count from 0 is
// infinite.
type HeldOut struct {
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

	// Cophenetic and Dispersion are properties of the consensus matrix. Its entries are the
	// fractions of the runs in which two columns of M belong to the same factor. A column
	// belongs to the factor with the largest part in it.
	Cophenetic float64 `json:"cophenetic"`
	Dispersion float64 `json:"dispersion"`

	// Consensus is the consensus matrix of Result.Columns columns of M, evenly spaced if there are
	// more. It is empty without Settings.Consensus.
	Consensus lnmu.Dense[float64] `json:"-"`
}
