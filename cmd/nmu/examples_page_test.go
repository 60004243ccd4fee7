package main

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/must"
)

// docs/examples.md: every command runs on small files like those that the page describes, and the pages that
// it promises hold what it says, after few runs of few iterations.
func TestExamplesPage(t *testing.T) {
	page := readText(t, "..", "..", "docs", "examples.md")
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	exampleCells(t, rng)
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
	if commands != 7 {
		t.Fatalf("the page has %d commands", commands)
	}
	for path, words := range map[string][]string{
		"pbmc-parts/report.html":   {"By lift", "GENE1", "heat"},
		"pbmc-sure/consensus.html": {"Rank", "Consensus map, rank 5", "GENE1"},
		"scene-parts/report.html":  {"The thin curve is the nearest spectrum of minerals.sli", "all maps have one scale", "observed entries of M", "wavelength (Nanometers)"},
		"sbs-sure/consensus.html":  {"A[C&gt;A]A", "their intervals"},
		"air-sure/consensus.html":  {"Q / expected", "Na"},
		"air-parts/report.html":    {"without the weights", "Na"},
	} {
		text := readText(t, filepath.FromSlash(path))
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s lacks %q", path, word)
			}
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
		if !strings.Contains(said[command], words) {
			t.Errorf("nmu %s does not print %q: %s", command, words, said[command])
		}
	}
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
