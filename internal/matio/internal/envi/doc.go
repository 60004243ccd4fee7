// Package envi reads and writes ENVI cubes: a raster, and beside it a header of lines
// "name = value". The matrix is bands x pixels.
package envi
