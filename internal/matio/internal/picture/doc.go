// Package picture reads a folder of images as a matrix with one column per image: PGM, PNG,
// JPEG and TIFF, grey and of one size.
//
// Open reads the headers, and estimates from them the memory that the decoders take. The pixels
// are decoded one image after the other.
package picture
