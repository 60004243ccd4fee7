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
//	.npy           NumPy, header versions 1 to 3; f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1,
//	               either byte order, C or Fortran order. A 1-D array is a column;
//	               0-D and more than two dimensions are errors.
//	.npz           zip of .npy, stored or deflated; SciPy sparse matrices in csr, csc
//	               and coo form (save_npz) are sparse, and so are those of pydata/sparse
//	               and the arrays data, indices, indptr and shape of one.
//	.mat           MATLAB version 5 (-v6, -v7): dense numeric and logical arrays of every
//	               class, sparse matrices, compressed or not, either byte order. Options.Var
//	               also names fields and cells: s.data, s(2).data, c{1}.
//	.h5 .h5ad      with the tag hdf5: HDF5 as h5py, anndata, Cell Ranger, BIOM 2.1, MATLAB 7.3
//	.biom          and Octave write it, dense and sparse; indexes of obs and var, features
//	               and barcodes, and ids are names.
//	.csv .tsv .txt a table, see below; lines that begin with # are comments.
//	               A header row, column, value (or i, j, count) and perhaps time, or
//	               Options.Table, says that the rows are entries of a sparse matrix. Names
//	               that are whole numbers come in their order, others as they are in the file.
//	.mtx           Matrix Market: coordinate (sparse) and array (dense); real, integer,
//	               pattern (ones); general and symmetric (lower triangle stored).
//	.csv.gz .tsv.gz .txt.gz .mtx.gz
//	               the same, compressed with gzip.
//	.hdr           the header of an ENVI cube, or the raster beside it: bands x pixels, the
//	               pixels line by line; bsq, bil and bip, all real types, either byte
//	               order. The wavelengths, else the band names, are the names of the rows.
//	               Entries of the data ignore value are NaN. A spectral library (.sli) has a
//	               row for each band and a column for each spectrum, with its name. Other file
//	               types are errors; notes name fields that change no number.
//	a folder       of .npy files of equal width: the matrix whose rows are those of the
//	               first, then those of the next in the order of names, runs of digits
//	               by value; or of shape.npy, indptr.npy, indices.npy and data.npy, the
//	               arrays of a SciPy csr_matrix: a sparse matrix.
//	a folder       of Cell Ranger: matrix.mtx, features.tsv or genes.tsv, and barcodes.tsv,
//	               each also .gz, all with one prefix or none. The rows have the names of
//	               the features, the columns those of the cells.
//	a folder       of PGM and PPM (8 and 16 bit), PNG, JPEG and TIFF images of one size, also
//	               in folders within it: each image is one column, its pixels column by
//	               column, divided by the largest value its file allows, so in [0, 1].
//	               Images are ordered by name, runs of digits by value (img2 before img10).
//	               Each page of a TIFF file is an image; a TIFF file of several pages is read
//	               without a folder. Images are turned upright by their EXIF orientation.
//	               Animated PNG images are errors. What follows the end of a PNG, JPEG or TIFF
//	               image, or of an HDF5 file, is left out, as by other programs; notes name a
//	               further image and the bytes behind the pixels of a PGM or PPM image.
//	               An image stored in colour is accepted if every pixel is grey and
//	               opaque, else it is ErrColour unless Options.Grey says to take its luma.
//	               TIFF images may be a fax of group 3 (in one dimension) or 4.
//	               Hidden files and folders and files that are no images are passed
//	               over; images of other types are an error.
//
// # Tables
//
// Package matio recognises what Options.Table leaves open. File.Notes lists the decisions:
//
//   - The separator is that of a first line such as sep=. Otherwise it is the first of tab,
//     semicolon, comma, bar and runs of blanks that all of the first lines have equally
//     often and that leaves numbers between them.
//   - The decimal sign is the first point or comma in a number. ErrDecimal reports doubt:
//     commas, or points between semicolons, that may all separate thousands; numbers with
//     both signs; a comma that may also separate two columns under one name.
//   - The first row is a header if none of its cells is a number, or if its cell for the
//     first column is missing or empty. It is also a header if it counts the columns from
//     0 or 1 over numbers that are not all integers. Numbers that may be names are ErrHeader:
//     they increase, or are whole and all different, and are unlike those of the next rows.
//   - If the first row is no header, the last line above it that begins with # is one, provided
//     that it has a name for each column, of which the first is no number, and where blanks
//     separate cells none is. Other lines that begin with # are left out.
//   - The first column holds row labels if one of its cells is text, or if its name in the
//     header is missing, empty, index, or ends with the word id. It also does if it counts at
//     least three rows from 0 or 1, under a header or beside numbers that are not all integers.
//     Under a header it does if its numbers are all different and more than ten times larger
//     than all others, or if it alone increases, or decreases, over at least eight rows in steps
//     that differ at most fourfold. Numbers with signs of thousands or percent are no labels
//     but ErrText.
//   - A last column whose cells are all empty is dropped.
//   - A cell is missing if it is empty, one of NA, N/A, NaN, null, none, nil, - and ?, a
//     point, or an error of Excel such as #DIV/0!, or in Table.Words. A missing cell is
//     ErrMissing unless Table.Missing allows it. A cell such as <0.05 is ErrLimit unless
//     Table.Below says what it is. Any other text is ErrText.
//
// Names that are not in UTF-8 are read as Latin-1.
//
// # Variables
//
// In .mat, .npz and HDF5 files Options.Var names the variable (the member without .npy).
// Without it the file must hold exactly one real numeric matrix; other content is ignored. If
// the file holds several matrices, the error lists them. A sparse .npz counts as one
// unnamed matrix. Other types of files have no names, so a Var is an error.
//
// A .npz file may have text arrays index, columns and vocabulary. The first of them whose
// length fits names the rows or the columns. The columns of a folder of images have the names
// of their files.
//
// # Numbers
//
// Integers convert to the nearest float64, ties to even, so integers beyond 2^53 (2^24 for
// float32) may be rounded. float32 results are rounded from that float64 value, and finite
// values beyond the float32 range become infinite. NaN, infinite and negative numbers pass
// through, because the caller decides whether they are valid.
//
// # Trust
//
// Claims of a header are checked. Element counts are multiplied with overflow checks and
// compared with the bytes present. Deflated data cannot expand more than 1032 times. If a claim
// within that bound is much larger than the file, the data are inflated once and counted before
// memory for them is allocated. An empty row of a sparse matrix takes no bytes in a file but
// memory here. Therefore the size of the file limits the rows and, for a sparse file read as
// dense, the elements.
//
// Reading never takes more memory than Options.MaxMemory. Each allocation that grows with the
// matrix is counted before it is made, and so is the memory of the decoders. Inflating streams
// are counted as they grow.
package matio
