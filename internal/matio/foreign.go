package matio

import (
	"bytes"
	"io"
	"strings"

	"nmu/internal/matio/internal/hdf5"
)

// foreign is a type of file that is not read.
type foreign struct {
	begins, ends string   // bytes of the file, empty if others find out the type
	at           int64    // where the first ones are
	extensions   []string // for a file whose content says nothing
	what         string   // in words
	instead      string   // what to do
}

// Advice for files that other programs read.
const (
	toCSV    = "save it as CSV"
	unpack   = "unpack it, and give a file or the folder"
	pandas   = "in Python, read it with pandas and save it with to_csv"
	oneImage = "give the folder of images"
	toPNG    = "save its images as .png in one folder, and give the folder"
	toTIFF   = "save it as TIFF of less than 4 GiB, or its images as .png in one folder"
	fromR    = "in R, save the matrix as CSV: write.csv(x, \"x.csv\")"
	fromPy   = "in Python, save the matrix as .npy: numpy.save(\"x.npy\", x)"
)

// foreigns are common types of files that Open does not read.
var foreigns = []foreign{
	{begins: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", extensions: []string{".xls"}, what: "an old Excel workbook", instead: toCSV},
	{extensions: []string{".xlsx", ".xlsm"}, what: "an Excel workbook", instead: toCSV},
	{extensions: []string{".ods"}, what: "an OpenDocument spreadsheet", instead: toCSV},
	{extensions: []string{".zip"}, what: "a zip file", instead: unpack},
	{begins: "ARROW1\x00\x00", extensions: []string{".feather", ".arrow"}, what: "a Feather (Arrow) file", instead: pandas},
	{begins: "FEA1", ends: "FEA1", what: "a Feather file", instead: pandas},
	{begins: "X\n\x00\x00\x00", extensions: []string{".rds"}, what: "a file of R (RDS)", instead: fromR},
	{begins: "RDX2\n", extensions: []string{".rdata", ".rda"}, what: "a file of R (RData)", instead: fromR},
	{begins: "RDX3\n", what: "a file of R (RData)", instead: fromR},
	{extensions: []string{".h5", ".hdf5", ".h5ad", ".hdf"}, what: "an HDF5 file", instead: hdf5.Instead},
	{begins: "CDF\x01", extensions: []string{".nc"}, what: "a NetCDF file", instead: fromPy},
	{begins: "CDF\x02", what: "a NetCDF file", instead: fromPy},
	{begins: "\x80\x04\x95", extensions: []string{".pkl", ".pickle"}, what: "a pickle of Python", instead: fromPy},
	{begins: "SIMPLE  =", extensions: []string{".fits"}, what: "a FITS file", instead: fromPy},
	{begins: "SQLite format 3\x00", extensions: []string{".sqlite", ".db"}, what: "an SQLite database", instead: "export the table as CSV"},
	{begins: "$FL2", extensions: []string{".sav"}, what: "an SPSS file", instead: toCSV},
	{begins: "<stata_dta>", extensions: []string{".dta"}, what: "a Stata file", instead: toCSV},
	{begins: "%PDF-", extensions: []string{".pdf"}, what: "a PDF document", instead: "give the data as CSV"},
	{begins: "7z\xbc\xaf\x27\x1c", extensions: []string{".7z"}, what: "a 7z archive", instead: unpack},
	{begins: "Rar!\x1a\x07", extensions: []string{".rar"}, what: "a rar archive", instead: unpack},
	{begins: "ustar", at: 257, extensions: []string{".tar"}, what: "a tar archive", instead: unpack},
	{begins: "\xfd7zXZ\x00", extensions: []string{".xz"}, what: "compressed by xz", instead: unpack},
	{begins: "BZh91AY&SY", extensions: []string{".bz2"}, what: "compressed by bzip2", instead: unpack},
	{begins: "\x28\xb5\x2f\xfd", extensions: []string{".zst"}, what: "compressed by zstd", instead: unpack},
	{begins: "\xff\xd8\xff", extensions: []string{".jpg", ".jpeg"}, what: "one image", instead: oneImage},
	{extensions: []string{".tif", ".tiff"}, what: "one image", instead: oneImage},
	{begins: "II+\x00", what: "a BigTIFF image", instead: toTIFF},
	{begins: "MM\x00+", what: "a BigTIFF image", instead: toTIFF},
	{begins: "GIF8", extensions: []string{".gif"}, what: "a GIF image", instead: toPNG},
	{extensions: []string{".biom"}, what: "a BIOM table of version 1 (JSON)", instead: "convert it: biom convert -i x.biom -o x.tsv --to-tsv, or --to-hdf5 for a build with the tag hdf5"},
	{extensions: []string{".json"}, what: "a JSON file", instead: toCSV},
}

// checkForeign returns an error if head is the beginning of a file of a known type that is not
// read. If head may be text, checkForeign also reads the last bytes of the file.
func (f *File) checkForeign(head []byte) error {
	for _, k := range foreigns {
		if k.begins == "" || int64(len(head)) < k.at || !bytes.HasPrefix(head[k.at:], []byte(k.begins)) {
			continue
		}
		if k.ends != "" {
			tail := make([]byte, len(k.ends))
			if _, err := f.in.Handle.ReadAt(tail, max(0, f.in.Size-int64(len(tail)))); err != nil && err != io.EOF || string(tail) != k.ends {
				continue
			}
		}
		return f.in.Foreign(k.what, k.instead)
	}
	return nil
}

// foreignName is checkForeign by the extension of the name, for a file whose content does not
// show its type.
func (f *File) foreignName(ext string) error {
	for _, k := range foreigns {
		for _, e := range k.extensions {
			if e == strings.ToLower(ext) {
				return f.in.Foreign("by its name "+k.what, k.instead)
			}
		}
	}
	return nil
}
