package dataset

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// commonEnglish are words that hardly depend on the subject of a text.
var commonEnglish = strings.Fields(`a about above all also an and any are as at be been but by can do does
	each every for from had has have her his if in into is it its may more must no nor not of on only or
	other our out over own shall should so some such than that the their them then there these they this
	those to under up upon use used was we were what when where whether which who will with within without
	would you your`)

// Words returns the words of texts and a words x texts matrix by rows: the square roots of the
// counts. Words in more texts come first. A word is a run of at least three letters, in lower
// case. Words leaves out words in fewer than fewest texts, words in all texts, and common
// English words.
func Words(texts []string, fewest int) (words []string, data []float64) {
	count := map[string][]int{}
	for j, text := range texts {
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if len(w) < 3 || slices.Contains(commonEnglish, w) {
				continue
			}
			if count[w] == nil {
				count[w] = make([]int, len(texts))
			}
			count[w][j]++
		}
	}
	in := map[string]int{} // how many texts
	for w, list := range count {
		for _, n := range list {
			in[w] += min(n, 1)
		}
		if in[w] >= fewest && (in[w] < len(texts) || len(texts) == 1) {
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b)) })
	for _, w := range words {
		for _, n := range count[w] {
			data = append(data, math.Sqrt(float64(n)))
		}
	}
	return words, data
}
