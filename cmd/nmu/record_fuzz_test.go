package main

import (
	"encoding/json"
	"flag"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/render"
)

// FuzzRecord gives a command that reads a result.json, or a rank.json, one in which a member
// has another value, or another text altogether. None may panic or hang, and all of them refuse
// what record.Parse refuses. Most texts go to record.Parse only, which is much faster than a command;
// their sums decide, so that the fuzzer can find those that do not.
func FuzzRecord(f *testing.F) {
	if there("/dev/shm") { // in memory a command takes a tenth of the time
		f.Setenv("TMPDIR", "/dev/shm")
	}
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	input, dir := recordedRun(f)
	path := filepath.Join(dir, record.NameResult)
	texts := [][]byte{[]byte(readText(f, dir, record.NameResult))}
	var ranks string
	for _, args := range [][]string{
		{"factor", input, "--rank", "3", "--method", "nmf", "--iterations", "3", "--restarts", "2"},
		{"factor", input, "--rank", "3", "--method", "rnmu", "--norm", "l1", "--iterations", "3", "--init", "nested", "--restarts", "1"},
		{"transform", dir, input},
		{"rank", input, "--ranks", "1:2", "--iterations", "3", "--folds", "2", "--restarts", "2"},
	} {
		out := filepath.Join(f.TempDir(), "out")
		if status, _, stderr := nmu(append(args, "--out", out)...); status != 0 {
			f.Fatal(stderr)
		}
		name := record.NameResult
		if args[0] == "rank" {
			ranks, name = out, record.NameRank
		}
		texts = append(texts, []byte(readText(f, out, name)))
	}
	for which := len(texts); which < 6*len(texts); which += len(texts) { // a reader each
		f.Add(uint8(which), "settings.seed", "7")
	}
	for which := range texts {
		f.Add(uint8(which), "result.blocks", `[{"rank":1,"stop":"exact","relative_error":0.5,"history":[1e300,null]},{"rank":3,"stop":"exact","relative_error":null}]`)
		f.Add(uint8(which), "input.image", `{"height":2,"width":2,"order":"rows"}`)
		f.Add(uint8(which), "settings.options", `{"block":"1"}`)
		f.Add(uint8(which), "settings.check_every", "7")
		f.Add(uint8(which), "result.points", `[{"rank":1,"held_out":{"mean":0.5}}]`)
	}
	f.Add(uint8(0), "", `{"schema":"nmu-`)
	sound := filepath.Join(f.TempDir(), "sound")
	must.Do(f, os.CopyFS(sound, os.DirFS(dir)))
	page, out := filepath.Join(f.TempDir(), "page.html"), f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, member, value string) {
		text := []byte(value)
		if json.Valid(text) {
			text = []byte(edited(string(texts[int(which)%len(texts)]), member, value))
		}
		_, refused := record.Parse(text)
		one := uint32(8) // in so many goes to a command, which takes milliseconds
		if refused != nil {
			one = 64
		}
		if fuzzing && crc32.ChecksumIEEE(text)%one != uint32(which)%one {
			return
		}
		for _, path := range []string{path, filepath.Join(ranks, record.NameRank), filepath.Join(out, record.NameResult)} {
			write(t, path, string(text))
		}
		readers := readersOf(input, dir, page)
		readers["--comparison"] = nil
		names := slices.Sorted(maps.Keys(readers))
		switch name := names[int(which)/len(texts)%len(names)]; name {
		case "--comparison":
			ended(t, "report", sound, input, "--comparison", ranks, "--out", page)
		default:
			args := readers[name]
			if name == "--continue" {
				args = append(args, "--time-limit", "1ms") // it goes on with the iterations of the file
			}
			status, stderr := ended(t, args...)
			if refused != nil && (status == 0 || !strings.Contains(stderr, record.NameResult)) {
				t.Errorf("%s: status %d, %q, of a file that is refused: %v", name, status, stderr, refused)
			}
		}
		if len(text)%256 == 0 { // which waits for the disk
			ended(t, "factor", input, "--rank", "1", "--iterations", "1", "--restarts", "1", "--out", out)
		}
	})
}

// ended runs a command line that must end by itself, and returns its status and stderr.
func ended(t *testing.T, args ...string) (int, string) {
	t.Helper()
	status, stdout, stderr := nmu(args...)
	if !slices.Contains([]int{0, exit.StatusError, exit.StatusUsage, exit.StatusUnconverged}, status) {
		t.Errorf("nmu %s: status %d, %s", strings.Join(args, " "), status, stderr)
	}
	for line := range strings.Lines(stdout + stderr) {
		if line = strings.TrimSuffix(line, "\n"); render.Printable(line) != line {
			t.Errorf("nmu %s: prints %q", strings.Join(args, " "), line)
		}
	}
	return status, stderr
}
