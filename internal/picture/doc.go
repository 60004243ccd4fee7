// Package picture knows which factors can be seen: the columns of V as images, the rows of W
// as maps. It has the flags for their sizes, notices pictures whose pixels were probably taken in
// the wrong order, and draws them as the paper prints basis images, 0 white and 1 black:
//
//	V, m x r                        PNG
//
//	  column k = image k            label
//	  row y + h*x = pixel (y, x)    +---+---+---+
//	                                | 1 | 2 | 3 |    each image divided by its
//	  m = h*w                       +---+---+---+    own maximum, enlarged by a
//	                                | 4 | 5 |   |    whole factor, in a grid
//	                                +---+---+---+    with gray separators
package picture
