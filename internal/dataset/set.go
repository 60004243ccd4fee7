package dataset

import (
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Set is a matrix of images, one image per column.
type Set struct {
	// Name is the name of the set.
	Name string
	// Rows is the number of pixels, ImageHeight*ImageWidth, and Cols the
	// number of images.
	Rows, Cols int
	// Data is the Rows x Cols matrix by rows: entry (i, j) is Data[i*Cols+j].
	Data []float64
	// ImageHeight and ImageWidth are the size of an image in pixels. Pixel
	// (y, x) is row y + ImageHeight*x.
	ImageHeight, ImageWidth int
}

// Folder returns the default folder of the paper's data sets: the value of the environment
// variable NMU_DATA, or else ../shared/data. The folder may not exist.
func Folder() string {
	if dir := os.Getenv("NMU_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data")
}

// stream returns generator number i of a seed. Different i give independent
// sequences, so that parts of a set can be filled in any order.
func stream(seed, i uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, i))
}

// between returns a uniform number in [lo, hi).
func between(rng *rand.Rand, lo, hi float64) float64 {
	return lo + float64((hi-lo)*rng.Float64())
}

// bump returns a smooth hill of height 1 at the origin with the half axes rx, ry: (1 - q)^2
// with q = (x/rx)^2 + (y/ry)^2, and zero for q > 1.
func bump(x, y, rx, ry float64) float64 {
	x, y = x/rx, y/ry
	q := float64(x*x) + float64(y*y)
	if q >= 1 {
		return 0
	}
	return (1 - q) * (1 - q)
}
