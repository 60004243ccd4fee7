package nmu

import (
	"strings"
	"testing"

	"nmu/internal/matio"
)

// TestFormatsPage: the table in docs/command.md has the formats that nmu reads.
func TestFormatsPage(t *testing.T) {
	var want strings.Builder
	for _, f := range matio.FileFormats() {
		name := f.Name
		if f.Help != "" {
			name += " " + f.Help
		}
		files := "`" + strings.Join(f.Extensions, "`, `") + "`"
		if f.Compressed {
			files += ", also compressed by gzip (`" + f.Extensions[0] + ".gz`)"
		}
		if f.Name == "HDF5" { // this program may be built with the tag
			files += "; needs a build with the tag hdf5"
		} else if f.Missing != "" {
			t.Errorf("%s needs %s, and docs/command.md does not say it", f.Name, f.Missing)
		}
		want.WriteString("| " + name + " | " + files + " |\n")
	}
	_, shown, _ := strings.Cut(readPage(t, "docs/command.md"), "\n## Files that nmu reads\n\n| format | files |\n|---|---|\n")
	shown, _, ok := strings.Cut(shown, "\n\n")
	if !ok || shown+"\n" != want.String() {
		t.Errorf("docs/command.md has\n%s\nthe formats are\n%s", shown, &want)
	}
}
