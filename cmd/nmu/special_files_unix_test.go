//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/internal/checkpoint"
	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/internal/record"
)

// special are what stands in the place of a file: no one writes to the pipe, and the device
// has no end.
func special(t *testing.T) map[string]func(path string) {
	t.Helper()
	return map[string]func(string){
		"pipe": func(path string) {
			if err := syscall.Mkfifo(path, 0o666); err != nil {
				t.Skip(err)
			}
		},
		"device": func(path string) { must.Do(t, os.Symlink("/dev/zero", path)) },
		"folder": func(path string) { must.Do(t, os.Mkdir(path, 0o777)) },
	}
}

// refuses runs a command line that must end with an error that names a file.
func refuses(t *testing.T, what, name string, args ...string) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if status, stdout, stderr := nmu(args...); status != exit.StatusError && status != exit.StatusUsage || stdout != "" || !strings.Contains(stderr, name) {
			t.Errorf("a %s as %s: nmu %s: status %d, %q, %q", what, name, strings.Join(args, " "), status, stdout, stderr)
		}
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatalf("a %s as %s: nmu %s does not end", what, name, strings.Join(args, " "))
	}
}

// TestSpecialFiles: no command waits for a pipe, or reads a device to its end, that has the
// name of a file it reads.
func TestSpecialFiles(t *testing.T) {
	input, dir := recordedRun(t)
	out := filepath.Join(t.TempDir(), "page.html")
	for what, put := range special(t) {
		path := filepath.Join(t.TempDir(), "special")
		put(path)
		factor := []string{"factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1"}
		for _, flag := range []string{"row-names", "col-names", "mask", "weights", "uncertainties", "skip-rows", "skip-cols", "fix-v", "fix-w", "init"} {
			refuses(t, what, "--"+flag, append(factor, "--method", "nmf", "--"+flag, path)...)
		}
		refuses(t, what, "--continue", "factor", input, "--rank", "4", "--continue", path)
		for _, args := range [][]string{{"transform", path, input}, {"report", path}, {"resume", path}, {"rank", path, "--ranks", "1"}} {
			refuses(t, what, "special", args...)
		}
		for _, name := range []string{record.NameResult, record.NameV, record.NameW} {
			within := filepath.Join(t.TempDir(), "run")
			must.Do(t, os.CopyFS(within, os.DirFS(dir)))
			must.Do(t, os.Remove(filepath.Join(within, name)))
			put(filepath.Join(within, name))
			for reader, args := range readersOf(input, within, out) {
				if name == record.NameW && (reader == "transform" || reader == "--fix-v") {
					continue // it reads V alone
				}
				refuses(t, what, name, args...)
			}
			refuses(t, what, name, append(factor, "--out", within)...)
		}
		ranks := t.TempDir()
		put(filepath.Join(ranks, record.NameRank))
		refuses(t, what, record.NameRank, "report", dir, input, "--comparison", ranks, "--out", out)
		run := t.TempDir()
		put(filepath.Join(run, checkpoint.Name))
		refuses(t, what, checkpoint.Name, "resume", run)
		raster := filepath.Join(t.TempDir(), "cube.xyz")
		must.Do(t, os.WriteFile(raster, []byte("1234"), 0o666))
		put(strings.TrimSuffix(raster, ".xyz") + ".hdr")
		refuses(t, what, "cube", "factor", raster, "--rank", "1")
	}
}

// TestSpecialFilesOfCheckpoint: nmu resume reads files that a checkpoint names, which may
// have become something else.
func TestSpecialFilesOfCheckpoint(t *testing.T) {
	dir := filepath.Dir(swimmerFile(t, false))
	t.Chdir(dir)
	set := dataset.Swimmer()
	writeMatrix(t, "mask.npy", entries(set.Rows, set.Cols, func(int) float64 { return 1 }))
	write(t, "names.txt", strings.Repeat("x\n", set.Rows))
	status, _, stderr := nmu("factor", "swimmer.npy", "--rank", "3", "--method", "nmf", "--iterations", "1000000000",
		"--mask", "mask.npy", "--row-names", "names.txt", "--checkpoint-every", "1ms", "--time-limit", "200ms", "--out", "out")
	if !checkpoint.Has("out") {
		t.Fatalf("no checkpoint: status %d, %s", status, stderr)
	}
	for what, put := range special(t) {
		for _, name := range []string{"swimmer.npy", "mask.npy", "names.txt"} {
			must.Do(t, os.Rename(name, "kept"))
			put(name)
			refuses(t, what, "out: ", "resume", "out")
			must.Do(t, os.Remove(name))
			must.Do(t, os.Rename("kept", name))
		}
	}
}
