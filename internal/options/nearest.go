package options

import (
	"slices"
	"strings"
)

// elsewhere has the words of scikit-learn, of NMF and RcppML of R, of MATLAB and of the other doors of nmu,
// and the words of nmu for the same: flags and settings, their values, and commands.
var elsewhere = map[string][]string{
	"components": {"rank", "ranks"}, "n-components": {"rank", "ranks"}, "k": {"rank", "ranks"}, "nfactors": {"rank", "ranks"}, "rank": {"ranks"},
	"iters": {"iterations"}, "max-iter": {"iterations"}, "maxit": {"iterations"}, "n-iter": {"iterations"},
	"tol": {"tolerance"}, "eps": {"tolerance"}, "max-time": {"time-limit"},
	"random-state": {"seed"}, "n-init": {"restarts"}, "nrun": {"restarts", "runs"}, "nruns": {"restarts", "runs"}, "replicates": {"restarts"}, "n-runs": {"runs"},
	"ranks": {"rank"}, "algorithm": {"method", "solver"}, "beta-loss": {"method"}, "loss": {"method"},
	"n-jobs": {"threads"}, "cores": {"threads"}, "n-threads": {"threads"}, "output": {"out"}, "outdir": {"out"}, "o": {"out"}, "dtype": {"precision"}, "verbose": {"progress"},
	"alpha-h": {"l2-w", "penalty-w"}, "alpha-w": {"l2-v", "penalty-v"}, "l1": {"penalty-w"}, "l2": {"l2-w"},
	"under": {"feasible"}, "checkpoint": {"checkpoint-every"}, "penalty-v": {"threshold-v"}, "penalty-w": {"threshold-w"},
	"rng": {"seed"}, "pbackend": {"threads"},
	"w-init": {"init"}, "h-init": {"init"}, "mask-zeros": {"sparse-missing"}, "missing-values": {"missing"}, "sample-weight": {"weights"}, "cv": {"folds"}, "nfolds": {"folds"},

	"frobenius": {"nmf"}, "lee": {"nmf"}, "als": {"nmf"}, "ls-nmf": {"nmf"}, "lsnmf": {"nmf"}, "kullback-leibler": {"kl"}, "brunet": {"kl"}, "poisson": {"kl"}, "nsnmf": {"snmf"}, "snmf/r": {"snmf"}, "snmf/l": {"snmf"},
	"cd": {"accelerated"}, "mu": {"multiplicative", "kl"}, "nndsvd": {"svd"}, "nndsvda": {"svd"}, "nndsvdar": {"svd"},

	"nmf": {"factor"}, "fit": {"factor"}, "factorize": {"factor"}, "predict": {"transform"}, "survey": {"rank"},
}

// Foreign returns the words of other programs for a word, in order.
func Foreign(word string) (all []string) {
	for other, words := range elsewhere {
		if slices.Contains(words, word) {
			all = append(all, other)
		}
	}
	slices.Sort(all)
	return all
}

// Nearest returns the word that s stands for in another program, or of which s may be a misspelling, or "".
// At most about a third of its letters may differ.
func Nearest(words []string, s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, "_", "-"))
	for _, w := range elsewhere[s] {
		if slices.Contains(words, w) {
			return w
		}
	}
	best, least := "", 0
	for _, w := range words {
		d := distance(strings.ToLower(w), s)
		if d <= (len(w)+1)/3 && (best == "" || d < least) {
			best, least = w, d
		}
	}
	return best
}

// distance returns the optimal string alignment distance of a and b in bytes: the number of
// insertions, deletions, substitutions and swaps of neighbours that turn a into b. It returns
// 64 if a or b is longer than that. It takes O(len(a) len(b)) time.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var d [longest + 1][longest + 1]int
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			replaced := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			d[i][j] = min(replaced, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
