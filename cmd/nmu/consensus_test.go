package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nmu/internal/checkpoint"
	"nmu/internal/must"
	"nmu/internal/record"
)

// countsFile writes a table of counts with three parts and names, and returns its path.
func countsFile(t *testing.T) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 5))
	v, w := make([]float64, 16*3), make([]float64, 3*20)
	for i := range v {
		v[i] = 20 * rng.Float64() * rng.Float64() * rng.Float64()
	}
	for j := range w {
		w[j] = 5 * rng.Float64()
	}
	var b strings.Builder
	b.WriteString("gene")
	for j := range 20 {
		fmt.Fprintf(&b, ",sample%d", j)
	}
	for i := range 16 {
		fmt.Fprintf(&b, "\ng%d", i)
		for j := range 20 {
			mean := 0.0
			for k := range 3 {
				mean += v[3*i+k] * w[20*k+j]
			}
			n := -1
			for at := 0.0; at < mean || n < 0; n++ {
				at += rng.ExpFloat64()
			}
			fmt.Fprintf(&b, ",%d", n)
		}
	}
	return textFile(t, "counts.csv", b.String()+"\n")
}

// The command finds a planted rank, and writes and prints what it found. The tables are those of
// the factors, with names and intervals around each entry.
func TestConsensusCommand(t *testing.T) {
	in, out := countsFile(t), filepath.Join(t.TempDir(), "out")
	args := []string{"consensus", in, "--ranks", "2:4", "--runs", "12", "--resample", "poisson", "--iterations", "100"}
	table := succeed(t, append(args, "--out", out)...)
	contains(t, table, "16 x 20", "nmf, at most 100 iterations, random start", "12 for each rank, of Poisson counts", "advice: rank 3: ", "<- advised", "hold 95 % of the runs")
	want := record.ConsensusNames([]int{2, 3, 4})
	slices.Sort(want)
	holds(t, out, want...)
	page := readText(t, out, record.NameConsensusPage)
	contains(t, page, "Consensus of ", "<svg", "Rank 3 is advised: ", "Consensus map, rank 3", "part 3", "g1", "stability: the mean silhouette", "from g0 to g15")
	if first, other := strings.Index(page, ">Rank 3, advised</h2>"), strings.Index(page, ">Rank 2</h2>"); first < 0 || other < first {
		t.Errorf("the advised rank is at %d, another one at %d", first, other)
	}
	v := matrixOf(t, filepath.Join(out, "V-3.npy"))
	lines := strings.Split(strings.TrimSpace(readText(t, out, "V-3.csv")), "\n")
	if lines[0] != ",part 1,part 1 low,part 1 high,part 2,part 2 low,part 2 high,part 3,part 3 low,part 3 high" || len(lines) != 17 {
		t.Fatalf("%d lines, the first %q", len(lines), lines[0])
	}
	wide := 0
	for i, line := range lines[1:] {
		cells := strings.Split(line, ",")
		must.Equal(t, cells[0], fmt.Sprintf("g%d", i), "line", i+2, "is of")
		for k := range 3 {
			var x [3]float64
			for c := range x {
				x[c], _ = strconv.ParseFloat(cells[1+3*k+c], 64)
			}
			if x[0] != v.At(i, k) || x[1] > x[0] || x[0] > x[2] {
				t.Errorf("row %d, part %d: %v, and V has %v", i, k+1, x, v.At(i, k))
			}
			if x[1] < x[2] {
				wide++
			}
		}
	}
	must.AtLeast(t, wide, 40, "of 48 intervals of V have a width")
	if head, _, _ := strings.Cut(readText(t, out, "map-3.csv"), "\n"); !strings.HasPrefix(head, ",sample0,sample1,") {
		t.Errorf("the map begins with %q", head)
	}
	whole := untimed(t, readText(t, out, record.NameConsensus))
	for _, threads := range []string{"1", "3"} {
		must.Equal(t, untimed(t, succeed(t, append(args, "--json", "--threads", threads)...)), whole, "with", threads, "threads")
	}
}

// Weights give Q, a sparse matrix stays sparse, and matrices that are no counts are noted.
func TestConsensusKinds(t *testing.T) {
	in := countsFile(t)
	contains(t, succeed(t, "consensus", in, "--ranks", "3", "--runs", "3", "--iterations", "50", "--weights", in), "Q / expected", "with weights")
	sparse := textFile(t, "s.mtx", "%%MatrixMarket matrix coordinate real general\n4 5 9\n1 1 3\n1 2 4\n2 1 6\n2 2 8\n3 3 5\n3 4 2.5\n4 3 1\n4 4 1\n4 5 2\n")
	for _, way := range [][]string{nil, {"--resample", "columns"}, {"--resample", "poisson"}} {
		status, stdout, stderr := nmu(append([]string{"consensus", sparse, "--ranks", "2", "--runs", "3", "--iterations", "50", "--precision", "float32"}, way...)...)
		if status != 0 || !strings.Contains(stdout, "4 x 5") {
			t.Errorf("%v: %s%s", way, stdout, stderr)
		}
		must.Equal(t, strings.Contains(stderr, "are no counts"), way != nil && way[1] == "poisson", way, stderr)
	}
}

// A comparison that is killed, again and again, is resumed to the bits of one that was left alone.
func TestComparisonResume(t *testing.T) {
	for command, args := range map[string][]string{
		"consensus": {"--ranks", "2:3", "--runs", "40", "--resample", "columns", "--iterations", "300"},
		"rank":      {"--ranks", "2:3", "--folds", "20", "--restarts", "20", "--iterations", "300"},
	} {
		dir := filepath.Dir(countsFile(t))
		args = append([]string{command, "counts.csv", "--checkpoint-every", "1ms", "--out"}, args...)
		args = slices.Insert(args, 5, "whole")
		must.Do(t, started(t, dir, args...).Wait())
		next := slices.Clone(args)
		next[5] = "out"
		killed := 0
		for round := 0; ; round++ {
			cmd := started(t, dir, next...)
			ended := ending(cmd)
			err, over := checkpointed(filepath.Join(dir, "out"), ended)
			if !over && round < 2 {
				time.Sleep(time.Duration(5*round) * time.Millisecond)
				cmd.Process.Kill()
				if err = <-ended; err != nil {
					killed++
				}
				over = err == nil
			} else if !over {
				err, over = <-ended, true
			}
			if over {
				if err != nil {
					t.Fatalf("nmu %s: %v: %s", strings.Join(next, " "), err, cmd.Stderr)
				}
				break
			}
			next = []string{"resume", "out", "--threads", strconv.Itoa(1 + round)}
		}
		for _, name := range names(t, filepath.Join(dir, "whole")) {
			a, b := readText(t, filepath.Join(dir, "out"), name), readText(t, filepath.Join(dir, "whole"), name)
			switch filepath.Ext(name) {
			case ".html":
				continue // it has the time
			case ".json":
				a, b = untimed(t, a), untimed(t, b)
			}
			must.Equal(t, a, b, name, "differs after being killed", killed, "times")
		}
		if checkpoint.Has(filepath.Join(dir, "out")) {
			t.Errorf("nmu %s leaves a checkpoint", command)
		}
	}
}

// untimed returns the JSON of a comparison without what differs from run to run.
func untimed(t *testing.T, text string) string {
	for _, path := range []string{"seconds", "settings.threads", "files"} {
		text = edited(text, path, "")
	}
	return text
}

// A time limit keeps the finished runs and their checkpoint.
func TestComparisonLimit(t *testing.T) {
	for command, args := range map[string]string{"consensus": "--ranks 2:7 --runs 50", "rank": "--ranks 1:7 --folds 20 --restarts 20"} {
		in, out := countsFile(t), filepath.Join(t.TempDir(), "out")
		args := append([]string{command, in, "--iterations", "1000", "--checkpoint-every", "1ms", "--out", out}, strings.Fields(args)...)
		stdout := ""
		for limit := 30 * time.Millisecond; !strings.Contains(stdout, "ended by time limit"); limit *= 2 {
			status, printed, stderr := nmu(append(args, "--time-limit", limit.String(), "--force")...)
			if stdout = printed; status != 0 && !strings.Contains(stderr, "the time was over before") || stdout != "" && !strings.Contains(stdout, "ended by time limit") || limit > 20*time.Second {
				t.Fatalf("%s, %v: status %d: %s%s", command, limit, status, stdout, stderr)
			}
		}
		if !checkpoint.Has(out) {
			t.Errorf("%s: there is no checkpoint", command)
		}
		fails(t, []string{"nmu resume", "--force"}, args...)
		fails(t, []string{"--memory is for runs of nmu factor", "one of nmu " + command}, "resume", out, "--memory", "1GB")
		write(t, in, "1,2\n3,4\n")
		fails(t, []string{"is not what it was when the run began"}, "resume", out)
	}
}

func TestConsensusBad(t *testing.T) {
	in := countsFile(t)
	fails(t, []string{"one INPUT, got 0"}, "consensus", "--ranks", "2")
	fails(t, []string{"--ranks is missing, such as --ranks 5:12"}, "consensus", in)
	fails(t, []string{`--ranks "2:x"`}, "consensus", in, "--ranks", "2:x")
	fails(t, []string{"--runs 1"}, "consensus", in, "--ranks", "2", "--runs", "1")
	fails(t, []string{"--resample", "columns or poisson"}, "consensus", in, "--ranks", "2", "--resample", "rows")
	fails(t, []string{"--tolerance 0 for runs", "--iterations"}, "consensus", in, "--ranks", "2", "--tolerance", "0")
	fails(t, []string{"--level 95"}, "consensus", in, "--ranks", "2", "--level", "95")
	fails(t, []string{`start "svd"`}, "consensus", in, "--ranks", "2", "--init", "svd")
	fails(t, []string{"--checkpoint-every says how often"}, "consensus", in, "--ranks", "2", "--checkpoint-every", "1s")
	fails(t, []string{"comparing 5 runs up to rank 2 by nmf needs", "--max-memory"}, "consensus", in, "--ranks", "2", "--runs", "5", "--max-memory", "1MB")
	fails(t, []string{"row 2, column 1 of M = -1 is negative"}, "consensus", textFile(t, "bad.csv", "1,2\n-1,3\n"), "--ranks", "1", "--runs", "2")
}

// TestNotesOfComparisons: nmu rank and nmu consensus print the notes on the results of their runs, and
// write them to their files.
func TestNotesOfComparisons(t *testing.T) {
	input := textFile(t, "m.csv", "1,2,3,1\n2,1,4,2\n3,3,1,5\n1,5,2,2\n")
	for name, args := range map[string]string{
		"rank":      "rank " + input + " --ranks 1,2 --folds 1 --restarts 2",
		"consensus": "consensus " + input + " --ranks 1,2 --runs 3",
	} {
		for _, c := range []struct {
			penalty string
			noted   bool
		}{{"1e6", true}, {"1e-6", false}} {
			out := filepath.Join(t.TempDir(), "out")
			_, stderr := noted[any](t, append(strings.Fields(args), "--iterations", "500", "--method", "snmf", "--penalty-v", c.penalty, "--penalty-w", c.penalty, "--out", out)...)
			page := readText(t, out, name+".html")
			written := parsed[struct{ Result struct{ Notes []string } }](t, readText(t, out, name+".json"))
			if (len(written.Result.Notes) > 0) != c.noted || strings.Contains(stderr, "left nothing") != c.noted {
				t.Errorf("%s, penalties %s: notes %q, printed %q", name, c.penalty, written.Result.Notes, stderr)
			}
			for _, note := range written.Result.Notes {
				if strings.Count(stderr, note) != 1 || strings.Count(page, note) != 1 {
					t.Errorf("%s: the note %q is not once in %q and in the page", name, note, stderr)
				}
			}
		}
	}
}

// Pixels of a scene without data are left out of all runs: the factors are those of the matrix
// without them, and the tables name the pixels that are left by their numbers.
func TestConsensusScene(t *testing.T) {
	const pixels = sceneHeight * sceneWidth
	empty := func(p int) bool { return p == 3 || p == 7 }
	image := make([]float64, pixels)
	var kept []float64
	for b := range sceneBands {
		for p := range pixels {
			if !empty(p) {
				kept = append(kept, scenePixel(b, p))
				image[p] = 1
			}
		}
	}
	want, dir := filepath.Join(t.TempDir(), "want"), t.TempDir()
	flags := []string{"--ranks", "2", "--runs", "4", "--iterations", "50"}
	succeed(t, append([]string{"consensus", npyFile(t, pixels-2, kept), "--out", want}, flags...)...)
	for name, input := range map[string][]string{
		"ignore": {envi(t, sceneBands, fmt.Sprintf("data ignore value = %d\n", ignored), scenePixel), "--missing", "allow"},
		"mask":   {envi(t, sceneBands, "", scenePixel), "--mask", npyFile(t, sceneWidth, image)},
	} {
		got := filepath.Join(dir, name)
		status, _, stderr := nmu(append(append([]string{"consensus", "--out", got}, input...), flags...)...)
		if status != 0 || !strings.Contains(stderr, fmt.Sprintf("left out: 2 columns of %d without an observed entry", pixels)) {
			t.Fatalf("%s: %d, %s", name, status, stderr)
		}
		for _, file := range []string{"V-2.npy", "W-2.npy"} {
			must.Equal(t, readText(t, got, file), readText(t, want, file), name, file, "is not that of the matrix without empty pixels")
		}
		lines := strings.Split(readText(t, got, "W-2.csv"), "\n")
		if !strings.HasPrefix(lines[3], "3,") || !strings.HasPrefix(lines[4], "5,") {
			t.Errorf("%s: pixels %.10q and %.10q", name, lines[3], lines[4])
		}
	}
}
