// Package dataset generates the data that the program needs without a file:
// the swimmer set of the paper, stand-ins for two sets that cannot be
// distributed, a hyperspectral image of known materials, and random matrices for
// measurements.
//
//	Swimmer      220 x 256   20 x 11 images   equal to the published set
//	Telescope  16384 x 100  128 x 128 images  synthetic, in place of Hubble
//	LitSurface  4096 x 20    64 x 64 images   synthetic, in place of Kuls
//	Cube        1728 x 40    36 x 48 images   planted maps and spectra, noise
//	Random         m x n                      dense, low rank plus noise
//	Planted        m x n                      dense, a rank to be found, plus noise
//	Sparse         m x n                      CSR, given number of entries
//	Text           m x n                      CSR, words of documents on topics
//
// An image is one column of the matrix, its pixels column after column:
//
//	image, h x w              column of the matrix, h*w rows
//
//	    x ->                  pixel (y, x) is row y + h*x
//	  y  (0,0) (0,1) ...
//	  |  (1,0) (1,1)          0 is white, 1 is black
//	  v  ...
//
// The matrix itself is stored by rows, like every matrix of the program.
//
// For given arguments the bits of the result are the same on all machines:
// only + - * / and square roots are used, each product is rounded before it
// is added, and random numbers come from the PCG generator of math/rand/v2.
package dataset
