package main

import (
	"encoding/binary"
	"fmt"
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
	array := func(name, descr string, n int, data any) {
		numbers := must.Get(binary.Append(nil, binary.LittleEndian, data))(t)
		write(t, filepath.Join(dir, name+".npy"), npy(descr, fmt.Sprintf("(%d,)", n), numbers))
	}
	ptr := make([]int64, len(m.Ptr))
	for i, at := range m.Ptr {
		ptr[i] = int64(at)
	}
	array("shape", "<i8", 2, []int64{int64(m.Rows), int64(m.Cols)})
	array("indptr", "<i8", len(ptr), ptr)
	array("indices", "<i4", len(m.Idx), m.Idx)
	array("data", "<f8", len(m.Val), m.Val)
	return dir
}

// TestSparseStoredRefused: what a sparse M in its folder does not have is refused in one line, and with enough
// memory it does not stay there.
func TestSparseStoredRefused(t *testing.T) {
	path, wide, scratch := largeFolder(t, 20, false), largeFolder(t, 2, true), t.TempDir()
	if _, _, stderr := nmu("factor", path, "--rank", "3", "--iterations", "2", "--restarts", "1", "--memory", "1GB"); strings.Contains(stderr, "stays on disk") {
		t.Errorf("with enough memory: %s", stderr)
	}
	within := needed(t, "factor", path, "--rank", "3", "--iterations", "2", "--method", "gnmu", "--threads", "1", "--restarts", "1", "--memory", "5MB")
	for _, c := range []struct{ says, args string }{
		{"of memory; the limit is 5 MB", "--method gnmu --memory 5MB"},
		{"nmu convert --transpose makes a folder of its transpose", "--transpose --memory 5MB"},
		{"feasible final on a sparse matrix", "--method gnmu --feasible final --memory 5MB"},
		{"method hoyer on a sparse matrix", "--method hoyer --hoyer-v 0.5 --memory 5MB"},
		{"no such file or directory", fmt.Sprint("--method gnmu --threads 1 --restarts 1 --memory ", within, "B --scratch ") + filepath.Join(scratch, "none")},
	} {
		fails(t, []string{c.says}, append([]string{"factor", path, "--rank", "3", "--iterations", "2"}, strings.Fields(c.args)...)...)
	}
	fails(t, []string{"nmu convert --transpose", "without --transpose"}, "factor", wide, "--rank", "3", "--transpose", "--memory", "5MB")
}
