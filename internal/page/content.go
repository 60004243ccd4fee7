package page

import (
	"regexp"
	"slices"
	"strings"
)

// The words for what a page shows only if it was there.
const (
	showsM        = "M"
	showsRanks    = "comparison of ranks"
	showsPictures = "pictures"
	showsMaps     = "maps"
	showsTrace    = "errors by iteration"
	showsLibrary  = "angles to known spectra"
)

// content lists what the page about a run shows beside what every page does.
func (r *Run) content() []string {
	var list []string
	for _, c := range []struct {
		there bool
		word  string
	}{
		{r.Distance != nil, showsM},
		{r.Choice != nil && len(r.Choice.Points) > 0, showsRanks},
		{r.Image.known(), showsPictures},
		{r.Map.known(), showsMaps},
		{len(r.History) > 0, showsTrace},
		{r.Library != nil, showsLibrary},
	} {
		if c.there {
			list = append(list, c.word)
		}
	}
	return list
}

// contentTag is the place in a page that lists its content.
var contentTag = regexp.MustCompile(`<meta name="nmu-content" content="([^"]*)">`)

// Lacking returns what an earlier page shows and the page about a run would not, in words.
// It is empty if the earlier text is no page of this package.
func Lacking(earlier []byte, run Run) []string {
	tag := contentTag.FindSubmatch(earlier)
	if tag == nil {
		return nil
	}
	now := run.content()
	var lacking []string
	for word := range strings.SplitSeq(string(tag[1]), ", ") {
		if word != "" && !slices.Contains(now, word) {
			lacking = append(lacking, word)
		}
	}
	return lacking
}
