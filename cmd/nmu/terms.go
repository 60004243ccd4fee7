package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// meaning is what a word of the program means.
type meaning struct{ word, text string }

// terms are those that a run prints, writes to result.json or takes as an option, in
// the order in which a reader meets them.
func terms() []meaning {
	return []meaning{
		{"M", "the matrix that is factored, m x n, without negative entries; its columns are the things (images, spectra, documents), its rows what is measured of each (pixels, wavelengths, words)"},
		{"V, basis", "m x r; each column is a part, and looks like a column of M"},
		{"W, weights", "r x n; column j says how much of each part is in column j of M"},
		{"rank, r", "how many parts there are, mostly far below m and n"},
		{"factor", "a column of V with its row of W; their product is a matrix of rank one"},
		{"NMF", "nonnegative matrix factorization: V W near M"},
		{"NMU", "nonnegative matrix underapproximation: V W <= M as well, entry by entry, so that a part may be only where all is that has it"},
		{"residual, R", "M - V W, what the factors leave"},
		{"relative error", "||M - V W|| / ||M||, with the root of the sum of squares for || ||; relative_error in result.json is a fraction, the table has percent"},
		{"violation", "where V W is above M. Largest violation (max_violation): the largest entry of V W - M, in the units of M. Relative violation (relative_violation), also called over: ||max(0, V W - M)|| / ||M||"},
		{"s(V), s(W)", "sparsity_v, sparsity_w: the part of the entries that are zero; an entry below 0.1 % of the largest one of its column of V (row of W) counts as zero"},
		{"sh(V), sh(W)", "hoyer_v, hoyer_w: Hoyer's measure of sparsity, the mean over the columns of V (rows of W): 0 if all entries are equal, 1 if a single one is not zero"},
		{"Lambda", "the multipliers of V W <= M, m x n: they grow where V W is above M, and press it down there"},
		{"N", "M - Lambda, the one matrix that the algorithms of NMU work on"},
		{"HALS", "hierarchical alternating least squares: one column of V or row of W after the other takes its best value while all else stays"},
		{"iteration", "an update of all of V and W; in NMU with one update of Lambda, and --inner T of V and W"},
		{"recursion", "R-NMU: a factor is found, its product is taken from M, the next factor is found in what is left; the first k factors are the answer for rank k. With --block B there are B at a time"},
		{"error_per_rank", "the relative error after each factor or block of a recursion, at the ranks in rank_of_error"},
		{"start, seed", "V and W before the first iteration: random numbers, which the seed settles, the first singular vectors (svd), or those of an earlier run"},
		{"restart", "a run from another start; the one of least error is kept"},
		{"feasible", "V W <= M without any tolerance (--feasible)"},
		{"rho", "the penalty of --solver admm: a larger one brings V W nearer to V W <= M, at a larger error"},
		{"scaled", "the relative error of V W times the best number (--improve)"},
		{"improved", "the relative error after 100 HALS steps that keep the zeros of V and W (--improve)"},
		{"KKT residual", "kkt_residual: how far the best weights are from optimal; 0 is optimal"},
		{"map", "a row of W as an image, where the columns of M are the pixels of one (--map)"},
		{"torn", "said of pictures with jumps between all neighbouring lines, as where --image-order or the size is wrong"},
		{"ended by", "stop in result.json: iterations (all were done), tolerance (--tol), target error, residual (--residual-tol), exact (nothing was left), vanished (nothing but zero is below what is left), time limit, cancelled"},
	}
}

// termsTopic is nmu help terms.
func termsTopic() *cobra.Command {
	const width = 79
	indent := 0
	for _, t := range terms() {
		indent = max(indent, len(t.word)+4)
	}
	var b strings.Builder
	b.WriteString("The words that nmu prints, and those in result.json:\n")
	for _, t := range terms() {
		b.WriteByte('\n')
		line := fmt.Sprintf("  %-*s", indent-2, t.word)
		for _, word := range strings.Fields(t.text) {
			if len(line)+len(word) >= width {
				fmt.Fprintln(&b, strings.TrimRight(line, " "))
				line = strings.Repeat(" ", indent)
			}
			line += word + " "
		}
		b.WriteString(strings.TrimRight(line, " "))
	}
	return &cobra.Command{Use: "terms", Short: "What the words mean: V, W, rank, s, sh, violation, residual", Long: b.String()}
}
