package options

import (
	"strings"
	"testing"
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
	if got := Nearest([]string{"nmf", "gnmu", "rnmu"}, "pca"); got != "" {
		t.Errorf("pca is taken for a slip of %s", got)
	}
}
