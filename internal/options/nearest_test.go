package options

import (
	"strings"
	"testing"

	"nmu/internal/must"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"rnmu", "rnmu", 0}, {"rnmu", "rnum", 1}, {"rnmu", "rmnu", 1}, {"nmf", "gnmf", 1}, {"abc", "xyz", 3}, {"a", "", 1}, {"svd", "sdvd", 1}, {strings.Repeat("a", 65), "a", 64}} {
		if d := distance(c.a, c.b); d != c.want || distance(c.b, c.a) != d {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, d, c.want)
		}
	}
	for _, c := range []struct{ words, asked, want string }{
		{"nmf gnmu rnmu", "pca", ""}, {"rank iterations seed", "n_components", "rank"}, {"rank iterations", "max_iter", "iterations"},
		{"nmf gnmu snmf kl", "Brunet", "kl"}, {"accelerated hals", "cd", "accelerated"}, {"random svd", "nndsvda", "svd"}, {"info transform", "predict", "transform"}, {"seed restarts", "random_state", "seed"}, {"seed runs", "nrun", "runs"}, {"threads runs", "nrun", "runs"}, {"threads", "nrun", ""}, {"threshold-v sparsity-v", "penalty_v", "threshold-v"}, {"seed", "sede", "seed"},
	} {
		must.Equal(t, Nearest(strings.Fields(c.words), c.asked), c.want, "of", c.words, c.asked, "is nearest to")
	}
}
