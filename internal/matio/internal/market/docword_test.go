package market_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// A bag of words has a row for each word, with its name if the vocabulary is beside it.
func TestDocword(t *testing.T) {
	const text = "3\n2\n5\n1 2 3\n2 1 1\n2 2 100\n3 1 2\n3 2 5\n"
	for _, name := range []string{"docword.kos.txt", "docword.kos.txt.gz", "any.txt"} {
		content := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			content = matiotest.Gz(t, content)
		}
		path := matiotest.Write(t, name, content)
		matiotest.WantSparse(t, path, "", matiotest.Counts)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "vocab.kos.txt"), []byte("aardvark\nzebra\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		f := matiotest.Open(t, path, matio.Options{})
		if named := slices.Equal(f.RowNames(), []string{"aardvark", "zebra"}); named != (name != "any.txt") {
			t.Errorf("%s: names %q", name, f.RowNames())
		}
		if !strings.Contains(strings.Join(f.Notes(), ""), "a bag of words") {
			t.Errorf("notes %q", f.Notes())
		}
	}
	for _, c := range []struct{ text, want string }{
		{"3\n2\n5\n1 2 3\n2 1 1\n2 2 100\n3 1 2\n", "after 4 of the 5 entries"},
		{"3\n2\n1\n1 2 3\n2 1 1\n", "line 5: more than the 1 entries"},
		{"3\n2\n2\n1 2 3\n4 1 1\n", `line 5: document "4" is not in 1 to 3`},
		{"3\n2\n2\n1 2 3\n2 3 1\n", `line 5: word "3" is not in 1 to 2`},
		{"3\n2\n2\n1 2 3\n2 1 1.5\n", "line 5"},
		{"3\n2\n9000000000000\n1 2 3\n", "after 1 of the 9000000000000 entries"},
	} {
		if _, err := matio.Open(matiotest.Write(t, "docword.x.txt", []byte(c.text)), matio.Options{}); !errors.Is(err, matio.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	path := matiotest.Write(t, "docword.x.txt", []byte("3\n2\n1\n1 2 3\n"))
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "vocab.x.txt"), []byte("one\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := matio.Open(path, matio.Options{}); err == nil || !strings.Contains(err.Error(), "vocab.x.txt has 1 name for 2 words") {
		t.Errorf("%v", err)
	}
}
