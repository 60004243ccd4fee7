package matio_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"nmu/internal/matio"
)

// A matrix of text becomes a .npy file, which is read in its transpose.
func Example() {
	dir, err := os.MkdirTemp("", "matio")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text, binary := filepath.Join(dir, "m.csv"), filepath.Join(dir, "m.npy")
	if err := os.WriteFile(text, []byte("length,width\n1,2\n3,4\n5,6\n"), 0o666); err != nil {
		log.Fatal(err)
	}

	in, err := matio.Open(text, matio.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	rows, cols, m, err := matio.Dense[float64](in)
	if err != nil {
		log.Fatal(err)
	}
	if err := matio.WriteFile(binary, func(w io.Writer) error { return matio.EncodeNpy(w, rows, cols, m, cols) }); err != nil {
		log.Fatal(err)
	}

	out, err := matio.Open(binary, matio.Options{Transpose: true})
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	fmt.Println(matio.Dense[float32](out))
	// Output: 2 3 [1 3 5 2 4 6] <nil>
}
