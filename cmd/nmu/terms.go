package main

import (
	"fmt"
	"strings"

	"nmu/cmd/internal/program"
	"nmu/internal/render"
)

// meaning explains a word.
type meaning struct{ word, text string }

// terms returns the words that a run prints, writes to result.json or takes as options, in reading
// order.
func terms() []meaning {
	return []meaning{
		{"M", "the matrix to be factored, m x n, without negative entries; its columns are the samples (images, spectra, documents), its rows the features (pixels, wavelengths, words)"},
		{"V, basis", "m x r; each column is a part, and looks like a column of M"},
		{"W, weights", "r x n; column j holds the weight of each part in column j of M"},
		{"rank, r", "the number of parts, mostly far below m and n"},
		{"factor", "a column of V with its row of W; their product is a matrix of rank one"},
		{"NMF", "nonnegative matrix factorization: V W near M"},
		{"NMU", "nonnegative matrix underapproximation: also V W <= M, entry by entry; so a part is zero wherever a column of M that contains it is zero"},
		{"residual, R", "M - V W"},
		{"relative error", "||M - V W|| / ||M|| in the Frobenius norm; relative_error in result.json is a fraction, the table shows percent. With weights w it is weighted: sqrt(sum w (M - V W)² / sum w M²). Of a matrix with missing entries, errors, violations and norms are those at the observed ones"},
		{"Q", "q in result.json: the weighted sum of squares of M - V W at the observed entries, with the weights as given (1/s² with --uncertainties). Q / expected divides it by expected_q, the number of these entries minus r (m + n - 1), that of the numbers in V and W but for the scale of each part; near 1 for a good fit, if s are the standard deviations of the errors"},
		{"violation", "the excess of V W over M. Largest violation (max_violation): the largest entry of V W - M, in the units of M. Relative violation (relative_violation), also called over: ||max(0, V W - M)|| / ||M||, weighted as the error is"},
		{"s(V), s(W)", "sparsity_v, sparsity_w: the share of zeros; an entry below 0.1 % of the largest one in its column of V or row of W counts as zero"},
		{"sh(V), sh(W)", "hoyer_v, hoyer_w: Hoyer's sparsity, the mean over the columns of V or the rows of W: 0 if all entries are equal, 1 if a single one is not zero"},
		{"Lambda", "the multipliers of V W <= M, m x n: they grow where V W exceeds M, and push it down there"},
		{"N", "M - Lambda, the matrix that the algorithms of NMU work on"},
		{"HALS", "hierarchical alternating least squares: sets one column of V or row of W after another to its best value, and keeps everything else fixed"},
		{"iteration", "an update of V and W; in NMU, T updates of V and W (--inner T) and one of Lambda"},
		{"recursion", "R-NMU: finds a factor, subtracts its product from M, and goes on with the residual; the first k factors are the result for rank k. --block B finds B factors at a time"},
		{"block", "factors of a recursion that are found together; blocks in result.json have the relative error up to each, at its rank"},
		{"start, seed", "V and W before the first iteration: random numbers that the seed determines, the first singular vectors (svd), pure columns of M (spa, snpa), or the factors of an earlier run"},
		{"restart", "a run from another start; the one with the least error is kept"},
		{"feasible", "V W <= M without any tolerance (--feasible)"},
		{"rho", "the penalty of --solver admm: a larger one gives a smaller violation and a larger error"},
		{"scaled", "the relative error after V W is multiplied by the best number (--improve)"},
		{"improved", "the relative error after 100 HALS steps that keep the zeros of V and W (--improve)"},
		{"KKT residual", "kkt in result.json: how far the weights are from optimal; 0 is optimal"},
		{"map", "a row of W as an image, if the columns of M are the pixels of one image (--map)"},
		{"torn", "of a picture: with jumps between all neighbouring lines, because --image-order or the size is wrong"},
		{"ended by", "stop in result.json: iterations (all were done), tolerance (--tolerance), target error, residual (--residual-tolerance), exact (nothing is left of M), vanished (every further factor would be zero), time limit, cancelled"},
	}
}

// termsTopic is nmu help terms.
func termsTopic() *program.Command {
	const width = 78
	indent := 0
	for _, t := range terms() {
		indent = max(indent, len(t.word)+4)
	}
	var b strings.Builder
	b.WriteString("The words in the output of nmu and in result.json:\n")
	for _, t := range terms() {
		text := strings.ReplaceAll(render.Wrap(t.text, width-indent), "\n", "\n"+strings.Repeat(" ", indent))
		fmt.Fprintf(&b, "\n  %-*s%s", indent-2, t.word, text)
	}
	return &program.Command{Use: "terms", Short: "What the words mean: V, W, rank, s, sh, violation, residual", Long: b.String()}
}
