package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/record"
	"nmu/cmd/internal/samples"
	"nmu/internal/dataset"
	"nmu/lnmu"
)

// makeGallery writes the gallery with few iterations, or as it is, and returns its
// folder and that of the data.
func makeGallery(t *testing.T, more ...string) (out, data string) {
	t.Helper()
	if _, texts, err := samples.Licences(samples.ModuleCache()); err != nil || len(texts) < 3 {
		t.Skipf("NOT TESTED: the module cache of the go tool cannot be used on this machine: %d licences, %v", len(texts), err)
	}
	out, data = filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "data")
	cmd := galleryCommand()
	var stdout bytes.Buffer
	cmd.SetOut(&stdout)
	cmd.SetContext(t.Context())
	if err := runGallery(cmd, out, data, more...); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout.String(), nameGallery) {
		t.Errorf("output %q", &stdout)
	}
	return out, data
}

// TestGallery: every example gives a section, its pictures and, after three iterations, the recorded
// factors. With them TestGalleryIsTrue, which takes long, need not run each time.
func TestGallery(t *testing.T) {
	recorded := map[string][2]string{ // the SHA-256 of V and W; the licences are others in a test
		"swimmer": {"ca71da287d47e4ac72f0a25785c30fea0eabd0d2ca6157c4c83f9a2ea816cf7a", "7649aca080f3db6f87d1653d58213e095b82ff89e56ee626029536f70c44d8b9"},
		"ground":  {"03581528ce1008e313f98f460b354f0340662d62a67f7ac0015976e0a517108c", "f5f3b38f3b46742abb31db877cd80fba9cfd82710c181c0fafe8be893fb5bf9d"},
		"strokes": {"27e73c8ae03eb73f7ca81b2fe30787dc6528a17d514a9c254407a10f15300c1f", "c6868f19e23dbda0e86472f8b652474d98a21ff65a31e99eb369d3519a67c13e"},
		"melody":  {"e82ab45cfd73109e216466e7ea6b55a7b3289a0367c28902d5f1fb75c81c0848", "066a07fe17b866aaa655cad1528248179d0fe6c5598240934d4c0a36f3e38be7"},
	}
	out, data := makeGallery(t, "--iters", "3", "--restarts", "1")
	page := commandtest.ReadText(t, out, nameGallery)
	pictures := commandtest.Names(t, filepath.Join(out, folderPictures))
	for _, e := range gallery() {
		if !strings.Contains(page, "    "+e.command()+"\n") {
			t.Errorf("%s lacks %q", nameGallery, e.command())
		}
		for _, p := range e.pictures {
			if !slices.Contains(pictures, p.name) || !strings.Contains(page, "("+folderPictures+"/"+p.name+")") {
				t.Errorf("no picture %s", p.name)
			}
		}
		if _, err := os.Stat(filepath.Join(data, e.args[0])); err != nil {
			t.Error(err)
		}
		var rep record.Factor
		if err := json.Unmarshal([]byte(commandtest.ReadText(t, data, e.out(), record.NameResult)), &rep); err != nil {
			t.Fatal(err)
		}
		if got, want := [2]string{rep.SHA256V, rep.SHA256W}, recorded[e.name]; got != want && e.name != "licences" {
			t.Errorf("%s: V and W are %q, want %q", e.name, got, want)
		}
	}
	fails(t, []string{"--out"}, "gallery")
}

// docs/gallery.md is that of the examples, and its pictures are there and small.
func TestGalleryPage(t *testing.T) {
	const docs, largest = "../../docs", 150 << 10
	page := commandtest.ReadText(t, docs, nameGallery)
	if !strings.HasPrefix(page, galleryHead) {
		t.Errorf("%s begins otherwise", nameGallery)
	}
	var want []string
	for _, e := range gallery() {
		text := regexp.QuoteMeta("## " + e.title + "\n\n" + e.about + "\n\n    " + e.command() + "\n\n")
		for _, p := range e.pictures {
			text += regexp.QuoteMeta("![" + p.alt + "](" + folderPictures + "/" + p.name + ")\n\n")
			want = append(want, p.name)
			if info, err := os.Stat(filepath.Join(docs, folderPictures, p.name)); err != nil || info.Size() > largest {
				t.Errorf("%s: more than %d bytes, or %v", p.name, largest, err)
			}
		}
		text += strings.ReplaceAll(regexp.QuoteMeta(e.text), "%s", `\d+\.\d\d %`) + "\n"
		if !regexp.MustCompile(text).MatchString(page) {
			t.Errorf("%s has no section\n%s", nameGallery, text)
		}
		fs := factor.Command().Flags()
		if err := fs.Parse(strings.Fields(e.command())[2:]); err != nil {
			t.Errorf("%s: %v", e.command(), err)
		} else if fs.NArg() != 1 {
			t.Errorf("%s: the arguments %q", e.command(), fs.Args())
		}
	}
	slices.Sort(want)
	if got := commandtest.Names(t, filepath.Join(docs, folderPictures)); !slices.Equal(got, want) {
		t.Errorf("pictures %q, want %q", got, want)
	}
}

// The gallery shows what its command lines give, and its sentences are true. The words
// depend on the modules of the program, which are others in a test.
func TestGalleryIsTrue(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" || testing.Short() {
		t.Skip("whole factorizations: with NMU_FULL, without -short")
	}
	out, data := makeGallery(t)
	const docs = "../../docs"
	section := func(page, title string) string {
		_, text, _ := strings.Cut(page, "\n## "+title+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		return text
	}
	here, there := commandtest.ReadText(t, out, nameGallery), commandtest.ReadText(t, docs, nameGallery)
	for _, e := range gallery() {
		if e.name == "licences" {
			continue
		}
		if got, want := section(there, e.title), section(here, e.title); got != want {
			t.Errorf("%s of %s says\n%s\nbut it gives\n%s", e.title, nameGallery, got, want)
		}
		for _, p := range e.pictures {
			a, b := filepath.Join(out, folderPictures, p.name), filepath.Join(docs, folderPictures, p.name)
			if same := commandtest.ReadText(t, a) == commandtest.ReadText(t, b) || strings.HasSuffix(p.name, ".png") && commandtest.SamePicture(t, a, b); !same {
				t.Errorf("%s is another one", p.name)
			}
		}
	}
	factors := func(name string) (v, w lnmu.Dense[float64]) {
		for file, to := range map[string]*lnmu.Dense[float64]{record.NameV: &v, record.NameW: &w} {
			rows, cols, values, err := readAll(filepath.Join(data, name+"-out", file))
			if err != nil {
				t.Fatal(err)
			}
			*to = lnmu.NewDense(rows, cols, values)
		}
		return v, w
	}

	v, _ := factors("swimmer")
	parts := dataset.SwimmerParts()
	seen := map[int]bool{}
	for k := range v.Cols {
		touched, outside := dataset.Touched(parts, v.Data, v.Rows, v.Stride, k, 0.01)
		if len(touched) != 1 || outside != 0 || seen[touched[0]] || k == 0 && touched[0] != 0 {
			t.Errorf("swimmer: factor %d touches the parts %v and %d other pixels", k+1, touched, outside)
			continue
		}
		seen[touched[0]] = true
	}

	_, w := factors("ground")
	ground := dataset.Ground(0)
	pixels := ground.Height * ground.Width
	for k, want := range []string{"soil", "roofs", "plants", "water"} {
		best, most := "", 0.0
		for a, name := range ground.Materials {
			if c := cosine(w.Row(k), ground.Abundances[a*pixels:(a+1)*pixels]); c > most {
				best, most = name, c
			}
		}
		if best != want || most < 0.95 {
			t.Errorf("ground: map %d is that of %s (cosine %.3f), want %s", k+1, best, most, want)
		}
	}

	v, _ = factors("strokes")
	clean := dataset.Strokes(1, 0)
	stroke := map[int]bool{}
	for k := range v.Cols {
		// The pixel that is largest lies in one of the strokes, of which each has one factor.
		at := 0
		for i := range v.Rows {
			if v.At(i, k) > v.At(at, k) {
				at = i
			}
		}
		y, x := at%clean.ImageHeight, at/clean.ImageHeight
		stroke[strokeAt(y, x)] = true
	}
	if len(stroke) != len(dataset.StrokeNames) || stroke[-1] {
		t.Errorf("strokes: the factors show %v", stroke)
	}

	v, w = factors("melody")
	melody := dataset.Melody()
	order := byPitch(v)
	for j, played := range melody.Played {
		loudest := 0
		for n, k := range order {
			if w.At(k, j) > w.At(order[loudest], j) {
				loudest = n
			}
		}
		if played >= 0 && loudest != played {
			t.Errorf("melody: frame %d sounds as %s, is %s", j, melody.Notes[loudest], melody.Notes[played])
		}
	}
	residual, within := 0.0, 0.0 // of the frames in which a note begins
	for j := range w.Cols {
		for i := range v.Rows {
			x := melody.Data[i*w.Cols+j]
			for k := range v.Cols {
				x -= v.At(i, k) * w.At(k, j)
			}
			residual += x * x
			if melody.Played[j] < 0 {
				within += x * x
			}
		}
	}
	if within < 0.8*residual {
		t.Errorf("melody: %.3f of the squared error lies in the beginnings of notes", within/residual)
	}
}

// strokeAt is the stroke in the middle third of which a pixel lies, or -1.
func strokeAt(y, x int) int {
	for k, s := range [][4]int{{1, 4, 5, 9}, {4, 8, 2, 4}, {4, 8, 9, 11}, {8, 11, 5, 9}, {11, 15, 2, 4}, {11, 15, 9, 11}, {15, 18, 5, 9}} {
		if y >= s[0] && y <= s[1] && x >= s[2] && x <= s[3] {
			return k
		}
	}
	return -1
}

// cosine is that of the angle between two vectors.
func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

// A signal that ends one of its runs ends the gallery with the status of that signal,
// also when the run comes to know it first.
func TestGalleryInterrupted(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, exit.Terminate, exit.Hangup} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(exit.Interrupt(s))
		melody := gallery()[len(gallery())-1] // one file
		_, err := melody.run(ctx, t.TempDir(), nil)
		if want := exit.Status(exit.Interrupt(s), true); exit.Status(err, true) != want {
			t.Errorf("%v: status %d, want %d: %v", s, exit.Status(err, true), want, err)
		}
	}
}
