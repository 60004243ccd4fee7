// Package npy reads and writes .npy files, and knows their header for packages npz and folder:
//
//	\x93NUMPY 1 0 LENGTH {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// A 1-D array is a column. The elements stay in the file until they are asked for.
package npy
