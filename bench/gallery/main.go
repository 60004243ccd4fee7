// Command gallery writes the data sets of docs/gallery.md to a folder, by default this one.
package main

import (
	"errors"
	"fmt"
	"os"

	"nmu/internal/samples"
)

func main() {
	folder := append(os.Args, ".")[1]
	if err := errors.Join(samples.Swimmer(folder), samples.Ground(folder)); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}
