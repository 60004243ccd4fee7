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
//	.npy           NumPy, header versions 1 to 3, of real numbers and booleans, in either byte order, C or
//	               Fortran order. A 1-D array is a column, a 3-D array a cube.
//	.npz           zip of .npy; sparse matrices of SciPy and pydata/sparse.
//	.mat           MATLAB version 5 (-v6, -v7): dense and sparse. Options.Var also names fields and cells:
//	               s.data, s(2).data, c{1}.
//	.h5 .h5ad      with the tag hdf5: HDF5 as h5py, anndata, Cell Ranger, BIOM 2.1, MATLAB 7.3 and Octave
//	.biom          write it, dense and sparse.
//	.csv .tsv .txt a table, or a list of triples, whose rows are entries of a sparse matrix: a header row,
//	               column, value (or i, j, count) and perhaps time, or Options.Table, says so. Names that are
//	               whole numbers come in their order, others as they are in the file.
//	.mtx           Matrix Market: coordinate (sparse) and array (dense); real, integer,
//	               pattern (ones); general and symmetric (lower triangle stored).
//	.parquet       a table with a header, of numbers, booleans, decimals and text.
//	.gct           a table of gene expression, version 1.2 or 1.3; descriptions of rows and columns are left out.
//	.csv.gz ...    text that is compressed with gzip.
//	.hdr           the header of an ENVI cube, or the raster beside it: bands x pixels, the pixels line by line.
//	               The wavelengths, else the band names, are the names of the rows. Entries of the data ignore
//	               value are NaN. A spectral library (.sli) has a column for each spectrum.
//	a folder       of .npy files of equal width, whose rows follow one another in the order of names, runs of
//	               digits by value; or of shape.npy, indptr.npy, indices.npy and data.npy, a sparse matrix.
//	a folder       of Cell Ranger: matrix.mtx, features.tsv or genes.tsv, and barcodes.tsv.
//	a folder       of PGM, PPM, PNG, JPEG and TIFF images of one size, also in folders within it: each image,
//	               and each page of a TIFF file, is one column, its pixels column by column, divided by the
//	               largest value its file allows. Images are turned upright. One in colour is ErrColour, unless
//	               its pixels are grey or Options.Grey says to take its luma. Hidden files and files that are no
//	               images are passed over; images of other types are an error.
//	a folder       of text files of two columns an axis and the values of a curve on it. Each
//	               is one column; the rows are the axis. Lines above the numbers are passed over. Axes that
//	               differ are an error without Options.Table.Align.
//
// What follows the end of a PNG, JPEG, TIFF or HDF5 file is left out, as by other programs.
//
// # Tables
//
// Package matio recognises what Options.Table leaves open, by the rules in docs/convert.md.
// File.Notes lists the decisions. ErrDecimal and ErrHeader report doubt; ErrMissing, ErrLimit and
// ErrText report cells that are no numbers.
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
