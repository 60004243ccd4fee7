package options

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
)

func TestParseRanks(t *testing.T) {
	for text, want := range map[string][]int{
		"2:5": {2, 3, 4, 5}, "7": {7}, "1:20:5": {1, 6, 11, 16}, "2:4,9, 12": {2, 3, 4, 9, 12}, "2:4 9 12": {2, 3, 4, 9, 12}, "3:3": {3}, fmt.Sprintf("1:20:%d", math.MaxInt): {1}, "5,2": {5, 2},
	} {
		must.EqualSlices(t, must.Get(ParseRanks(text, 20))(t), want, text)
	}
	for text, says := range map[string]string{
		"": "such as 2:20", ",": "such as 2:20", "0": "such as", "5:2": "such as", "2:": "such as", "1:2:3:4": "such as", "a": "such as", "-3": "such as", "1:4:0": "such as",
		"1:1000000000": "rank 1000000000 is too large; choose 1 to 20", "2,21": "choose 1 to 20", "1:20,1": "more than 20 ranks", "1:10 1:11": "more than 20 ranks",
	} {
		if got, err := ParseRanks(text, 20); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
