package matio_test

import (
	"math"
	"path/filepath"
	"testing"
	"unsafe"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// A large file of the right form is mapped: what it returns is the file, so a
// change of the file shows.
func TestMapped(t *testing.T) {
	mappedAs[float32](t)
	mappedAs[float64](t)
}

func mappedAs[T matio.Float](t *testing.T) {
	rows, cols := 512, 1025
	data := make([]T, rows*cols)
	for i := range data {
		data[i] = T(i % 1001)
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	must.Do(t, matiotest.WriteNpy(path, rows, cols, data, cols))
	f := matiotest.Open(t, path, matio.Options{})
	for range 2 {
		_, _, got := must.Three(matio.Dense[T](f))(t)
		for i, v := range got {
			if v != data[i] {
				t.Fatalf("element %d is %v, want %v", i, v, data[i])
			}
		}
		if f.Mapping() == nil {
			if _, err := matio.MapFile(f.Input().Handle, int(f.Input().Size)); err == nil && !element.HostBigEndian {
				t.Fatal("the file is not mapped")
			}
			t.Log("this system does not map files")
		} else if unsafe.Pointer(&got[0]) != unsafe.Pointer(&f.Mapping()[f.Input().Plain.Offset]) {
			t.Error("the data are not the mapping")
		}
	}
	// The transpose, and the other precision, are copies.
	f = matiotest.Open(t, path, matio.Options{Transpose: true})
	_, _, turned, err := matio.Dense[T](f)
	if err != nil || f.Mapping() != nil {
		t.Fatalf("transposed: %v, mapped %v", err, f.Mapping() != nil)
	}
	for i := range rows {
		for j := range cols {
			if turned[j*rows+i] != data[i*cols+j] {
				t.Fatalf("transposed element %d, %d is %v, want %v", j, i, turned[j*rows+i], data[i*cols+j])
			}
		}
	}
}

func TestNpyRoundTrip(t *testing.T) {
	roundTrip[float32](t)
	roundTrip[float64](t)
}

func roundTrip[T matio.Float](t *testing.T) {
	const stride = 20000
	data := make([]T, 3*stride)
	for i := range data {
		data[i] = T(i) / 7
	}
	data[1] = T(math.Inf(1))
	for _, size := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {3, 7}, {2, input.Chunk}, {3, input.Chunk + 1}, {3, stride}} {
		rows, cols := size[0], size[1]
		path := filepath.Join(t.TempDir(), "a.npy")
		must.Do(t, matiotest.WriteNpy(path, rows, cols, data, stride))
		f := matiotest.Open(t, path, matio.Options{})
		r, c, got, err := matio.Dense[T](f)
		if err != nil || r != rows || c != cols || len(got) != rows*cols {
			t.Fatalf("%v: Dense = %d x %d, %d elements, %v", size, r, c, len(got), err)
		}
		if want := map[bool]int{true: 4, false: 8}[unsafe.Sizeof(data[0]) == 4]; f.Input().Plain.Type.Size != want {
			t.Errorf("%d bytes for an element of %T", f.Input().Plain.Type.Size, data)
		}
		for i := range rows {
			for j := range cols {
				if got[i*cols+j] != data[i*stride+j] {
					t.Fatalf("%v: element %d, %d is %v, want %v", size, i, j, got[i*cols+j], data[i*stride+j])
				}
			}
		}
	}
}
