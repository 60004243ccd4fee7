package main

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"nmu/cmd/internal/commandtest"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/methods"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/render"
	"nmu/internal/samples"
)

// readText returns the content of a file.
func readText(t testing.TB, path ...string) string {
	t.Helper()
	return commandtest.ReadText(t, path...)
}

// The README shows what the demo gives, in numbers and in pictures, made by
//
//	go run ./cmd/nmu demo --out docs
func TestReadmeDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("a long computation without assembly: not with -short")
	}
	readme := readText(t, "..", "..", "README.md")
	shown := map[string]string{}
	for line := range strings.Lines(readme) {
		if fields := strings.Fields(line); len(fields) == 13 {
			shown[fields[0]] = strings.Join(fields[1:12], " ")
		}
	}
	out := t.TempDir()
	for line := range strings.Lines(succeed(t, "demo", "--out", out)) {
		fields := strings.Fields(line)
		if len(fields) != 13 || fields[2] != "%" {
			continue
		}
		method := fields[0]
		must.Equal(t, strings.Join(fields[1:12], " "), shown[method], method, "the demo gives")
		must.Say(t, readme, "(docs/"+method+".png)", method)
		if !commandtest.SamePicture(t, filepath.Join(out, method+".png"), filepath.Join("..", "..", "docs", method+".png")) {
			t.Errorf("docs/%s.png is not what the demo draws", method)
		}
		delete(shown, method)
	}
	for _, method := range []string{"nmf", "gnmu", "rnmu"} {
		if _, left := shown[method]; left {
			t.Errorf("the demo has no line for %s", method)
		}
	}
}

// docs/solvers.md shows what runs on the faces give, and the README names the first of them.
func TestSolversPage(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("a long computation: with NMU_FULL only")
	}
	faces := must.PaperFile(t, "CBCL.mat")
	page := readText(t, "..", "..", "docs", "solvers.md")
	command, ok := "factor CBCL.mat --rank 10", false
	if _, page, ok = strings.Cut(page, "`nmu "+command+"`"); !ok {
		t.Fatalf("docs/solvers.md does not name %s", command)
	}
	shown := regexp.MustCompile("(?m)^\\| `(--method .*)` \\| (.*) \\| (.*) \\| (.*) \\|$").FindAllStringSubmatch(page, -1)
	if len(shown) < 5 {
		t.Fatalf("docs/solvers.md shows the runs %q", shown)
	}
	readme := strings.Join(strings.Fields(readText(t, "..", "..", "README.md")), " ")
	for i, row := range shown {
		args := append(strings.Fields(command), strings.Fields(row[1])...)
		args[1] = faces
		rep := parseReport(t, []byte(succeed(t, append(args, "--json")...)))
		got := []string{render.Percent(rep.RelativeError), render.Percent(rep.RelativeViolation), fmt.Sprintf("%.0f %%", 100*rep.MaxViolation/rep.LargestEntry)}
		must.EqualSlices(t, got, row[2:], "docs/solvers.md shows of", row[1])
		if says := fmt.Sprintf("gives %.0f %% error, and V W exceeds M by up to %s of its largest entry", 100*rep.RelativeError, got[2]); i == 0 && !strings.Contains(readme, says) {
			t.Errorf("README.md does not say %q", says)
		}
	}
}

// docs/examples.md: every command runs on small files like those that the page describes, and the pages that
// it promises hold what it says, after few runs of few iterations.
func TestExamplesPage(t *testing.T) {
	page := readText(t, "..", "..", "docs", "examples.md")
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	exampleCells(t, rng)
	exampleTopics(t, rng)
	exampleScene(t, rng)
	exampleTables(t, rng)
	quick := map[string][]string{
		"consensus": {"--runs", "3", "--iterations", "15"},
		"factor":    {"--iterations", "15", "--restarts", "1"},
	}
	commands := 0
	said := map[string]string{}
	for line := range strings.Lines(page) {
		command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    nmu ")
		if !ok {
			continue
		}
		commands++
		args := strings.Fields(command)
		said[command] = succeed(t, append(args, quick[args[0]]...)...)
	}
	if commands != 8 {
		t.Fatalf("the page has %d commands", commands)
	}
	for path, words := range map[string][]string{
		"pbmc-parts/report.html":   {"By lift", "GENE1", "heat"},
		"pbmc-sure/consensus.html": {"Rank", "Consensus map, rank 5", "GENE1"},
		"topics/report.html":       {"By lift", "word1"},
		"scene-parts/report.html":  {"The thin curve is the nearest spectrum of minerals.sli", "all maps have one scale", "observed entries of M", "wavelength (Nanometers)"},
		"sbs-sure/consensus.html":  {"A[C&gt;A]A", "their intervals"},
		"air-sure/consensus.html":  {"Q / expected", "Na"},
		"air-parts/report.html":    {"without the weights", "Na"},
	} {
		text := readText(t, filepath.FromSlash(path))
		for _, word := range words {
			must.Say(t, text, word, path)
		}
		if named := path[:strings.IndexByte(path, '/')]; !strings.Contains(page, named) {
			t.Errorf("the page does not name %s", named)
		}
	}
	readText(t, "sbs-sure", "V-5.csv")
	for command, words := range map[string]string{
		"report scene-parts --library minerals.sli":                          "part 1",
		"factor pbmc --rank 5 --method kl --top 8 --report --out pbmc-parts": "GENE",
	} {
		must.Say(t, said[command], words)
	}
}

// exampleTopics writes counts of 40 words of 5 topics in 30 documents, and the words.
func exampleTopics(t *testing.T, rng *rand.Rand) {
	const words, documents, topics = 40, 30, 5
	var matrix, names strings.Builder
	fmt.Fprintf(&matrix, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n", words, documents, words*documents/topics)
	for i := range words {
		fmt.Fprintf(&names, "word%d\n", i)
		for j := range documents {
			if i%topics == j%topics {
				fmt.Fprintf(&matrix, "%d %d %d\n", i+1, j+1, 1+rng.IntN(9))
			}
		}
	}
	write(t, "words.mtx", matrix.String())
	write(t, "words.txt", names.String())
}

// exampleCells writes a folder like that of Cell Ranger: 40 genes of 5 programmes in 30 cells.
func exampleCells(t *testing.T, rng *rand.Rand) {
	const genes, cells, programmes = 40, 30, 5
	var matrix, features, barcodes strings.Builder
	entries := 0
	for j := range cells {
		fmt.Fprintf(&barcodes, "ACGT%02d-1\n", j)
		for i := range genes {
			mean := 0.3
			if i%programmes == j%programmes {
				mean = 6
			}
			if x := int(mean * rng.ExpFloat64()); x > 0 || i == j {
				entries++
				fmt.Fprintf(&matrix, "%d %d %d\n", i+1, j+1, x+1)
			}
		}
	}
	for i := range genes {
		fmt.Fprintf(&features, "ENSG%05d\tGENE%d\tGene Expression\n", i, i)
	}
	must.Do(t, os.Mkdir("pbmc", 0o777))
	for name, text := range map[string]string{
		"matrix.mtx": fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", genes, cells, entries, matrix.String()), "features.tsv": features.String(), "barcodes.tsv": barcodes.String(),
	} {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		must.Get(z.Write([]byte(text)))(t)
		must.Do(t, z.Close())
		write(t, filepath.Join("pbmc", name+".gz"), b.String())
	}
}

// exampleScene writes a scene of 6 x 7 pixels and 12 bands with a border and bad bands, and a library.
func exampleScene(t *testing.T, rng *rand.Rand) {
	const lines, samples, bands, materials = 6, 7, 12, 4
	spectrum := func(k, b int) float64 { return 1 + math.Sin(float64(b*(k+1))/3) + float64(k*b%5) }
	var raster, library []byte
	float := func(to []byte, x float64) []byte {
		return binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(x)))
	}
	share := make([][materials]float64, lines*samples)
	for p := range share {
		sum := 0.0
		for k := range materials {
			share[p][k] = rng.ExpFloat64()
			sum += share[p][k]
		}
		for k := range materials {
			share[p][k] /= sum
		}
	}
	var good, wavelengths []string
	for b := range bands {
		good, wavelengths = append(good, map[bool]string{true: "0", false: "1"}[b == 5]), append(wavelengths, fmt.Sprint(400+50*b))
		for p := range lines * samples {
			x := -9999.0
			if p%samples > 0 {
				x = 0
				for k := range materials {
					x += share[p][k] * spectrum(k, b)
				}
			}
			raster = float(raster, x)
		}
	}
	for k := range materials {
		for b := range bands {
			library = float(library, spectrum(k, b))
		}
	}
	header := "ENVI\nsamples = %d\nlines = %d\nbands = %d\ndata type = 4\ninterleave = bsq\nbyte order = 0\nwavelength units = Nanometers\nwavelength = {" + strings.Join(wavelengths, ", ") + "}\n"
	write(t, "scene.hdr", fmt.Sprintf(header, samples, lines, bands)+"data ignore value = -9999\nbbl = {"+strings.Join(good, ", ")+"}\n")
	write(t, "scene.img", string(raster))
	write(t, "minerals.hdr", fmt.Sprintf(header, bands, materials, 1)+"file type = ENVI Spectral Library\nspectra names = {alunite, calcite, kaolinite, water}\n")
	write(t, "minerals.sli", string(library))
}

// exampleTables writes a catalogue of mutations, and a table of species with uncertainties.
func exampleTables(t *testing.T, rng *rand.Rand) {
	const tumours, days = 16, 25
	species := []string{"Na", "Cl", "K", "Ca", "Fe", "Al", "Zn", "Pb", "Ni", "V"}
	sbs, air, errs := "MutationType", "date", "date"
	for j := range tumours {
		sbs += fmt.Sprintf("\tT%d", j)
	}
	row := 0
	for _, kind := range []string{"C>A", "C>G", "C>T", "T>A", "T>C", "T>G"} {
		for _, before := range "ACGT" {
			for _, after := range "ACGT" {
				sbs += fmt.Sprintf("\n%c[%s]%c", before, kind, after)
				for j := range tumours {
					sbs += fmt.Sprintf("\t%d", int(20*rng.ExpFloat64()*float64(1+(row+j)%5)/3))
				}
				row++
			}
		}
	}
	for _, name := range species {
		air, errs = air+","+name, errs+","+name
	}
	for d := range days {
		date := fmt.Sprintf("\n2024-03-%02d", d+1)
		air, errs = air+date, errs+date
		a, b := rng.ExpFloat64(), rng.ExpFloat64()
		for j := range species {
			if (d*7+j)%31 == 0 {
				air, errs = air+",", errs+","
				continue
			}
			x := a*float64(1+j%3) + b*float64(1+j%4)
			air, errs = air+fmt.Sprintf(",%.4f", x*(1+0.05*rng.NormFloat64())), errs+fmt.Sprintf(",%.4f", 0.05*x+0.01)
		}
	}
	write(t, "sbs.txt", sbs+"\n")
	write(t, "air.csv", air+"\n")
	write(t, "air-errors.csv", errs+"\n")
}

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

// Command lines of every method, with what they gave when they were recorded, one
// after the other in a folder with the files of testdata and the swimmer set: the
// same factors to the last bit, reported under the same names, and the same errors.
func TestRecordedCommands(t *testing.T) {
	var commands []struct {
		Args   string
		Status int
		Result map[string]any // of result.json by their paths, numbers that are not exact apart
	}
	must.Do(t, json.Unmarshal([]byte(readText(t, "testdata", "commands.json")), &commands))
	dir := filepath.Dir(swimmerFile(t, false))
	for _, name := range []string{"parts.csv", "small.csv", "zero.csv", "small.mtx"} {
		write(t, filepath.Join(dir, name), readText(t, "testdata", name))
	}
	t.Chdir(dir)
	seen := map[any]bool{}
	for _, c := range commands {
		status, stdout, stderr := nmu(strings.Fields(c.Args)...)
		results := status == 0 || status == exit.StatusUnconverged
		if status != c.Status || !results && stdout != "" {
			t.Errorf("nmu %s: status %d, want %d: %s%s", c.Args, status, c.Status, stdout, stderr)
			continue
		}
		if !results {
			continue
		}
		rep := parsed[any](t, stdout)
		if schema, _ := member(rep, "schema").(string); !strings.HasPrefix(schema, "nmu-"+strings.Fields(c.Args)[0]+"/") {
			t.Errorf("nmu %s has the schema %q", c.Args, schema)
		}
		for path, want := range c.Result {
			if got := member(rep, path); !reflect.DeepEqual(got, want) {
				t.Errorf("nmu %s: %s is %v, want %v", c.Args, path, got, want)
			}
		}
		seen[c.Result["settings.method"]] = true
	}
	for _, name := range methods.Names(methods.Any) {
		if !seen[name] {
			t.Errorf("testdata/commands.json has no result of %s", name)
		}
	}
}
