// Package picture knows which factors can be seen: the columns of V as images, the rows of W
// as maps. It has the flags for their sizes, draws them, and notices pictures whose pixels
// were probably taken in the wrong order.
package picture
