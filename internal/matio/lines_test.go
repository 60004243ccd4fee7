package matio_test

import (
	"io/fs"
	"os"
	"testing"

	"nmu/internal/direct"
	"nmu/internal/matio"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// linesNpy returns the path of a .npy file of the given type and order whose element i, j is i*cols+j.
func linesNpy(t *testing.T, descr string, fortran bool, rows, cols int) string {
	return matiotest.Write(t, "m.npy", matiotest.NpyOf(matiotest.Numbered(rows, cols), descr, fortran))
}

// TestLines: any lines of a file are those of its matrix, and what cannot stay in its file
// says why.
func TestLines(t *testing.T) {
	t.Run("float32", testLines[float32])
	t.Run("float64", testLines[float64])
}

func testLines[T matio.Float](t *testing.T) {
	for _, descr := range []string{"<f8", "<f4", ">u2"} {
		for _, shape := range [][2]int{{700, 13}, {13, 700}, {30, 30}, {50, 1}, {1, 50}} {
			for flags := range 4 {
				fortran, turned := flags&1 > 0, flags&2 > 0
				f := matiotest.Open(t, linesNpy(t, descr, fortran, shape[0], shape[1]), matio.Options{Transpose: turned})
				rows, cols := f.Dims()
				native := descr == map[bool]string{true: "<f4", false: "<f8"}[any(T(0)) == any(float32(0))]
				wide := any(T(0)) == any(float64(0))
				fits := min(rows, cols) == 1 || (fortran == turned) == (cols <= rows)
				l, err := matio.OpenLines[T](f)
				must.Equal(t, err == nil, (native || wide) && fits && !(element.HostBigEndian && !wide), descr, shape, "Fortran", fortran, "transposed", turned, err)
				if err != nil {
					must.Fail(t, err, matio.ErrUnsupported, "")
					continue
				}
				_, _, all := must.Three(matio.Dense[T](matiotest.Open(t, f.Path(), matio.Options{Transpose: f.Transposed()})))(t)
				checkLines(t, l, all)
				// Some rows and columns, alone and next to each other, and some of these.
				of := [2][]int{{}, {}}
				for side, n := range []int{rows, cols} {
					for i := range n {
						if n < 5 || i%7 == 3 || i > n/2 {
							of[side] = append(of[side], i)
						}
					}
				}
				for range 2 {
					l = l.Select(of[0], of[1])
					var some []T
					for _, i := range of[0] {
						for _, j := range of[1] {
							some = append(some, all[i*cols+j])
						}
					}
					checkLines(t, l, some)
					if all, cols = some, len(of[1]); len(of[0]) < 9 || len(of[1]) < 9 {
						break
					}
					for side, n := range []int{len(of[0]), cols} {
						of[side] = nil
						for i := n / 3; i < n-1; i++ {
							of[side] = append(of[side], i)
						}
					}
				}
			}
		}
	}
}

// checkLines compares lines with the matrix, row by row in all.
func checkLines[T matio.Float](t *testing.T, l *matio.Lines[T], all []T) {
	t.Helper()
	rows, cols := l.Dims()
	count, width := rows, cols
	if l.ByColumns() {
		count, width = cols, rows
	}
	for first := 0; first < count; first += 1 + count/5 {
		for _, last := range []int{first + 1, min(first+17, count), count} {
			got, err := l.ReadLines(direct.Make[T](l.Room(last-first)), first, last)
			if err != nil || len(got) != (last-first)*width {
				t.Fatalf("lines %d to %d: %d numbers, %v", first, last, len(got), err)
			}
			for k, x := range got {
				at := first*width + k
				if l.ByColumns() {
					at = k%width*cols + first + k/width
				}
				if x != all[at] {
					t.Fatalf("%d x %d: number %d of lines %d to %d is %v, want %v", rows, cols, k, first, last, x, all[at])
				}
			}
		}
	}
}

// TestLinesChanged: a file that shrinks, or that another one takes the place of.
func TestLinesChanged(t *testing.T) {
	path := linesNpy(t, "<f8", false, 900, 4)
	f := matiotest.Open(t, path, matio.Options{})
	l := must.Get(matio.OpenLines[float64](f))(t)
	err := f.Guard(func() error {
		must.Do(t, os.Truncate(path, 20_000))
		room := direct.Make[float64](l.Room(10))
		if _, err := l.ReadLines(room, 0, 10); err != nil {
			t.Error(err)
		}
		_, err := l.ReadLines(room, 890, 900)
		return err
	})
	must.Fail(t, err, matio.ErrChanged, "", "a file that has shrunk")

	g := matiotest.Open(t, linesNpy(t, "<f8", false, 9, 4), matio.Options{})
	if err := os.Rename(g.Path(), g.Path()+".old"); err != nil {
		t.Skipf("an open file cannot be renamed: %v", err)
	}
	must.Refuse(matio.OpenLines[float64](g))(t, fs.ErrNotExist, "", "a file that is gone")
	must.Do(t, os.Rename(linesNpy(t, "<f8", false, 9, 4), g.Path()))
	if _, err := matio.OpenLines[float64](matiotest.Open(t, g.Path(), matio.Options{Transpose: g.Transposed()})); err != nil {
		t.Error(err)
	}
	again := matiotest.Open(t, g.Path()+".old", matio.Options{})
	again.Input().Path = g.Path()
	must.Refuse(matio.OpenLines[float64](again))(t, matio.ErrChanged, "", "a file in whose place is another one")
}

// TestNearby: lines are read together if at least half of them are wanted.
func TestNearby(t *testing.T) {
	for _, c := range []struct {
		wanted  []int
		most, n int
	}{{[]int{5}, 9, 1}, {[]int{0, 1, 2, 3}, 9, 4}, {[]int{0, 1, 2, 3}, 3, 3}, {[]int{0, 3, 4}, 9, 3}, {[]int{2, 6, 7}, 9, 1}, {[]int{0, 2, 4, 8}, 9, 3}} {
		if n := matio.Nearby(c.wanted, c.most); n != c.n {
			t.Errorf("%d of %v are read together, want %d", n, c.wanted, c.n)
		}
	}
}
