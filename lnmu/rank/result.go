package rank

import "nmu/lnmu"

// Result is what was found about the ranks, ready for JSON.
type Result struct {
	Method   string `json:"method"`
	Rows     int    `json:"rows"`
	Cols     int    `json:"cols"`
	Observed int    `json:"observed"` // entries of M
	Folds    int    `json:"folds"`    // 1: nothing is held out
	Restarts int    `json:"restarts"` // runs of all that is observed
	Seed     uint64 `json:"seed"`

	// Measure says what Point.Training and HeldOut are: errors, or divergences.
	Measure Measure `json:"measure,omitempty"`

	// NeverHeldOut counts the observed entries that no fold holds out, since its row or
	// column would be left without any.
	NeverHeldOut int `json:"never_held_out,omitempty"`

	// Prefixes says that a run gave the factors of all ranks: the first r are the answer
	// for rank r.
	Prefixes bool `json:"prefixes"`

	// Compared says which runs were compared for Point.Agreement: restarts, or, if there
	// is but one, those of the folds; none of fewer than two.
	Compared Compared `json:"compared,omitempty"`

	// Columns is the number of columns of M that the consensus matrix is of: all, or
	// mostColumns of them, evenly spaced.
	Columns int `json:"consensus_columns,omitempty"`

	Points []Point `json:"points"` // by increasing rank
	Advice Advice  `json:"advice"`

	// Runs counts the runs that were asked for, Finished those that were not cut short.
	// Stop says why, if there are fewer: lnmu.StopTime or lnmu.StopCancelled.
	Runs     int       `json:"runs"`
	Finished int       `json:"runs_finished"`
	Stop     lnmu.Stop `json:"stop,omitempty"`
}

// Compared is what kind of runs were compared.
type Compared string

const (
	Restarts Compared = "restarts" // of all that is observed, from different starts
	Folds    Compared = "folds"    // without what they hold out, from different starts
)

// Measure is what a comparison measures M - V W by.
type Measure string

// Divergence is the Kullback-Leibler divergence D(M | V W), which lnmu.KL minimises. Other
// methods have the Measure "", the Frobenius norm.
const Divergence Measure = "divergence"

// Point is what was found about a rank; nil is what is not finished or not asked for.
type Point struct {
	Rank int `json:"rank"`

	// Training is ||M - V W||_F / ||M||_F over the observed entries, of the best of the
	// runs of all of them, or D(M | V W) over the divergence of M from its mean if
	// Result.Measure is Divergence. With Result.Prefixes that is the best one at the largest rank.
	Training *float64 `json:"training_error,omitempty"`

	HeldOut   *HeldOut   `json:"held_out,omitempty"`
	Agreement *Agreement `json:"agreement,omitempty"`
}

// HeldOut is the error at the entries that a run did not see: the root mean square of
// M - V W there, in parts of the root mean square of M. If Result.Measure is Divergence, it is
// the mean divergence there, in parts of that of the observed entries of M from their mean.
// An entry of V W counts as at least 1 % of that mean there, as the divergence of a count from 0
// is infinite.
type HeldOut struct {
	Mean          float64   `json:"mean"`
	StandardError float64   `json:"standard_error"` // of the mean
	Folds         []float64 `json:"folds"`
}

// Agreement says how far runs from different starts find the same.
type Agreement struct {
	Runs int `json:"runs"`

	// Stability is the mean cosine between the columns of V of two runs that are matched
	// so that it is largest, over all pairs of runs: 1 if all find the same.
	Stability float64 `json:"stability"`

	// Cophenetic and Dispersion are of the consensus matrix, whose entries say in which
	// part of the runs two columns of M belong to the same factor, the one with the
	// largest part in them.
	Cophenetic float64 `json:"cophenetic"`
	Dispersion float64 `json:"dispersion"`
}
