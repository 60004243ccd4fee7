package convert

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// boundedIn is the environment variable that makes TestBounded a process of its own, which
// converts the file that it names.
const boundedIn = "CONVERT_TEST_BOUNDED"

// The memory that is given to conversions of larger files, and what the heap may have in
// all: buffers, and garbage that is not collected yet, which the test's setting of GOGC
// keeps small also where the collector has to wait for a core.
const (
	boundedMemory = 3 << 20
	boundedHeap   = 16 << 20
)

// Conversions of files of 20 MB and more keep to little memory.
func TestBounded(t *testing.T) {
	if path := os.Getenv(boundedIn); path != "" {
		convertBounded(t, path)
		return
	}
	self := must.Get(os.Executable())(t)
	dir := t.TempDir()
	write := func(name string, content func(w *bufio.Writer)) {
		file := must.Get(os.Create(filepath.Join(dir, name)))(t)
		w := bufio.NewWriter(file)
		content(w)
		must.Do(t, w.Flush())
		file.Close()
	}
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("files of 20 MB: with NMU_FULL only")
	}
	write("f.npy", func(w *bufio.Writer) {
		w.Write(matiotest.NpyFile(1, "<f8", true, "(1400, 2000)", nil))
		for k := range uint64(1400 * 2000) {
			w.Write(binary.LittleEndian.AppendUint64(nil, k%5<<40))
		}
	})
	write("a.mtx", func(w *bufio.Writer) {
		const n = 1_600_000
		fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate integer general\n100000 100000 %d\n", n)
		rnd := rand.New(rand.NewPCG(1, 1))
		for range n {
			fmt.Fprintln(w, 1+rnd.IntN(100000), 1+rnd.IntN(100000), 1)
		}
	})
	write("a.csv", func(w *bufio.Writer) {
		line := strings.Repeat("0.0125,", 999) + "1\n"
		for range 3000 {
			w.WriteString(line)
		}
	})
	list := must.Get(os.ReadDir(dir))(t)
	for _, e := range list {
		if info, err := e.Info(); err != nil || info.Size() < 20<<20 {
			t.Fatalf("%s: %d bytes, %v", e.Name(), info.Size(), err)
		}
		cmd := exec.Command(self, "-test.run=^TestBounded$", "-test.v")
		cmd.Env = append(os.Environ(), boundedIn+"="+filepath.Join(dir, e.Name()), "GOGC=25")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Skipf("the child is this test binary, which cannot start itself here (an emulator?): %v", err)
		}
		if err != nil || !strings.Contains(string(out), "MB of heap") {
			t.Errorf("%s: %v: %s", e.Name(), err, out)
		}
		t.Logf("%s", out)
	}
}

// convertBounded converts a file to all that it may become.
func convertBounded(t *testing.T, path string) {
	in := []Input{{Path: path, Open: func(spill *matio.Spill, turned bool, memory int64) (*matio.File, error) {
		return matio.Open(path, matio.Options{Spill: spill, Transpose: turned, MaxMemory: memory})
	}}}
	out := t.TempDir()
	if filepath.Ext(path) != ".mtx" {
		must.Get(ToNpy(context.Background(), filepath.Join(out, "a.npy"), in, Settings{Memory: boundedMemory, Columns: filepath.Ext(path) == ".csv"}))(t)
	}
	must.Get(ToCSR(context.Background(), filepath.Join(out, "csr"), in, Settings{Memory: boundedMemory}))(t)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%.1f MB of heap", float64(m.HeapSys)/1e6)
	if m.HeapSys > boundedHeap {
		t.Errorf("%d bytes of heap for %s, at most %d are allowed", m.HeapSys, path, boundedHeap)
	}
}
