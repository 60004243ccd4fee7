// Package envi reads and writes ENVI cubes: a raster, and beside it a header of lines
// "name = value". The matrix is bands x pixels.
package envi

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/output"
	"nmu/internal/regular"
)

// cube is the description of a raster in an ENVI header. A spectral library is one whose pixels are its
// spectra.
type cube struct {
	spectra               []string // names, of a spectral library
	library               bool
	units                 string // of the wavelengths
	lines, samples, bands int64
	offset                int64
	interleave            string
	dt                    element.Type
	names                 []string // of the bands: wavelengths, else band names
	ignored               *float64 // the value of missing entries, or nil
}

// types are the element types by their ENVI numbers. Complex types are missing.
var types = map[string]element.Type{
	"1": {Kind: 'u', Size: 1}, "2": {Kind: 'i', Size: 2}, "3": {Kind: 'i', Size: 4}, "4": {Kind: 'f', Size: 4}, "5": {Kind: 'f', Size: 8},
	"12": {Kind: 'u', Size: 2}, "13": {Kind: 'u', Size: 4}, "14": {Kind: 'i', Size: 8}, "15": {Kind: 'u', Size: 8},
}

// Extensions are the extensions of rasters. The raster of NAME.hdr is NAME with one of them.
var Extensions = []string{"", ".dat", ".img", ".raw", ".bin", ".bsq", ".bil", ".bip", Library}

// Library is the extension of the raster of a spectral library.
const Library = ".sli"

// mostHeader is the longest ENVI header in bytes.
const mostHeader = 1 << 22

// Open opens an ENVI cube as a bands x pixels matrix, the pixels line by line. If raster is
// nil, Open looks for it beside the header.
func Open(f *input.File, header io.Reader, raster *os.File) (err error) {
	defer func() {
		if raster != nil && f.Handle != raster {
			raster.Close()
		}
	}()
	if err := f.NoVar(); err != nil {
		return err
	}
	if err := f.Fits(2*min(f.Size, mostHeader), input.Reading); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(header, mostHeader+1))
	if err != nil {
		return f.ReadError(0, err)
	}
	if len(text) > mostHeader {
		return f.TooLarge("the ENVI header has more than %d bytes", mostHeader)
	}
	c, err := parse(f, string(text))
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
	if f.Handle != nil {
		f.Handle.Close()
	}
	f.Handle, f.Size, f.Modified = raster, info.Size(), info.ModTime()
	pixels, ok := element.Mul(c.lines, c.samples)
	if !ok {
		return f.TooLarge("an image of %d x %d pixels", c.lines, c.samples)
	}
	n, err := f.SetDims(c.bands, pixels)
	if err != nil {
		return err
	}
	if size, ok := element.Mul(n, int64(c.dt.Size)); !ok || size > f.Size-c.offset || c.offset > f.Size {
		return f.Bad(0, "the header claims %d bands of %d x %d pixels of %d bytes after an offset of %d, but %s has %d bytes",
			c.bands, c.lines, c.samples, c.dt.Size, c.offset, filepath.Base(raster.Name()), f.Size)
	}
	if rest := f.Size - c.offset - n*int64(c.dt.Size); rest > 0 {
		f.Note("the raster %s has %d bytes more than its header claims, which are left out", filepath.Base(raster.Name()), rest)
	}
	if f.RowNames = c.names; c.names != nil && c.units != "" {
		f.RowAxis = "wavelength (" + c.units + ")"
	}
	if c.library {
		f.ColNames = c.spectra
	} else {
		f.MapHeight, f.MapWidth = int(c.lines), int(c.samples)
	}
	switch c.interleave {
	case "bil":
		f.Dense = &byLines{f: f, c: c}
	default:
		f.Plain = &input.Array{File: f, Type: c.dt, Offset: c.offset, Len: n}
		f.Dense, f.ByColumns = f.Plain, c.interleave == "bip"
	}
	if c.ignored != nil {
		f.Meaning.Codes = append(slices.Clone(f.Meaning.Codes), *c.ignored)
	}
	return nil
}

// Header returns the path of the header of a raster, NAME.hdr or NAME.EXT.hdr, or that of a header itself. It is empty
// if there is none.
func Header(raster string) string {
	for _, base := range []string{strings.TrimSuffix(raster, filepath.Ext(raster)), raster} {
		if header := beside(base, ".hdr"); header != "" {
			return header
		}
	}
	return ""
}

// beside returns the path of the file base with an extension, also in capitals or with a capital. It is empty if there
// is no such file.
func beside(base, ext string) string {
	capital := ext
	if len(ext) > 1 {
		capital = ext[:1] + strings.ToUpper(ext[1:2]) + ext[2:]
	}
	for _, ext := range []string{ext, strings.ToUpper(ext), capital} {
		if info, err := os.Stat(base + ext); err == nil && info.Mode().IsRegular() {
			return base + ext
		}
	}
	return ""
}

// rasterBeside opens the raster beside the header f.
func rasterBeside(f *input.File) (*os.File, error) {
	base := strings.TrimSuffix(f.Path, filepath.Ext(f.Path))
	for _, ext := range Extensions {
		if path := beside(base, ext); path != "" {
			return regular.Open(path)
		}
	}
	return nil, fmt.Errorf("%s: no raster beside the header: looked for %s with one of the extensions%s: %w",
		f.Path, filepath.Base(base), strings.Join(Extensions, " "), fs.ErrNotExist)
}

// fields reads a header: lines "name = value". A value in braces may span lines. Lines that
// begin with a semicolon are comments.
func fields(f *input.File, text string) (map[string]string, error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if strings.TrimSpace(lines[0]) != "ENVI" {
		return nil, f.BadLine(1, "want ENVI, not %.20q", lines[0])
	}
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), ";") {
			lines[i] = ""
		}
	}
	field := map[string]string{}
	for i := 1; i < len(lines); i++ {
		name, value, ok := strings.Cut(lines[i], "=")
		if !ok {
			continue // empty
		}
		first := i + 1
		value = strings.TrimSpace(value)
		parts := []string{value}
		for open := braces(value); strings.HasPrefix(value, "{") && open > 0; open += braces(lines[i]) {
			if i++; i == len(lines) {
				return nil, f.BadLine(first, "a brace { is never closed")
			}
			parts = append(parts, strings.TrimSpace(lines[i]))
		}
		value = strings.Join(parts, " ")
		name = strings.ToLower(strings.Join(strings.Fields(name), " "))
		if before, twice := field[name]; twice && before != value {
			return nil, f.BadLine(first, "%.40q is given twice, as %.40q and as %.40q", name, before, value)
		}
		field[name] = value
	}
	return field, nil
}

// braces returns how many more braces a text opens than it closes.
func braces(text string) int { return strings.Count(text, "{") - strings.Count(text, "}") }

// parse reads a header.
func parse(f *input.File, text string) (*cube, error) {
	field, err := fields(f, text)
	if err != nil {
		return nil, err
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
			return nil, f.Bad(0, "header: %s is %.20q: want a whole number", x.name, value)
		}
		*x.to = n
	}
	dt, ok := types[field["data type"]]
	if !ok {
		return nil, f.Unsupported("header: data type %.20q: want one of the real types 1, 2, 3, 4, 5, 12, 13, 14, 15", field["data type"])
	}
	switch c.dt = dt; field["byte order"] {
	case "", "0":
	case "1":
		c.dt.Big = dt.Size > 1
	default:
		return nil, f.Bad(0, "header: byte order %.20q, want 0 or 1", field["byte order"])
	}
	switch c.interleave {
	case "bsq", "bil", "bip":
	default:
		return nil, f.Bad(0, "header: interleave %.20q, want bsq, bil or bip", field["interleave"])
	}
	if err := c.refuse(f, field); err != nil {
		return nil, err
	}
	if c.library {
		if c.bands != 1 {
			return nil, f.Bad(0, "header: a spectral library of %d bands: want 1", c.bands)
		}
		c.bands, c.samples, c.interleave = c.samples, 1, "bip" // a spectrum is a line of the raster
	}
	if value, there := field["data ignore value"]; there && value != "" {
		x, err := element.Parse(value)
		if err != nil {
			return nil, f.Bad(0, "header: data ignore value is %.20q: want a number", value)
		}
		c.ignored = &x
		f.Note("the header gives %s as the data ignore value: entries of this value are missing", value)
	}
	c.note(f, field)
	return c, nil
}

// refuse returns an error for a header that gives the numbers of the raster a meaning that is
// not read.
func (c *cube) refuse(f *input.File, field map[string]string) error {
	switch kind := strings.ToLower(field["file type"]); kind {
	case "", "envi", "envi standard":
	case "envi spectral library":
		c.library = true
	default:
		return f.Unsupported("header: file type %.40q: save it as ENVI Standard, or correct that line of the header", field["file type"])
	}
	for _, x := range []struct{ name, instead string }{
		{"file compression", "the raster is compressed; save it without file compression"},
		{"major frame offsets", "save it without frame offsets"},
		{"minor frame offsets", "save it without frame offsets"},
	} {
		if strings.Trim(field[x.name], "{ 0,}") != "" {
			return f.Unsupported("header: %s = %.40q; %s", x.name, field[x.name], x.instead)
		}
	}
	return nil
}

// note takes the names of the bands from the header, and says which fields of it change no
// number.
func (c *cube) note(f *input.File, field map[string]string) {
	for _, name := range []string{"wavelength", "band names"} {
		switch names := braced(field[name]); {
		case names == nil || c.names != nil:
		case int64(len(names)) == c.bands:
			c.names = names
		default:
			f.Note("the field %s of the header, with %d names for %d bands, names nothing", name, len(names), c.bands)
		}
	}
	if units := field["wavelength units"]; !strings.EqualFold(units, "unknown") {
		c.units = units
	}
	if names := braced(field["spectra names"]); c.library && names != nil {
		if c.spectra = names; int64(len(names)) != c.lines {
			c.spectra = nil
			f.Note("the field spectra names of the header, with %d names for %d spectra, names nothing", len(names), c.lines)
		}
	}
	var bad []string
	for i, good := range braced(field["bbl"]) {
		if x, err := element.Parse(good); err == nil && x == 0 && int64(i) < c.bands {
			bad = append(bad, strconv.Itoa(i+1))
			f.BadRows = append(f.BadRows, i)
		}
	}
	if bad != nil {
		f.Note("the header marks %d of %d bands as bad (bbl): %s; %s leaves them out", len(bad), c.bands, input.List(bad), f.Setting(map[bool]string{false: "skip-rows", true: "skip-cols"}[f.Transpose], f.Path))
	}
	for _, name := range []string{"reflectance scale factor", "data gain values", "data offset values", "data reflectance gain values", "data reflectance offset values"} {
		if field[name] != "" {
			f.Note("the field %s of the header is not applied: the numbers are as stored", name)
		}
	}
}

// braced returns the words of a list in braces, or nil if s is no such list.
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

// byLines is a raster that stores each line of pixels band by band.
type byLines struct {
	f *input.File
	c *cube
}

// Open starts delivering the elements band by band.
func (b *byLines) Open() (input.Source, error) {
	line, band, left := int64(0), int64(0), int64(0) // where to go on, and the elements left before
	rest, buf := &input.Numbers{File: b.f, Type: b.c.dt}, make([]float64, input.Chunk)
	return &input.Pieces{Load: func() ([]float64, error) {
		if left == 0 {
			size := b.c.samples * int64(b.c.dt.Size)
			off := b.c.offset + (line*b.c.bands+band)*size
			rest.Source, rest.Offset, left = io.NewSectionReader(b.f, off, size), off, b.c.samples
			if line++; line == b.c.lines {
				line, band = 0, band+1
			}
		}
		piece := buf[:min(input.Chunk, left)]
		left -= int64(len(piece))
		return piece, rest.Next(piece)
	}}, nil
}

// WriteLibrary writes a bands x spectra matrix as the raster of a spectral library, little endian.
func WriteLibrary[T element.Float](w io.Writer, m output.Labelled[T]) error {
	if err := m.Check(); err != nil {
		return err
	}
	return m.EncodeColumns(w)
}

// WriteLibraryHeader writes the header of a raster of WriteLibrary. The column names are those of the
// spectra. The row names are the wavelengths if they are numbers. Axis is what they are, with their unit in
// parentheses, or empty.
func WriteLibraryHeader[T element.Float](w io.Writer, m output.Labelled[T], axis string) error {
	var names []string
	for j := range m.Cols {
		name := "spectrum " + strconv.Itoa(j+1)
		if m.ColNames != nil {
			name = strings.Map(func(r rune) rune {
				if strings.ContainsRune("{},=\r\n", r) {
					return ' '
				}
				return r
			}, m.ColNames[j])
		}
		names = append(names, name)
	}
	text := headerOf[T](m.Rows, m.Cols, 1, "ENVI Spectral Library", "spectra names", names)
	numbers := m.RowNames != nil && !slices.ContainsFunc(m.RowNames, func(name string) bool {
		_, err := strconv.ParseFloat(name, 64)
		return err != nil
	})
	if _, unit, ok := strings.Cut(axis, " ("); ok && numbers {
		text += fmt.Sprintf("wavelength units = %s\n", strings.TrimSuffix(unit, ")"))
	}
	if numbers {
		text += fmt.Sprintf("wavelength = {%s}\n", strings.Join(m.RowNames, ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}

// headerOf returns a header with a list of names.
func headerOf[T element.Float](samples, lines, bands int, kind, named string, names []string) string {
	number := 5 // of the element type
	if _, ok := any(T(0)).(float32); ok {
		number = 4
	}
	return fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = %d\nheader offset = 0\nfile type = %s\ndata type = %d\ninterleave = bsq\nbyte order = 0\n%s = {%s}\n",
		samples, lines, bands, kind, number, named, strings.Join(names, ", "))
}

// Write writes a bands x pixels matrix as the raster of a cube: bsq, little endian. The pixels
// are those of height x width, line by line.
func Write[T element.Float](w io.Writer, m output.Labelled[T], height, width int) error {
	if err := m.Check(); err != nil {
		return err
	}
	if height < 1 || width < 1 || m.Cols%height != 0 || m.Cols/height != width {
		return fmt.Errorf("%d columns do not make an image of %d x %d pixels", m.Cols, height, width)
	}
	return output.Encode(w, m.Rows, m.Cols, m.Data, m.Stride)
}

// WriteHeader writes the header of a raster of Write. The row names are the names of the bands.
func WriteHeader[T element.Float](w io.Writer, m output.Labelled[T], height, width int) error {
	var names []string
	for i := range m.Rows {
		names = append(names, "factor "+output.NameOf(m.RowNames, i))
	}
	_, err := io.WriteString(w, headerOf[T](width, height, m.Rows, "ENVI Standard", "band names", names))
	return err
}
