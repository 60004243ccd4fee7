// Package figure writes basis images as the paper prints them: the columns of
// V as gray-level images, 0 white and 1 black.
//
//	V, m x r                        PNG
//
//	  column k = image k            label
//	  row y + h*x = pixel (y, x)    +---+---+---+
//	                                | 1 | 2 | 3 |    each image divided by its
//	  m = h*w                       +---+---+---+    own maximum, enlarged by a
//	                                | 4 | 5 |   |    whole factor, in a grid
//	                                +---+---+---+    with gray separators
//
// Montage draws one matrix, Stack several under each other with their labels,
// such as one per method. Both write to an io.Writer and write nothing if an
// argument is wrong, so that the caller can put a file in place when it is
// complete. Tables, plots and pages are written by package render, which knows
// nothing of matrices; this one needs an image encoder.
package figure
