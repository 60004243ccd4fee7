package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/samples"
)

// TestGallery runs the commands of docs/gallery.md for three iterations, with recorded factors. With
// NMU_FULL it runs them as they are and compares the pictures and the errors of the page.
func TestGallery(t *testing.T) {
	full := os.Getenv("NMU_FULL") != "" && !testing.Short()
	docs := must.Get(filepath.Abs(filepath.Join("..", "..", "docs")))(t)
	t.Chdir(t.TempDir())
	must.Do(t, samples.Swimmer("."))
	must.Do(t, samples.Ground("."))
	page := readText(t, docs, "gallery.md")
	for name, want := range map[string]struct{ v, w, picture string }{
		"swimmer": {"ca71da287d47e4ac72f0a25785c30fea0eabd0d2ca6157c4c83f9a2ea816cf7a", "7649aca080f3db6f87d1653d58213e095b82ff89e56ee626029536f70c44d8b9", record.NameBasis},
		"ground":  {"03581528ce1008e313f98f460b354f0340662d62a67f7ac0015976e0a517108c", "f5f3b38f3b46742abb31db877cd80fba9cfd82710c181c0fafe8be893fb5bf9d", record.NameMaps},
	} {
		line := regexp.MustCompile(`(?m)^    nmu (factor ` + name + `.*)$`).FindStringSubmatch(page)
		if line == nil {
			t.Fatalf("docs/gallery.md has no command for %s", name)
		}
		args := append(strings.Fields(line[1]), "--json")
		if !full {
			args = append(args, "--iterations", "3", "--restarts", "1")
		}
		rep := parsed[record.Factor](t, succeed(t, args...))
		if !full {
			if rep.SHA256V != want.v || rep.SHA256W != want.w {
				t.Errorf("%s: V and W are %s, %s", name, rep.SHA256V, rep.SHA256W)
			}
			continue
		}
		if !commandtest.SamePicture(t, filepath.Join(name+"-out", want.picture), filepath.Join(docs, "gallery", name+".png")) {
			t.Errorf("docs/gallery/%s.png is another picture", name)
		}
		if says := "The relative error is " + render.Percent(rep.RelativeError) + "."; !strings.Contains(page, says) {
			t.Errorf("docs/gallery.md does not say of %s: %s", name, says)
		}
	}
}
