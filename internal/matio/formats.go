package matio

import (
	"bytes"
	"slices"
	"strings"

	"nmu/internal/matio/internal/envi"
	"nmu/internal/matio/internal/hdf5"
	"nmu/internal/matio/internal/market"
	"nmu/internal/matio/internal/mat"
	"nmu/internal/matio/internal/npy"
	"nmu/internal/matio/internal/npz"
	"nmu/internal/matio/internal/parquet"
	"nmu/internal/matio/internal/picture"
	"nmu/internal/matio/internal/table"
	"nmu/internal/matio/internal/text"
)

// Format describes files that Open reads.
type Format struct {
	Name       string   // such as MATLAB
	Extensions []string // with their points
	Compressed bool     // the files may be compressed by gzip, as NAME.csv.gz
	Missing    string   // what a program needs that reads them, or "" if this program does
	Help       string   // which of these files, or ""

	shown bool // the content shows the format, so that Options.Format does not name it
	is    func(c content) bool
	open  func(f *File, c content) error
}

// content is the beginning of a file, and the extension that stands for its format.
type content struct {
	head []byte
	ext  string
	text *text.Reader // nil while binary formats are considered
}

// begins returns a test for the first bytes of a file.
func begins(with ...string) func(c content) bool {
	return func(c content) bool {
		return slices.ContainsFunc(with, func(s string) bool { return bytes.HasPrefix(c.head, []byte(s)) })
	}
}

// binaries returns the formats that the first bytes of a file show, in the order in which they
// are considered.
func binaries() []Format {
	missing := func(available bool, needs string) string {
		if available {
			return ""
		}
		return needs
	}
	return []Format{
		{Name: "NumPy", Extensions: []string{".npy"}, is: begins(npy.Magic), open: func(f *File, _ content) error { return npy.Open(f.in) }},
		{Name: "NumPy and SciPy", Extensions: []string{".npz"}, is: begins("PK\x03\x04", "PK\x05\x06"), open: func(f *File, _ content) error { return npz.Open(f.in) }},
		{
			Name: "HDF5", Extensions: []string{".h5", ".h5ad", ".hdf5"}, Missing: missing(hdf5.Available, "a build with the tag hdf5"), shown: true,
			is:   func(c content) bool { return hdf5.Is(c.head) },
			open: func(f *File, _ content) error { return f.openHDF5() },
		},
		{
			Name: "MATLAB", Extensions: []string{".mat"}, Help: "version 5 to 7",
			is:   func(c content) bool { return mat.Is(c.head) || c.ext == ".mat" },
			open: func(f *File, c content) error { return mat.Open(f.in, c.head) },
		},
		{
			Name: "TIFF", Extensions: []string{".tif", ".tiff"}, Help: "of several pages", shown: true,
			is: func(c content) bool { return picture.IsTIFF(c.head) },
			open: func(f *File, _ content) error {
				return picture.OpenTIFF(f.in, f.opt.Grey, f.in.Foreign("one image", oneImage))
			},
		},
		{
			Name: "Parquet", Extensions: []string{".parquet"}, Help: "of pandas, polars or Arrow", Missing: missing(parquet.Available, "the command"), shown: true,
			is:   func(c content) bool { return parquet.Is(c.head) || c.ext == ".parquet" },
			open: func(f *File, _ content) error { return parquet.Open(f.in, &f.opt.Table) },
		},
	}
}

// texts returns the formats that are text, in the order in which they are considered.
func texts() []Format {
	return []Format{
		{
			Name: "Matrix Market", Extensions: []string{".mtx"}, Compressed: true,
			is:   func(c content) bool { return c.text.HasPrefix(market.Banner) || c.ext == ".mtx" },
			open: func(f *File, c content) error { return market.Open(f.in, c.text) },
		},
		{
			Name: "ENVI cube", Extensions: []string{".hdr"}, Help: "or spectral library, by its header or its raster",
			is:   func(c content) bool { return c.ext == ".hdr" || c.text.HasPrefix("ENVI") },
			open: func(f *File, c content) error { return envi.Open(f.in, c.text, nil) },
		},
		{
			Name: "GCT", Extensions: []string{".gct"}, Compressed: true,
			is:   func(c content) bool { return c.ext == ".gct" || table.IsGCT(c.head) },
			open: func(f *File, c content) error { return table.OpenGCT(f.in, c.text, &f.opt.Table) },
		},
		{
			Name: "table", Extensions: []string{".csv", ".tsv", ".txt"}, Compressed: true,
			is:   func(c content) bool { return slices.Contains([]string{".csv", ".tsv", ".txt"}, c.ext) },
			open: func(f *File, c content) error { return table.Open(f.in, c.text, &f.opt.Table, c.ext == ".tsv") },
		},
	}
}

// FileFormats returns the formats of single files that Open reads.
func FileFormats() []Format { return append(binaries(), texts()...) }

// String describes the files: name, extensions, and what else is to be known.
func (f Format) String() string {
	s := f.Name
	if f.Help != "" {
		s += " " + f.Help
	}
	s += " (" + strings.Join(f.Extensions, ", ")
	if f.Compressed {
		s += ", also .gz"
	}
	if f.Missing != "" {
		s += "; needs " + f.Missing
	}
	return s + ")"
}

// openAs opens the file in the first format that fits. ok is false if none does.
func (f *File) openAs(formats []Format, c content) (ok bool, err error) {
	i := slices.IndexFunc(formats, func(k Format) bool { return k.is(c) })
	if i < 0 {
		return false, nil
	}
	f.in.Kind = formats[i].Name
	return true, formats[i].open(f, c)
}

// Extensions returns the extensions of the files that Open reads, with their points.
func Extensions() []string {
	var all []string
	for _, k := range FileFormats() {
		for _, ext := range k.Extensions {
			if k.Missing == "" {
				all = append(all, ext)
			}
			if k.Compressed {
				all = append(all, ext+".gz")
			}
		}
	}
	return append(all, envi.Extensions[1:]...)
}

// IsENVI says whether path may be an ENVI raster or its header, which belong together: it has a header.
func IsENVI(path string) bool { return envi.Header(path) != "" }

// Formats returns the values of Options.Format: extensions without their points.
func Formats() []string {
	var words []string
	for _, k := range FileFormats() {
		for _, ext := range k.Extensions {
			if !k.shown {
				words = append(words, ext[1:])
			}
		}
	}
	return words
}

// compressible lists the extensions of files that may be compressed by gzip.
func compressible() string {
	var all []string
	for _, k := range FileFormats() {
		if k.Compressed {
			all = append(all, k.Extensions...)
		}
	}
	return strings.Join(all, ", ")
}

// typesRead lists the types of files that Open reads, for messages.
func typesRead() string {
	var all []string
	for _, k := range FileFormats() {
		all = append(all, k.String())
	}
	return "want " + strings.Join(all, ", ") + ", or a folder of images or of two-column files"
}
