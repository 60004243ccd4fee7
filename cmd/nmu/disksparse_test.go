package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// largeFolder writes a sparse matrix of 50000 x 400 with that many entries in each row, a
// divisor of 400, or its transpose.
func largeFolder(t *testing.T, each int, transposed bool) string {
	t.Helper()
	const rows, cols = 50_000, 400
	m := lnmu.CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int, 1, rows+1)}
	for i := range rows {
		for k := range each {
			m.Idx = append(m.Idx, int32(k*(cols/each)+(i*7+k*i)%(cols/each)))
			m.Val = append(m.Val, float64(1+(i%97*(i%97)+k)%97))
		}
		m.Ptr = append(m.Ptr, len(m.Val))
	}
	if transposed {
		m = m.Transposed()
	}
	dir := t.TempDir()
	write := func(name, descr string, n int, data any) {
		var b bytes.Buffer
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, n)
		head += strings.Repeat(" ", 117-len(head)) + "\n"
		b.WriteString("\x93NUMPY\x01\x00\x76\x00" + head)
		must.Do(t, binary.Write(&b, binary.LittleEndian, data))
		must.Do(t, os.WriteFile(filepath.Join(dir, name+".npy"), b.Bytes(), 0o666))
	}
	ptr := make([]int64, len(m.Ptr))
	for i, at := range m.Ptr {
		ptr[i] = int64(at)
	}
	write("shape", "<i8", 2, []int64{int64(m.Rows), int64(m.Cols)})
	write("indptr", "<i8", len(ptr), ptr)
	write("indices", "<i4", len(m.Idx), m.Idx)
	write("data", "<f8", len(m.Val), m.Val)
	return dir
}

// TestFactorSparseStored: with too little memory a sparse M stays in its folder, and the
// result is the same.
func TestFactorSparseStored(t *testing.T) {
	path, scratch := largeFolder(t, 20, false), t.TempDir()
	type run struct{ path, method string }
	var runs []run
	wide := ""
	if os.Getenv("NMU_FULL") == "" {
		wide, runs = largeFolder(t, 2, true), []run{{path, "gnmu"}}
	} else {
		wide = largeFolder(t, 20, true)
		for i, method := range []string{"nmf", "rnmu", "rnmu --block 2", "gnmu --solver admm --inner 1"} {
			runs = append(runs, run{[]string{path, wide}[i%2], method})
		}
		runs = append(runs, run{path, "gnmu"}, run{wide, "gnmu"})
	}
	for _, r := range runs {
		method := r.method
		args := append([]string{"factor", r.path, "--rank", "3", "--iters", "2", "--restarts", "1", "--threads", "1", "--json", "--method"}, strings.Fields(method)...)
		want := parseReport(t, []byte(succeed(t, args...)))
		_, stdout, stderr := stored(t, 0, append(args, "--scratch", scratch)...)
		got := parseReport(t, []byte(stdout))
		if got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W || got.RelativeError != want.RelativeError || got.Entries != want.Entries {
			t.Errorf("%s has another result from the folder: %+v", method, got)
		}
		first, _, _ := strings.Cut(stderr, "\n")
		for _, says := range []string{") stays on disk, in files of ", scratch, " each of which reads ", " at the speed of the disk", "/s read"} {
			if !strings.Contains(first, says) {
				t.Errorf("%s: no %q in the first line, %s", method, says, first)
			}
		}
		if under := method != "nmf"; strings.Contains(first, " and writes ") != under {
			t.Errorf("%s: what is said of writing: %s", method, first)
		}
		if left, _ := os.ReadDir(scratch); len(left) > 0 {
			t.Errorf("%s has left %v", method, left)
		}
	}
	if _, _, stderr := nmu("factor", path, "--rank", "3", "--iters", "2", "--restarts", "1", "--memory", "1GB"); strings.Contains(stderr, "stays on disk") {
		t.Errorf("with enough memory: %s", stderr)
	}
	within := needed(t, "factor", path, "--rank", "3", "--iters", "2", "--method", "gnmu", "--threads", "1", "--restarts", "1", "--memory", "5MB")
	for _, c := range []struct{ says, args string }{
		{"of memory; the limit is 5 MB", "--method gnmu --memory 5MB"},
		{"nmu convert --transpose makes a folder of its transpose", "--transpose --memory 5MB"},
		{"feasible final on a sparse matrix", "--feasible final --memory 5MB"},
		{"method hoyer on a sparse matrix", "--method hoyer --hoyer-v 0.5 --memory 5MB"},
		{"no such file or directory", fmt.Sprint("--method gnmu --threads 1 --restarts 1 --memory ", within, "B --scratch ") + filepath.Join(scratch, "none")},
	} {
		fails(t, []string{c.says}, append([]string{"factor", path, "--rank", "3", "--iters", "2"}, strings.Fields(c.args)...)...)
	}
	fails(t, []string{"nmu convert --transpose", "without --transpose"}, "factor", wide, "--rank", "3", "--transpose", "--memory", "5MB")
}

// TestFactorSparseStoredProcesses: the same of several processes, which share out what they read.
func TestFactorSparseStoredProcesses(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("2.5 million entries: with NMU_FULL only")
	}
	scratch := t.TempDir()
	for _, transposed := range []bool{false, true} {
		path := largeFolder(t, 50, transposed)
		for _, method := range []string{"gnmu", "nmf --solver accelerated"} {
			args := append([]string{"factor", path, "--rank", "3", "--iters", "2", "--restarts", "1", "--threads", "1", "--json", "--method"}, strings.Fields(method)...)
			want := succeed(t, args...)
			_, stdout, stderr := stored(t, 3, append(args, "--mpi", "--scratch", scratch)...)
			sameRun(t, method, stdout, want)
			first, _, _ := strings.Cut(stderr, "\n")
			for _, says := range []string{") stays on disk, in files of ", " in each of 3 processes"} {
				if !strings.Contains(first, says) {
					t.Errorf("%s: no %q in the first line, %s", method, says, first)
				}
			}
			if left, _ := os.ReadDir(scratch); len(left) > 0 {
				t.Errorf("%s has left %v", method, left)
			}
		}
	}
}
