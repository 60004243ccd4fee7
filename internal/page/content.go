package page

import (
	"regexp"
	"slices"
	"strings"
)

// content lists the optional contents of the page about a run.
func (r *Run) content() []string {
	var list []string
	for _, c := range []struct {
		there bool
		word  string
	}{
		{r.Distance != nil, "M"},
		{r.Choice != nil && len(r.Choice.Points) > 0, "comparison of ranks"},
		{r.Image.Known(), "pictures"},
		{r.Map.Known(), "maps"},
		{r.checked() != nil, "errors by iteration"},
		{r.Library != nil, "angles to known spectra"},
	} {
		if c.there {
			list = append(list, c.word)
		}
	}
	return list
}

// contentTag matches the element of a page that lists its content.
var contentTag = regexp.MustCompile(`<meta name="nmu-content" content="([^"]*)">`)

// Is says whether a text is a page of this package.
func Is(text []byte) bool { return contentTag.Match(text) }

// Lacking returns the contents of an earlier page that the page about run would lack, as text.
// It is empty if earlier is no page of this package.
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
