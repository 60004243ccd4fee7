package main

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// zeros is a file of so many zero bytes.
func zeros(n int) io.Reader { return io.LimitReader(zeroReader{}, int64(n)) }

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// npyArray is an array of a .npz file: what follows the header is first, and then zeros.
type npyArray struct {
	name, descr, shape string
	first              []byte
	size               int
}

// expandingNpz writes arrays to a .npz file, deflated.
func expandingNpz(t *testing.T, path string, arrays ...npyArray) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, a := range arrays {
		w := must.Get(z.Create(a.name + ".npy"))(t)
		must.Get(io.Copy(w, io.MultiReader(strings.NewReader(npy(a.descr, a.shape, a.first)), zeros(a.size-len(a.first)))))(t)
	}
	must.Do(t, z.Close())
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// expandingMat writes a .mat file with a matrix of bytes, n x n, all of them zero.
func expandingMat(t *testing.T, path string, n int) {
	t.Helper()
	const mxDouble, miArray, miCompressed = 6, 14, 15
	le := binary.LittleEndian
	var head []byte
	for _, x := range []uint32{6, 8, mxDouble, 0 /* dimensions */, 5, 8, uint32(n), uint32(n) /* name */, 1, 1, 'X', 0 /* data */, 2, uint32(n * n)} {
		head = le.AppendUint32(head, x)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	array := le.AppendUint32(le.AppendUint32(nil, miArray), uint32(len(head)+n*n))
	must.Get(io.Copy(z, io.MultiReader(bytes.NewReader(array), bytes.NewReader(head), zeros(n*n))))(t)
	must.Do(t, z.Close())
	file := append([]byte(fmt.Sprintf("%-116s", "MATLAB 5.0 MAT-file")), make([]byte, 8)...)
	file = append(file, 0, 1, 'I', 'M')
	file = le.AppendUint32(le.AppendUint32(file, miCompressed), uint32(b.Len()))
	must.Do(t, os.WriteFile(path, append(file, b.Bytes()...), 0o666))
}

// What a small compressed file expands to is known from its headers: a run that does not fit
// is refused before any of it is read, at whatever limit.
func TestExpandingFiles(t *testing.T) {
	const side, entries = 3000, 2_000_000
	dir := t.TempDir()
	t.Chdir(dir)
	expandingNpz(t, "dense.npz", npyArray{"m", "|u1", fmt.Sprintf("(%d, %d)", side, side), nil, side * side})
	expandingMat(t, "dense.mat", side)
	le := binary.LittleEndian
	sparse := func(name, format string, more ...npyArray) {
		one := fmt.Sprintf("(%d,)", entries)
		expandingNpz(t, name, append([]npyArray{
			{"format", "|S3", "()", []byte(format), 3},
			{"shape", "<i8", "(2,)", le.AppendUint64(le.AppendUint64(nil, 1), 1000), 16},
			{"data", "|u1", one, nil, entries},
		}, more...)...)
	}
	one := fmt.Sprintf("(%d,)", entries)
	sparse("csr.npz", "csr", npyArray{"indices", "|u1", one, nil, entries},
		npyArray{"indptr", "<i8", "(2,)", le.AppendUint64(le.AppendUint64(nil, 0), entries), 16})
	sparse("coo.npz", "coo", npyArray{"row", "|u1", one, nil, entries}, npyArray{"col", "|u1", one, nil, entries})
	writeMatrix(t, "basis.npy", lnmu.NewDense(1, 1, []float64{1}))

	lines := []string{
		"factor dense.npz --rank 2 --iterations 1 --restarts 1",
		"factor dense.npz --rank 2 --iterations 1 --restarts 1 --method nmf --precision float32",
		"factor dense.mat --rank 2 --iterations 1 --restarts 1 --method nmf --transpose",
		"factor csr.npz --rank 1 --iterations 1 --restarts 1",
		"factor coo.npz --rank 1 --iterations 1 --restarts 1 --precision float32",
		"factor csr.npz --rank 1 --iterations 1 --restarts 1 --dense",
		"rank dense.npz --ranks 1 --folds 1 --iterations 1",
		"biclique coo.npz --starts 1",
		"biclique dense.npz --starts 1",
		"transform basis.npy coo.npz",
	}
	if os.Getenv("NMU_FULL") == "" {
		lines = lines[3:5]
	}
	for _, line := range lines {
		refused := 0
		for limit := 10_000_000; ; limit += limit / 2 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			status, _, stderr := nmu(append(strings.Fields(line), "--max-memory", fmt.Sprint(limit))...)
			runtime.ReadMemStats(&after)
			if status == 0 {
				break
			}
			refused++
			if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, " of memory; the limit is ") {
				t.Fatalf("%s in %d bytes: status %d, %s", line, limit, status, stderr)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 6<<20 {
				t.Errorf("%s in %d bytes: %d were allocated before it was refused: %s", line, limit, took, stderr)
			}
		}
		if info, err := os.Stat(filepath.Join(dir, strings.Fields(line)[1])); refused < 3 || err != nil || info.Size() > 50_000 {
			t.Errorf("%s: refused %d times, %v", line, refused, err)
		}
	}
}
