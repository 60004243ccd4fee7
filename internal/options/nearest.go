package options

import "strings"

// Nearest returns the word of which s may be a misspelling, or "". At most about a third of
// its letters may differ.
func Nearest(words []string, s string) string {
	best, least := "", 0
	for _, w := range words {
		d := distance(strings.ToLower(w), strings.ToLower(s))
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
