// Package dataset generates the data that the program needs without a file: the swimmer set of
// the paper, random matrices for measurements, and sets with known parts.
//
//	Swimmer      220 x 256   20 x 11 images   equal to the published set
//	Random         m x n                      dense, low rank plus noise
//	Mixture        m x n                      dense, a rank to be found, plus noise
//	Sparse         m x n                      CSR, given number of entries
//	Ground        60 x 4800   60 x 80 pixels  a hyperspectral image of four materials
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
