package dataset

import (
	"slices"
	"testing"

	"nmu/internal/must"
)

// The first and the last image, drawn by hand from the description in the
// paper's example and not by the generator.
func TestSwimmerImages(t *testing.T) {
	pictures := map[int][]string{
		0: {
			"....#.#....", "....#.#....", "....#.#....", "....###....",
			".....#.....", ".....#.....", ".....#.....", ".....#.....",
			".....#.....", ".....#.....", ".....#.....", ".....#.....",
			"....###....", "....#.#....", "....#.#....", "....#.#....",
		},
		// upper left 1, upper right 2, lower left 3, lower right 0
		1*64 + 2*16 + 3*4 + 0: {
			".#.........", "..#........", "...#.......", "....######.",
			".....#.....", ".....#.....", ".....#.....", ".....#.....",
			".....#.....", ".#...#.....", "..#..#.....", "...#.#.....",
			"....###....", "......#....", "......#....", "......#....",
		},
		255: {
			"...........", "...........", "...........", "....###....",
			"...#.#.#...", "..#..#..#..", ".#...#...#.", ".....#.....",
			".....#.....", ".#...#...#.", "..#..#..#..", "...#.#.#...",
			"....###....", "...........", "...........", "...........",
		},
	}
	s := Swimmer()
	if s.Rows != 220 || s.Cols != 256 || s.ImageHeight != 20 || s.ImageWidth != 11 || len(s.Data) != 220*256 {
		t.Fatalf("shape %d x %d of %d x %d images, %d numbers", s.Rows, s.Cols, s.ImageHeight, s.ImageWidth, len(s.Data))
	}
	const firstRow = 2 // of the drawings
	for j, picture := range pictures {
		for y := range 20 {
			for x := range 11 {
				want := 0.0
				if y >= firstRow && y < firstRow+len(picture) && picture[y-firstRow][x] == '#' {
					want = 1
				}
				if got := s.Data[(y+20*x)*s.Cols+j]; got != want {
					t.Errorf("image %d, pixel (%d,%d) is %v, want %v", j, y, x, got, want)
				}
			}
		}
	}
}

// Every image is the union of the torso and one position of each limb, and
// each combination occurs once.
func TestSwimmerParts(t *testing.T) {
	s := Swimmer()
	parts := SwimmerParts()
	if len(parts) != 17 {
		t.Fatalf("%d parts, want 17", len(parts))
	}
	seen := make([]int, s.Rows)
	for _, p := range parts {
		for _, i := range p.Rows {
			seen[i]++
		}
	}
	must.Equal(t, slices.Max(seen), 1, "a pixel is in")
	combinations := map[[5]int]bool{}
	for j := range s.Cols {
		touched, outside := Touched(parts, s.Data, s.Rows, s.Cols, j, 0.5)
		must.Equal(t, outside, 0, "image", j)
		if len(touched) != 5 || touched[0] != 0 {
			t.Fatalf("image %d touches %v, want the torso and four positions", j, touched)
		}
		ones := 0.0
		for i := range s.Rows {
			ones += s.Data[i*s.Cols+j]
		}
		must.Equal(t, ones, 14+4*3, "image", j)
		for k, p := range touched[1:] {
			if (p-1)/4 != k {
				t.Errorf("image %d: limb %d has part %d (%s)", j, k, p, parts[p].Name)
			}
		}
		combinations[[5]int(touched)] = true
	}
	must.Equal(t, len(combinations), 256, "different images")
}

func TestTouched(t *testing.T) {
	parts := []Part{{"a", []int{0, 1}}, {"b", []int{2}}, {"c", []int{4}}}
	// 6 rows, stride 3, two columns.
	v := []float32{
		1, 0, -1,
		4, 0, -1,
		0.25, 0, -1,
		0.26, 0, -1, // in no part
		0, 0, -1,
		0.1, 0, -1, // in no part, below the limit
	}
	check := func(k int, fraction float64, want []int, wantOutside int) {
		t.Helper()
		touched, outside := Touched(parts, v, 6, 3, k, fraction)
		if !slices.Equal(touched, want) || outside != wantOutside {
			t.Errorf("column %d above %v: touches %v and %d outside, want %v and %d", k, fraction, touched, outside, want, wantOutside)
		}
	}
	check(0, 0.0625, []int{0}, 1) // 0.25 is not above
	check(0, 0.0624, []int{0, 1}, 1)
	check(0, 0.0, []int{0, 1}, 2)
	check(0, 0.5, []int{0}, 0)
	check(1, 0.05, nil, 0)
	check(1, 0, nil, 0)
}
