// Package picture reads a folder of images as a matrix with one column per image: PGM, PNG,
// JPEG and TIFF, grey and of one size. Each page of a TIFF file is an image, and a TIFF file of
// several pages is such a folder itself. Images are read as they are shown: EXIF data and the
// TIFF tag of the orientation turn them.
//
// Open reads the headers, and estimates from them the memory that the decoders take. The pixels
// are decoded one image after the other.
package picture
