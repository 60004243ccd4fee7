package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/record"
	"nmu/lnmu"
)

// cubeFile writes a scene of height x width pixels with so many bands as an array of three dimensions, without
// data in the pixels that empty names.
func cubeFile(t *testing.T, path string, height, width, bands int, empty func(pixel int) bool) {
	t.Helper()
	d := entries(height*width, bands, func(k int) float64 {
		p, b := k/bands, k%bands
		if empty(p) {
			return math.NaN()
		}
		return float64(1 + (7*b*b+5*p+b*p)%1009)
	})
	write(t, path, npy("<f8", fmt.Sprintf("(%d, %d, %d)", height, width, bands), matiotest.BytesOf(d.Data, "<f8")))
}

// lists writes lists of rows and of columns to leave out into the working directory: lines alone and next to each other.
func lists(t *testing.T, rows, cols int) {
	t.Helper()
	for name, n := range map[string]int{"rows.txt": rows, "cols.txt": cols} {
		var list strings.Builder
		for i := 1; i <= n; i++ {
			if i%7 == 3 || i > n/3 && i <= n/2 && n > 20 {
				fmt.Fprintln(&list, i)
			}
		}
		write(t, name, list.String())
	}
}

// withGaps writes masks, weights and a matrix of 1009 x 12 of which some rows have no observed entry.
func withGaps(t *testing.T) {
	t.Helper()
	var names, turned strings.Builder
	all, gaps := map[string]lnmu.Dense[float64]{}, matrixOf(t, "tall.npy")
	for _, name := range []string{"seen", "confidence", "ones", "levels", "coded"} {
		all[name] = lnmu.NewDense[float64](1009, 12, nil)
	}
	for i := range gaps.Rows {
		fmt.Fprintf(&names, "r%d\n", i)
		fmt.Fprintf(&turned, "r%d", 1008-i)
		for j := range gaps.Cols {
			fmt.Fprintf(&turned, ",%d", (1008-i+j)%4)
			if i%11 != 5 {
				all["seen"].Row(i)[j], all["confidence"].Row(i)[j] = float64((i+j)%4), float64(1+(i+j)%3)
			}
			if i%13 == 4 || i > 800 && i < 900 {
				gaps.Row(i)[j] = math.NaN()
			}
			if all["coded"].Row(i)[j] = float64(i % (j + 2)); i%13 == j || i%17 == j {
				all["coded"].Row(i)[j] = []float64{-9, -0.5}[i%2]
			}
			all["ones"].Row(i)[j], all["levels"].Row(i)[j] = 2, float64(1+i/512)
		}
		turned.WriteString("\n")
	}
	all["hollow"] = gaps
	for name, d := range all {
		writeMatrix(t, name+".npy", d)
	}
	write(t, "names.txt", names.String())
	write(t, "turned.csv", turned.String())
}

// pictures returns what the page of a result shows of M, V and W.
func pictures(t *testing.T, dir string) string {
	t.Helper()
	return strings.Join(regexp.MustCompile(`(?s)<section id="(parts|weights|distance)".*?</section>`).FindAllString(readText(t, dir, record.NameReport), -1), "\n")
}

// Of a matrix that stays in its file the rows and columns that are left out are those that are left out in
// memory, and the others have the same bits.
func TestSkipStored(t *testing.T) {
	large := largeFile(t)
	full := os.Getenv("NMU_FULL") != ""
	folder, thin := "", ""
	if full {
		folder, thin = largeFolder(t, 100, false), largeFolder(t, 40, false) // processes with thin have their parts in memory
	}
	t.Chdir(t.TempDir())
	lists(t, 50_000, 10)
	for name, bands := range map[string]int{"scene.npy": 16, "flat.npy": 4} {
		cubeFile(t, name, 250, 200, bands, func(p int) bool { return p%9 == 4 || p > 20_000 && p < 30_000 })
	}
	writeMatrix(t, "seen.npy", entries(250, 200, func(p int) float64 { return float64(p % 5) }))
	for i, line := range []string{
		large + " --method gnmu --skip-rows rows.txt --skip-cols cols.txt",
		"scene.npy --method nmf --missing allow --report --out out",
		folder + " --method nmf --skip-rows rows.txt --skip-cols cols.txt --report --out out",
		"scene.npy --method nmf --missing allow --mask seen.npy --skip-rows cols.txt",
		"flat.npy --method rnmu --missing allow --weights seen.npy --improve",
		thin + " --method gnmu --skip-cols cols.txt --improve",
	} {
		if !full && i > 1 {
			break
		}
		args := strings.Fields("factor " + line + " --rank 2 --iterations 2 --restarts 1 --threads 1 --json")
		want := succeed(t, args...)
		if !strings.Contains(want, "whose factors are NaN") {
			t.Errorf("%s: nothing is left out", line)
		}
		page := ""
		if strings.Contains(line, "--out") {
			page = pictures(t, "out")
		}
		check := func(status int, stdout, stderr string) {
			t.Helper()
			if status != 0 || !strings.Contains(stderr, "stays ") {
				t.Fatalf("%s: status %d, %s", line, status, stderr)
			}
			sameRun(t, line, edited(stdout, "files", ""), edited(want, "files", "")) // the page has the time
			if page != "" && pictures(t, "out") != page {
				t.Errorf("%s: the pictures of the page differ", line)
			}
		}
		args = append(args, "--scratch", ".", "--force")
		check(stored(t, 0, args...))
		if full && i < 3 {
			check(stored(t, 3, append(args, "--mpi")...))
		}
	}
}

// Without rows, a tall matrix may be a wide one, whose columns its file does not hold.
func TestSkipTurnsAStoredMatrix(t *testing.T) {
	t.Chdir(t.TempDir())
	writeMatrix(t, "m.npy", lnmu.NewDense[float64](1000, 990, nil))
	list := textFile(t, "rows.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n")
	fails(t, []string{"without 12 rows of 1000 it is 988 x 990", "give more --memory"}, "factor", "m.npy", "--rank", "2", "--skip-rows", list, "--memory", "20MB")
}
