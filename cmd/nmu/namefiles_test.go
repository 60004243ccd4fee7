package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/must"
)

// Names come from a column of a file, which may be compressed, and the run that was resumed or
// reported has them too.
func TestNameColumns(t *testing.T) {
	m := textFile(t, "m.csv", "1,2,3\n3,5,1\n")
	path := filepath.Join(filepath.Dir(m), "features.tsv.gz")
	file := must.Get(os.Create(path))(t)
	z := gzip.NewWriter(file)
	z.Write([]byte("ENSG1\tACTB\tGene\nENSG2\tCD3\tGene\n"))
	z.Close()
	file.Close()
	cols := textFile(t, "samples.csv", "\"s1\",x\ns2,y\ns3,z\n")
	out := filepath.Join(t.TempDir(), "out")
	succeed(t, "factor", m, "--rank", "1", "--iterations", "5", "--row-names", path+":2", "--col-names", cols+":1", "--write", "csv", "--out", out)
	contains(t, readText(t, out, "V.csv"), "\nACTB,", "\nCD3,")
	if w := readText(t, out, "W.csv"); !strings.HasPrefix(w, ",s1,s2,s3\n") {
		t.Errorf("W.csv %q", w)
	}
	fails(t, []string{"--row-names", "line 1", "it has 3 columns, and column 4 is asked for"}, "factor", m, "--rank", "1", "--row-names", path+":4")
	fails(t, []string{"--row-names", "no such file"}, "factor", m, "--rank", "1", "--row-names", path+":0")
	fails(t, []string{"--col-names", "2 names for 3 columns"}, "factor", m, "--rank", "1", "--col-names", path)
	fails(t, []string{"--col-names", `names.txt has 4 names for 3 columns, one in each line; if line 1, "one", is a header, delete it`}, "factor", m, "--rank", "1", "--col-names", textFile(t, "names.txt", "one\na\nb\nc\n"))
	for _, header := range []string{"Name\tDescription", "gene_id", "Sample ID"} {
		names := textFile(t, "names.txt", header+"\na\nb\nc\n\n\x00\x00\n")
		status, _, stderr := nmu("factor", m, "--rank", "1", "--iterations", "5", "--col-names", names+":1", "--write", "csv", "--force", "--out", out)
		if w := readText(t, out, "W.csv"); status != 0 || !strings.HasPrefix(w, ",a,b,c\n") || !strings.Contains(stderr, "is taken for a header") {
			t.Errorf("%s: W.csv %q: %s", header, w, stderr)
		}
	}
	fails(t, []string{"--row-names", "line 2: it has a zero byte; if the text is in UTF-16"}, "factor", m, "--rank", "1", "--row-names", textFile(t, "names.txt", "a\x00\n\x00b\x00\n\x00"))
	latin := textFile(t, "latin.txt", "stra\xdfe\n\xe9\n\x00\x00\x00")
	status, _, stderr := nmu("factor", m, "--rank", "1", "--method", "nmf", "--row-names", latin, "--write", "csv", "--skip-rows", textFile(t, "skip.txt", "\xe9\n"), "--force", "--out", out)
	if v := readText(t, out, "V.csv"); status != 0 || !strings.Contains(v, "\nstraße,") || !strings.Contains(stderr, "latin.txt is not in UTF-8 and is taken for Latin-1") || !strings.Contains(stderr, "skip.txt: the text is not in UTF-8") {
		t.Errorf("V.csv %q: %s", v, stderr)
	}
	colon := textFile(t, "names:2", "a\nb\n")
	succeed(t, "factor", m, "--rank", "1", "--iterations", "5", "--row-names", colon, "--write", "csv", "--force", "--out", out)
	contains(t, readText(t, out, "V.csv"), "\na,")
}

// A folder of Cell Ranger needs no flag, and stays sparse.
func TestCellRanger(t *testing.T) {
	m := textFile(t, "matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 4\n1 2 1\n1 3 2\n2 1 3\n2 2 100\n")
	dir := filepath.Dir(m)
	for name, text := range map[string]string{"genes.tsv": "g1\tACTB\ng2\tCD3\n", "barcodes.tsv": "AAAC-1\nAAAG-1\nAACC-1\n"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	out := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := nmu("factor", dir, "--rank", "1", "--iterations", "5", "--write", "csv", "--out", out)
	if status != 0 || !strings.Contains(stdout, "2 x 3, sparse, 4 entries") || !strings.Contains(stderr, `folder of Cell Ranger, 2 x 3, sparse; rows "ACTB" to "CD3" (genes.tsv); columns "AAAC-1" to "AACC-1" (barcodes.tsv)`) {
		t.Errorf("%d: %s%s", status, stdout, stderr)
	}
	if w := readText(t, out, "W.csv"); !strings.HasPrefix(w, ",AAAC-1,AAAG-1,AACC-1\n") {
		t.Errorf("W.csv %q", w)
	}
}
