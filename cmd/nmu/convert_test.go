package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/record"
)

// shaOf factors a matrix and returns what the factors are.
func shaOf(t *testing.T, args ...string) string {
	t.Helper()
	rep := parsed[record.Factor](t, succeed(t, append([]string{"factor", "--rank", "3", "--iterations", "10", "--restarts", "1", "--seed", "1", "--json"}, args...)...))
	return rep.SHA256V + rep.SHA256W
}

// What is converted factors as what it was made of, in memory as any other input.
func TestConvert(t *testing.T) {
	table, sparse := filepath.Join("testdata", "parts.csv"), filepath.Join("testdata", "small.mtx")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	want, wantSparse := shaOf(t, table), shaOf(t, sparse)
	for k, c := range []struct {
		args  string // of convert, with OUT for a name of its own
		flags []string
		want  string
	}{
		{table + " OUT.npy", nil, want},
		{table + " OUT.npy --order Columns --max-memory 20MB", nil, want},
		{table + " OUT.npy --transpose", []string{"--transpose"}, want},
		{sparse + " OUT", nil, wantSparse},
		{sparse + " OUT --transpose", []string{"--transpose"}, wantSparse},
	} {
		out := in(fmt.Sprint("out", k))
		args := strings.Fields(strings.Replace(c.args, "OUT", out, 1))
		said := succeed(t, append([]string{"convert"}, args...)...)
		if !strings.HasPrefix(said, args[1]) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: %q", c.args, said)
		}
		must.Equal(t, shaOf(t, append(c.flags, args[1])...), c.want, c.args, "other factors than those of the input")
	}
	// A folder of parts, made of a table cut in two.
	f := must.Get(matio.Open(in("out0.npy"), matio.Options{}))(t)
	defer f.Close()
	rows, cols, data := must.Three(matio.Dense[float64](f))(t)
	must.Do(t, os.Mkdir(in("parts"), 0o777))
	half := rows / 2
	for k, part := range [][]float64{data[:half*cols], data[half*cols:]} {
		must.Do(t, matiotest.WriteNpy(filepath.Join(in("parts"), fmt.Sprintf("part%d.npy", k+1)), len(part)/cols, cols, part, cols))
	}
	must.Equal(t, shaOf(t, in("parts")), want, "parts: other factors than those of the whole")
	// Standard input, and what --json says.
	status, stdout, stderr := nmuFrom(strings.NewReader("1,2.5\n3,4\n"), "convert", table, table, in("all.npy"), "--precision", "float32", "--json")
	var rep convertReport
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	if rep.Rows != int64(2*rows) || rep.Cols != int64(cols) || rep.Precision != "float32" || rep.Order != options.Orders[0] || rep.Sparse || rep.Entries != 0 ||
		rep.Bytes != int64(128+4*2*rows*cols) || len(rep.Inputs) != 2 || rep.Output != in("all.npy") {
		t.Errorf("%+v", rep)
	}
	if status, stdout, stderr = nmuFrom(strings.NewReader("1,0.5\n3,4\n"), "convert", "-", in("std")); status != 0 || !strings.Contains(stdout, "2 x 2, sparse, 4 entries, float64") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

// A command line that cannot be meant, and an output that must not be touched.
func TestConvertRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, content := range map[string]string{"a.csv": "1,2\n3,4\n", "there.npy": "mine", "nan.csv": "1,2\n3,\n", "folder/notes.txt": "mine", "csr/data.npy": "mine"} {
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must.Do(t, os.WriteFile(name, []byte(content), 0o666))
	}
	for _, c := range []struct {
		args   string
		status int
		says   []string
	}{
		{"a.csv", exit.StatusUsage, []string{"one INPUT or more and an OUTPUT", "--help"}},
		{"a.csv out --order columns", exit.StatusUsage, []string{"--order columns", "--transpose"}},
		{"a.csv out.npy --order up", exit.StatusUsage, []string{"--order", "rows", "columns"}},
		{"a.csv out.npy --precision float16", exit.StatusUsage, []string{"float16", "float32 or float64"}},
		{"a.csv out.npy --max-memory 1MB", exit.StatusUsage, []string{"--max-memory 1 MB", "16 MB or more"}},
		{"- - out.npy", exit.StatusUsage, []string{"standard input can be read once"}},
		{"a.csv -", exit.StatusUsage, []string{"OUTPUT"}},
		{"a.csv out.mtx", exit.StatusUsage, []string{"out.mtx", ".sli files, and folders"}},
		{"a.csv out.csv.gz", exit.StatusUsage, []string{"out.csv.gz"}},
		{"a.csv out.npy --sep up", exit.StatusUsage, []string{"--sep"}},
		{"a.csv there.npy", exit.StatusError, []string{"there.npy is there already", "--force"}},
		{"a.csv csr", exit.StatusError, []string{"csr is there already", "--force"}},
		{"a.csv folder --force", exit.StatusError, []string{"folder holds notes.txt"}},
		{"a.csv a.csv/out.npy", exit.StatusError, []string{"a.csv"}},
		{"a.csv folder/notes.txt/out.npy", exit.StatusError, []string{"OUTPUT: folder/notes.txt is no folder"}},
		{"a.csv none/out.npy", exit.StatusError, []string{"OUTPUT: ", "none: "}},
		{"a.csv folder/notes.txt/x", exit.StatusError, []string{"notes.txt"}},
		{"csr csr/all.npy", exit.StatusError, []string{"csr/all.npy is INPUT csr, or in it"}},
		{"a.csv csr csr --force", exit.StatusError, []string{"csr is INPUT csr"}},
		{"none.csv out.npy", exit.StatusError, []string{"none.csv"}},
		{"nan.csv out.npy", exit.StatusError, []string{"nan.csv: line 2: row 2, column 2 is empty", "--missing"}},
	} {
		if strings.ContainsRune(c.says[0], '/') && runtime.GOOS == "windows" {
			c.says = nil
		}
		fails(t, c.says, append([]string{"convert"}, strings.Fields(c.args)...)...)
		if status, _, _ := nmu(append([]string{"convert"}, strings.Fields(c.args)...)...); status != c.status {
			t.Errorf("%s: status %d, want %d", c.args, status, c.status)
		}
	}
	holds(t, ".", "a.csv", "csr", "folder", "nan.csv", "there.npy")
	for _, path := range []string{"there.npy", filepath.Join("csr", "data.npy"), filepath.Join("folder", "notes.txt")} {
		must.Equal(t, readText(t, path), "mine", path)
	}
	succeed(t, "convert", "a.csv", "there.npy", "--force")
	succeed(t, "convert", "a.csv", "csr", "--force")
	succeed(t, "convert", "nan.csv", "nan.npy", "--missing", "allow")
	fails(t, []string{"NaN"}, "convert", "nan.npy", "other.npy")
	succeed(t, "convert", "nan.npy", "other.npy", "--missing", "allow")
}

// Ctrl-C ends a conversion without a trace.
func TestInterruptConvert(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "a.csv")
	must.Do(t, os.WriteFile(input, []byte(strings.Repeat("1,2,3,4,5,6,7,8.5\n", 500_000)), 0o666))
	for _, out := range []string{"out.npy", "out"} {
		stderr := signalled(t, os.Interrupt, 130, "", "convert", input, input, input, input, filepath.Join(dir, out))
		if !strings.HasSuffix(stderr, "; nothing is written\n") || !strings.HasPrefix(stderr, "nmu: interrupted") {
			t.Errorf("%q", stderr)
		}
		holds(t, dir, "a.csv")
	}
}

// What a conversion to .npy that was killed has left goes with the next one, where the
// system has locks.
func TestKillConvert(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "a.csv")
	must.Do(t, os.WriteFile(input, []byte(strings.Repeat("1,2,3,4,5,6,7,8.5\n", 100_000)), 0o666))
	out := filepath.Join(dir, "c.npy")
	left := func() []string {
		return slices.DeleteFunc(names(t, dir), func(name string) bool { return name == "a.csv" || name == "c.npy" })
	}
	for try := 0; len(left()) == 0 && try < 20; try++ {
		cmd := command(t, "convert", input, input, out, "--force")
		ended := ending(cmd)
		for over := false; !over && len(left()) == 0; {
			select {
			case <-time.After(time.Millisecond):
			case err := <-ended:
				ended <- err
				over = true
			}
		}
		cmd.Process.Kill() // it may have ended
		<-ended
	}
	if len(left()) == 0 {
		t.Fatal("nothing was left by 20 processes that were killed while they wrote")
	}
	if runtime.GOOS == "windows" {
		return // no such locks
	}
	succeed(t, "convert", input, out, "--force")
	holds(t, dir, "a.csv", "c.npy")
}
