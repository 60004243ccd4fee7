package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/checkpoint"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu"
)

// readFactor reads a matrix that a command has written.
func readFactor[T lnmu.Float](path string) (lnmu.Dense[T], error) {
	file, err := matio.Open(path, matio.Options{})
	if err != nil {
		return lnmu.Dense[T]{}, err
	}
	defer file.Close()
	d, err := data.Dense[T](file)
	d.Data = slices.Clone(d.Data)
	return d, err
}

// factorIn reads a factor of the given name that a command has written to a folder.
func factorIn[T lnmu.Float](t *testing.T, dir, name string) lnmu.Dense[T] {
	t.Helper()
	d := must.Get(readFactor[T](filepath.Join(dir, name)))(t)
	return d
}

// wideFile writes a sparse matrix of 3 rows and as many columns as a sparse one
// may have, in 79 bytes.
func wideFile(t *testing.T) string {
	t.Helper()
	return textFile(t, "wide.mtx", "%%MatrixMarket matrix coordinate real general\n3 2147483647 2\n1 1 1\n2 2 1\n")
}

// What the whole run needs is refused in one line, which says how much that is,
// however small the file, and before anything is written.
func TestMaxMemory(t *testing.T) {
	wide := wideFile(t)
	if info, err := os.Stat(wide); err != nil || info.Size() > 80 {
		t.Errorf("the file has %d bytes", info.Size())
	}
	dir := t.TempDir()
	basis := filepath.Join(dir, "V.npy")
	writeMatrix(t, basis, lnmu.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}))
	tall := filepath.Join(dir, "start")
	must.Do(t, os.Mkdir(tall, 0o777))
	const rows = 200_000
	writeMatrix(t, filepath.Join(tall, record.NameV), lnmu.NewDense[float64](rows, 2, nil))
	writeMatrix(t, filepath.Join(tall, record.NameW), lnmu.NewDense[float64](2, 1, nil))
	column := filepath.Join(dir, "column.npy")
	writeMatrix(t, column, lnmu.NewDense[float64](rows, 2, nil))
	hostile := filepath.Dir(textFile(t, record.NameResult, `{"schema":"`+record.FactorSchema+`","result":{"blocks":[`+strings.Repeat("{},", 20_000)+"{}]}}"))
	cut, state := t.TempDir(), new(bytes.Buffer)
	must.Get(lnmu.Factor(t.Context(), lnmu.NewDense(1, 1, []float64{1}), 1, nil, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 1}, Watch: lnmu.Watch{Checkpoint: &lnmu.Checkpoint{
		Note: []byte(`{"files":[` + strings.Repeat("{},", 50_000) + "{}]}"),
		Save: func(s io.WriterTo) { state.Reset(); s.WriteTo(state) },
	}}}))(t)
	write(t, filepath.Join(cut, checkpoint.Name), state.String())
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		says, limit, args string
	}{
		{"wide.mtx: factoring it at rank 1 by nmf needs ", "6GB", "factor " + wide + " --rank 1 --out " + out},
		{"wide.mtx: factoring it at rank 3 by gnmu needs ", "6 GB", "factor " + wide + " --rank 3 --method gnmu --precision float32 --restarts 1 --out " + out},
		{"wide.mtx: factoring it at rank 1 by nmf needs ", "6GB", "factor " + wide + " --rank 1 --dense --out " + out},
		{"wide.mtx: factoring it at rank 1 by nmf needs ", "6GB", "factor " + wide + " --rank 1 --transpose --out " + out},
		{"wide.mtx: finding its weights at rank 2 needs ", "6GB", "transform " + basis + " " + wide + " --out " + out},
		{"wide.mtx: finding its weights at rank 2 needs ", "6GB", "transform " + basis + " " + wide + " --feasible --out " + out},
		{"wide.mtx: a search in it needs ", "6GB", "biclique " + wide},
		{"wide.mtx: a search in it needs ", "6GB", "biclique " + wide + " --threads 1"},
		{"V.npy: reading it needs 3.2 MB of memory; the limit is 3 MB", "3MB", "factor " + column + " --rank 2 --init " + tall + " --out " + out},
		{"V.npy: reading it needs 3.2 MB of memory; the limit is 3 MB", "3MB", "transform " + filepath.Join(tall, record.NameV) + " " + column + " --out " + out},
		{"result.json: reading it needs ", "3MB", "report " + hostile + " --out " + out},
		{"result.json: reading it needs ", "3MB", "factor " + column + " --rank 2 --continue " + hostile + " --out " + out},
		{".nmu-checkpoint: reading its note needs ", "3MB", "resume " + cut},
		{"column.npy: factoring it at rank 2 by nmf needs ", "3MB", "factor " + column + " --rank 2 --method nmf --out " + out},
	} {
		args := strings.Fields(c.args)
		says := []string{c.says}
		if math.MaxInt == math.MaxInt32 && strings.HasPrefix(c.says, "wide.mtx: factoring") {
			says = []string{"2147483647", "beyond the range of memory"} // where int has 32 bits
		} else if strings.Contains(c.says, "needs") {
			says = append(says, " of memory; the limit is "+strings.Replace(strings.Replace(c.limit, " ", "", 1), "B", "", 1)[:1], "--max-memory")
		}
		fails(t, says, append(args, "--max-memory", c.limit)...)
		noFile(t, out)
	}
	for _, size := range []string{"", "0", "-1", "lots", "1e9", "5 apples", "99999999999T"} {
		for _, command := range []string{"factor x --rank 1", "transform x y", "biclique x"} {
			fails(t, []string{"--max-memory " + strings.TrimPrefix(size+":", ":"), "choose a number of bytes, 1 or more, or a size such as 512MB", "--help"}, append(strings.Fields(command), "--max-memory", size)...)
		}
	}
	succeed(t, "factor", column, "--rank", "1", "--max-memory", "100MB")
}
