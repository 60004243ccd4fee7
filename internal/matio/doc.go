// Package matio reads matrices from files and writes them.
//
//	path ──Open──▶ File ──Dense[T]──▶ rows, cols, row-major []T
//	                │   └─Sparse[T]─▶ rows, cols, CSR arrays
//	                └─ Dims, Name, Sparse, Float32, ImageSize
//
// OpenParts opens a .npy or HDF5 file or a folder of .npy files for reading by blocks:
// ReadBlock and SparseBlock read any rows and columns without the others.
//
// Open recognises the format by the content, else by the extension. It reads the headers and
// checks their claims against the bytes of the file. Dense and Sparse then read the numbers.
//
// This package recognises the format of a file. The packages below it, one for each format,
// fill in an input.File: sizes, names, and a source of the numbers. From an input.File this
// package reads matrices of every format alike.
//
// # File types
//
//	.npy           NumPy, header versions 1 to 3; f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1,
//	               either byte order, C or Fortran order. A 1-D array is a column;
//	               0-D and more than two dimensions are errors.
//	.npz           zip of .npy, stored or deflated; SciPy sparse matrices in csr, csc
//	               and coo form (save_npz) are sparse.
//	.mat           MATLAB version 5 (-v6, -v7): dense numeric and logical arrays of every
//	               class, sparse matrices, compressed or not, either byte order.
//	.h5 .h5ad      with the tag hdf5: HDF5 as h5py, anndata, MATLAB 7.3 and Octave write it,
//	               dense and sparse; indexes of obs and var are names.
//	.csv .tsv .txt a table, see below; lines that begin with # are comments.
//	.mtx           Matrix Market: coordinate (sparse) and array (dense); real, integer,
//	               pattern (ones); general and symmetric (lower triangle stored).
//	.csv.gz .tsv.gz .txt.gz .mtx.gz
//	               the same, compressed with gzip.
//	.hdr           the header of an ENVI cube, or the raster beside it: bands x pixels, the
//	               pixels line by line; bsq, bil and bip, all real types, either byte
//	               order. The wavelengths, else the band names, are the names of the rows.
//	a folder       of .npy files of equal width: the matrix whose rows are those of the
//	               first, then those of the next in the order of names, runs of digits
//	               by value; or of shape.npy, indptr.npy, indices.npy and data.npy, the
//	               arrays of a SciPy csr_matrix: a sparse matrix.
//	a folder       of PGM and PPM (8 and 16 bit), PNG, JPEG and TIFF images of one size, also
//	               in folders within it: each image is one column, its pixels column by
//	               column, divided by the largest value its file allows, so in [0, 1].
//	               Images are ordered by name, runs of digits by value (img2 before img10).
//	               An image stored in colour is accepted if every pixel is grey and
//	               opaque, else it is ErrColour unless Options.Grey says to take its luma.
//	               TIFF images may be a fax of group 3 (in one dimension) or 4.
//	               Hidden files and folders and files that are no images are passed
//	               over; images of other types are an error.
//
// # Tables
//
// What a table does not say is recognised, unless Options.Table says it, and File.Notes
// tells what was:
//
//   - The separator is that of a first line such as sep=; or else the first of tab,
//     semicolon, comma, bar and runs of blanks that all of the first lines have equally
//     often and that leaves numbers in them.
//   - The decimal sign is the first point or comma in a number. Commas, or points between
//     semicolons, that may all be those of thousands, numbers with both, and a comma that
//     may as well separate two columns under one name are an error: ErrDecimal.
//   - The first row is a header if none of its cells is a number, if it has no cell for
//     the first column, or an empty one there; also if it counts the columns from 0 or 1
//     over numbers that are not all whole. Numbers that may be names, such as years and
//     wavelengths, are an error: ErrHeader.
//   - The first column holds labels of rows if a cell of it is text, or if the header has
//     nothing for it or a name such as id; also if it counts at least three rows from 0
//     or 1, under a header or beside numbers that are not all whole, or if under a header
//     it alone increases over at least eight rows. Numbers with signs that are none here,
//     as of thousands or percent, are no labels but ErrText.
//   - A last column without a cell that is not empty is none.
//   - A cell that is empty or NA, N/A, NaN, null, none, -, ?, a point or an error of Excel
//     such as #DIV/0! is missing, which is an error unless Table.Missing says what becomes
//     of it: ErrMissing. Any other text is ErrText.
//
// Names that are not in UTF-8 are taken for Latin-1.
//
// # Variables
//
// In .mat, .npz and HDF5 files Options.Var names the variable (the member without
// .npy). Without it the file must hold exactly one real numeric matrix beside
// whatever else it holds; if it holds several, the error lists them. A SciPy
// sparse .npz counts as one unnamed matrix. For the other types, which have no
// names, a Var is an error.
//
// Members index, columns and vocabulary of a .npz file that are arrays of text, as
// long as the matrix has rows or columns, name these: the first that fits does. The
// columns of a folder of images have the names of their files.
//
// # Numbers
//
// Integers convert to the nearest float64, ties to even, so those beyond 2^53
// (2^24 for float32) may be rounded; float32 results are rounded from that
// float64 value, and finite values beyond the float32 range become infinite.
// NaN, infinite and negative numbers pass through: whether they are legal is
// the caller's decision.
//
// # Trust
//
// A header is not believed. Element counts are multiplied with overflow checks
// and compared with the bytes present. Deflated data cannot expand more than
// 1032 times; where a claim within that bound is much larger than the file, the
// data are inflated once and counted before memory for them is allocated. An
// empty row of a sparse matrix costs no bytes in a file but memory here, so
// there is a limit on rows and, for a sparse file read as dense, on elements,
// that depends on the size of the file.
//
// Whatever a file justifies, no more memory is used than Options.MaxMemory: each
// allocation that grows with the matrix is counted before it is made, and so is
// what the decoders of this package's formats take. Streams that inflate are
// counted as they do.
package matio
