package matio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"nmu/internal/regular"
)

// cube is what an ENVI header says of the raster beside it.
type cube struct {
	lines, samples, bands int64
	offset                int64
	interleave            string
	dt                    dtype
	names                 []string // of the bands: wavelengths, else band names
}

// enviTypes are the types of elements by their numbers; those left out are complex.
var enviTypes = map[string]dtype{
	"1": {kind: 'u', size: 1}, "2": {kind: 'i', size: 2}, "3": {kind: 'i', size: 4}, "4": {kind: 'f', size: 4}, "5": {kind: 'f', size: 8},
	"12": {kind: 'u', size: 2}, "13": {kind: 'u', size: 4}, "14": {kind: 'i', size: 8}, "15": {kind: 'u', size: 8},
}

// enviExtensions are those of rasters, which lie beside NAME.hdr as NAME or with one of
// these in its place.
var enviExtensions = []string{"", ".dat", ".img", ".raw", ".bin", ".bsq", ".bil", ".bip"}

// mostHeader is the longest ENVI header in bytes.
const mostHeader = 1 << 22

// openENVI opens the raster to which a header belongs, if it is nil the one beside the
// header: bands x pixels, the pixels line by line.
func openENVI(f *input, header io.Reader, raster *os.File) (err error) {
	defer func() {
		if raster != nil && f.file != raster {
			raster.Close()
		}
	}()
	if err := f.noVar(); err != nil {
		return err
	}
	if err := f.Fits(2*min(f.size, mostHeader), reading); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(header, mostHeader+1))
	if err != nil {
		return f.readError(0, err)
	}
	if len(text) > mostHeader {
		return f.tooLarge("an ENVI header of more than %d bytes", mostHeader)
	}
	c, err := parseENVI(f, string(text))
	if err != nil {
		return err
	}
	if raster == nil {
		if raster, err = rasterBeside(f); err != nil {
			return err
		}
	}
	info, err := raster.Stat()
	if err != nil {
		return err
	}
	if f.file != nil {
		f.file.Close()
	}
	f.file, f.size, f.modified = raster, info.Size(), info.ModTime()
	pixels, ok := mul(c.lines, c.samples)
	if !ok {
		return f.tooLarge("an image of %d x %d pixels", c.lines, c.samples)
	}
	n, err := f.setDims(c.bands, pixels)
	if err != nil {
		return err
	}
	if size, ok := mul(n, int64(c.dt.size)); !ok || size > f.size-c.offset || c.offset > f.size {
		return f.bad(0, "%d bands of %d x %d pixels of %d bytes behind an offset of %d are claimed, but %s has %d bytes",
			c.bands, c.lines, c.samples, c.dt.size, c.offset, filepath.Base(raster.Name()), f.size)
	}
	f.mapHeight, f.mapWidth = int(c.lines), int(c.samples)
	f.rowNames = c.names
	switch c.interleave {
	case "bil":
		f.data = &byLines{f: f, c: c}
	default:
		f.raw = &plainArray{f: f, dt: c.dt, off: c.offset, n: n}
		f.data, f.colMajor = f.raw, c.interleave == "bip"
	}
	return nil
}

// headerBeside opens the header of a raster: NAME.hdr or NAME.EXT.hdr.
func headerBeside(f *input) (*os.File, error) {
	header, err := regular.Open(strings.TrimSuffix(f.path, filepath.Ext(f.path)) + ".hdr")
	if err != nil {
		header, err = regular.Open(f.path + ".hdr")
	}
	return header, err
}

// rasterBeside opens the file that the header describes.
func rasterBeside(f *input) (*os.File, error) {
	base := strings.TrimSuffix(f.path, filepath.Ext(f.path))
	for _, ext := range enviExtensions {
		if info, err := os.Stat(base + ext); err != nil || !info.Mode().IsRegular() {
			continue
		}
		raster, err := regular.Open(base + ext)
		if !errors.Is(err, fs.ErrNotExist) {
			return raster, err
		}
	}
	return nil, fmt.Errorf("%s: no raster beside the header: looked for %s with one of the extensions%s: %w",
		f.path, filepath.Base(base), strings.Join(enviExtensions, " "), fs.ErrNotExist)
}

// parseENVI reads a header: lines "name = value", where a value in braces may have
// several lines.
func parseENVI(f *input, text string) (*cube, error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if strings.TrimSpace(lines[0]) != "ENVI" {
		return nil, f.badLine(1, "want ENVI, have %.20q", lines[0])
	}
	field := map[string]string{}
	for i := 1; i < len(lines); i++ {
		name, value, ok := strings.Cut(lines[i], "=")
		if !ok {
			continue // empty, or a comment
		}
		first := i + 1
		for strings.Contains(value, "{") && !strings.Contains(value, "}") {
			if i++; i == len(lines) {
				return nil, f.badLine(first, "a brace without end")
			}
			value += " " + lines[i]
		}
		field[strings.ToLower(strings.Join(strings.Fields(name), " "))] = strings.TrimSpace(value)
	}
	c := &cube{interleave: strings.ToLower(field["interleave"])}
	for _, x := range []struct {
		name string
		to   *int64
		need bool
	}{{"lines", &c.lines, true}, {"samples", &c.samples, true}, {"bands", &c.bands, true}, {"header offset", &c.offset, false}} {
		value, there := field[x.name]
		n, err := strconv.ParseInt(value, 10, 64)
		if (there || x.need) && (err != nil || n < 0) {
			return nil, f.bad(0, "header: %s is %.20q, not a size", x.name, value)
		}
		*x.to = n
	}
	dt, ok := enviTypes[field["data type"]]
	if !ok {
		return nil, f.unsupported("header: data type %.20q: want one of the real types 1, 2, 3, 4, 5, 12, 13, 14, 15", field["data type"])
	}
	switch c.dt = dt; field["byte order"] {
	case "", "0":
	case "1":
		c.dt.big = dt.size > 1
	default:
		return nil, f.bad(0, "header: byte order %.20q, want 0 or 1", field["byte order"])
	}
	switch c.interleave {
	case "bsq", "bil", "bip":
	default:
		return nil, f.bad(0, "header: interleave %.20q, want bsq, bil or bip", field["interleave"])
	}
	if compressed := field["file compression"]; compressed != "" && compressed != "0" {
		return nil, f.unsupported("header: a compressed raster")
	}
	for _, name := range []string{"wavelength", "band names"} {
		if names := braced(field[name]); c.names == nil && names != nil && int64(len(names)) == c.bands {
			c.names = names
		}
	}
	return c, nil
}

// braced returns the words of a list in braces, nil if it is none.
func braced(s string) []string {
	s, ok := strings.CutPrefix(s, "{")
	if !ok {
		return nil
	}
	s, _, _ = strings.Cut(s, "}")
	words := strings.Split(s, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return words
}

// byLines is a raster in which every line has its samples band by band.
type byLines struct {
	f *input
	c *cube
}

func (b *byLines) verify() error { return nil } // Open compared with the size of the file

func (b *byLines) open() (source, error) { return &lineSource{byLines: b}, nil }

// lineSource delivers band after band.
type lineSource struct {
	*byLines
	line, band int64
	rest       *numbers
	left       int // of rest
}

func (s *lineSource) next(dst []float64) error {
	for len(dst) > 0 {
		if s.left == 0 {
			size := s.c.samples * int64(s.c.dt.size)
			off := s.c.offset + (s.line*s.c.bands+s.band)*size
			if s.rest == nil {
				s.rest = &numbers{f: s.f, dt: s.c.dt}
			}
			s.rest.r, s.rest.off, s.left = io.NewSectionReader(s.f.file, off, size), off, int(s.c.samples)
			if s.line++; s.line == s.c.lines {
				s.line, s.band = 0, s.band+1
			}
		}
		n := min(s.left, len(dst))
		if err := s.rest.next(dst[:n]); err != nil {
			return err
		}
		dst, s.left = dst[n:], s.left-n
	}
	return nil
}

func (s *lineSource) close() error { return nil }

// WriteENVI writes a matrix, bands x pixels of height x width line by line, as
// NAME.dat and its header NAME.hdr, as WriteFile does: bsq, little endian. path is
// that of NAME.dat, and the row names are those of the bands.
func WriteENVI[T Float](path string, m Labelled[T], height, width int) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if height < 1 || width < 1 || m.Cols%height != 0 || m.Cols/height != width {
		return fmt.Errorf("%s: %d pixels are no image of %d x %d", path, m.Cols, height, width)
	}
	return WriteFile(path, func(w io.Writer) error { return encode(w, m.Rows, m.Cols, m.Data, m.Stride) })
}

// WriteENVIHeader writes the header that belongs to a raster of WriteENVI.
func WriteENVIHeader[T Float](path string, m Labelled[T], height, width int) error {
	kind := 5
	if _, ok := any(T(0)).(float32); ok {
		kind = 4
	}
	var names []string
	for i := range m.Rows {
		names = append(names, "factor "+nameOf(m.RowNames, i))
	}
	return WriteFile(path, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "ENVI\nsamples = %d\nlines = %d\nbands = %d\nheader offset = 0\nfile type = ENVI Standard\ndata type = %d\ninterleave = bsq\nbyte order = 0\nband names = {%s}\n",
			width, height, m.Rows, kind, strings.Join(names, ", "))
		return err
	})
}
