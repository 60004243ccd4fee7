package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"nmu/cmd/internal/commandtest"
	"nmu/cmd/internal/input"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/record"
)

// The matrix of TestFormats: so many images of so many pixels, of 8 bits.
const (
	formatHeight, formatWidth, formatImages = 5, 4, 9
	formatRows, formatCols                  = formatHeight * formatWidth, formatImages
)

// formatPixel is row i, column j of the matrix, times 255; a third are zeros.
func formatPixel(i, j int) int {
	k := i*formatCols + j
	if k%3 == 1 {
		return 0
	}
	return (k*k*37 + 11*k + 5) % 256
}

// The same matrix gives the same factors, bit for bit, from every type of file.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	inputs := formatFiles(t, dir)
	for _, precision := range options.Precisions {
		for _, method := range []string{"nmf", "rnmu"} {
			want := ""
			for _, in := range inputs {
				args := append([]string{"factor", in.path, "--json", "--rank", "3", "--iterations", "4", "--method", method, "--precision", precision}, in.args...)
				status, out, stderr := nmuFrom(bytes.NewReader(in.stdin), args...)
				if status != 0 || !commandtest.OnlyNotes(stderr) {
					t.Errorf("%s: status %d, %s", in.what, status, stderr)
					continue
				}
				rep := parsed[record.Factor](t, out)
				sums := rep.SHA256V + " " + rep.SHA256W
				if want == "" {
					want = sums
				}
				if sums != want || rep.Rows != formatRows || rep.Cols != formatCols {
					t.Errorf("%s, %s of %s: %d x %d, factors %s, want %s", method, precision, in.what, rep.Rows, rep.Cols, sums, want)
				}
			}
		}
	}
}

// formatFile is the matrix in a file or on standard input.
type formatFile struct {
	what, path string
	args       []string
	stdin      []byte
}

// formatFiles writes the matrix in every way.
func formatFiles(t *testing.T, dir string) []formatFile {
	t.Helper()
	var inputs []formatFile
	add := func(name, content string, args ...string) {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
		inputs = append(inputs, formatFile{what: name, path: path, args: args})
	}
	at := func(i, j int) float64 { return float64(formatPixel(i, j)) / 255 }
	// all lists the matrix, by columns or by rows.
	all := func(byColumns bool, do func(i, j int)) {
		for k := range formatRows * formatCols {
			if byColumns {
				do(k%formatRows, k/formatRows)
			} else {
				do(k/formatCols, k%formatCols)
			}
		}
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	table := func(sep, mark string, index bool) string {
		var b strings.Builder
		if index {
			for j := range formatCols {
				fmt.Fprintf(&b, "%sc%d", sep, j)
			}
			b.WriteByte('\n')
		}
		all(false, func(i, j int) {
			if j == 0 && index {
				fmt.Fprintf(&b, "%d%s", i, sep)
			}
			b.WriteString(strings.Replace(number(at(i, j)), ".", mark, 1))
			if j < formatCols-1 {
				b.WriteString(sep)
			} else {
				b.WriteByte('\n')
			}
		})
		return b.String()
	}
	add("plain.csv", table(",", ".", false))
	add("pandas.csv", table(",", ".", true))
	add("excel.csv", "\xef\xbb\xbf"+strings.ReplaceAll(table(";", ",", true), "\n", "\r\n"))
	add("plain.tsv", table("\t", ".", false))
	add("numpy.txt", table(" ", ".", false))
	inputs = append(inputs, formatFile{what: "standard input", path: input.Stdin, stdin: []byte(table(",", ".", false))})

	var zipped bytes.Buffer
	gz := gzip.NewWriter(&zipped)
	io.WriteString(gz, table(",", ".", false))
	gz.Close()
	add("plain.csv.gz", zipped.String())

	// raw is the matrix as numbers of eight bytes.
	raw := func(order binary.ByteOrder, byColumns bool) string {
		var b []byte
		all(byColumns, func(i, j int) { b, _ = binary.Append(b, order, at(i, j)) })
		return string(b)
	}
	npy := func(kind string, byColumns bool, rows, cols int, data string) string {
		title := "False"
		if byColumns {
			title = "True"
		}
		header := fmt.Sprintf("{'descr': '%sf8', 'fortran_order': %s, 'shape': (%d, %d), }", kind, title, rows, cols)
		header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
		return "\x93NUMPY\x01\x00" + string(rune(len(header))) + "\x00" + header + data
	}
	rows := npy("<", false, formatRows, formatCols, raw(binary.LittleEndian, false))
	add("rows.npy", rows)
	add("columns.npy", npy("<", true, formatRows, formatCols, raw(binary.LittleEndian, true)))
	add("big.npy", npy(">", false, formatRows, formatCols, raw(binary.BigEndian, false)))
	add("turned.npy", npy("<", false, formatCols, formatRows, raw(binary.LittleEndian, true)), "--transpose")
	inputs = append(inputs, formatFile{what: "standard input, .npy", path: input.Stdin, stdin: []byte(rows)})
	for name, method := range map[string]uint16{"stored.npz": zip.Store, "deflated.npz": zip.Deflate} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		must.Get(io.WriteString(must.Get(z.CreateHeader(&zip.FileHeader{Name: "M.npy", Method: method}))(t), rows))(t)
		must.Do(t, z.Close())
		add(name, b.String(), "--var", "M")
	}

	var data []float64
	all(false, func(i, j int) { data = append(data, at(i, j)) })
	m := matio.Labelled[float64]{Rows: formatRows, Cols: formatCols, Data: data, Stride: formatCols}
	path := filepath.Join(dir, "v6.mat")
	must.Do(t, matiotest.WriteMat(path, matio.Variable[float64]{Name: "M", Labelled: m}))
	v6 := readText(t, path)
	add("v6.mat", v6)
	// As -v7 writes it: the element that is the array, deflated, is one of type 15.
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	io.WriteString(z, v6[128:])
	z.Close()
	tag := binary.LittleEndian.AppendUint32([]byte{15, 0, 0, 0}, uint32(packed.Len()))
	add("v7.mat", v6[:128]+string(tag)+packed.String())

	var array, coordinates strings.Builder
	entries := 0
	all(true, func(i, j int) {
		fmt.Fprintln(&array, number(at(i, j)))
		if at(i, j) > 0 {
			fmt.Fprintln(&coordinates, i+1, j+1, number(at(i, j)))
			entries++
		}
	})
	add("array.mtx", fmt.Sprintf("%%%%MatrixMarket matrix array real general\n%d %d\n%s", formatRows, formatCols, array.String()))
	add("coordinate.mtx", fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n%s", formatRows, formatCols, entries, coordinates.String()), "--dense")

	// The bands of a cube are rows, its pixels columns: 3 lines of 3 samples.
	const lines, samples = 3, formatCols / 3
	for interleave, order := range map[string]func(band, line, sample int) int{
		"bsq": func(b, l, s int) int { return (b*lines+l)*samples + s },
		"bil": func(b, l, s int) int { return (l*formatRows+b)*samples + s },
		"bip": func(b, l, s int) int { return (l*samples+s)*formatRows + b },
	} {
		for number, bytes := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			cube := make([]float64, formatRows*formatCols)
			all(false, func(i, j int) { cube[order(i, j/samples, j%samples)] = at(i, j) })
			b := new(strings.Builder)
			binary.Write(b, bytes, cube)
			name := interleave + strconv.Itoa(number)
			must.Do(t, os.WriteFile(filepath.Join(dir, name+".dat"), []byte(b.String()), 0o666))
			add(name+".hdr", fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = %d\nheader offset = 0\ndata type = 5\ninterleave = %s\nbyte order = %d\n",
				samples, lines, formatRows, interleave, number))
		}
	}
	return append(inputs, formatFolders(t, dir)...)
}

// formatFolders writes the columns of the matrix as images, 257 times as large with 16
// bits, which is the same part of the largest.
func formatFolders(t *testing.T, dir string) []formatFile {
	t.Helper()
	var inputs []formatFile
	for _, c := range []struct {
		what, ext string
		deep      bool
		encode    func(w io.Writer, m image.Image) error
	}{
		{"png, 8 bit", "png", false, png.Encode},
		{"png, 16 bit", "png", true, png.Encode},
		{"tiff, 8 bit", "tif", false, func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) }},
		{"tiff, 16 bit", "tif", true, func(w io.Writer, m image.Image) error {
			return tiff.Encode(w, m, &tiff.Options{Compression: tiff.Deflate})
		}},
		{"pgm", "pgm", false, func(w io.Writer, m image.Image) error {
			_, err := fmt.Fprintf(w, "P5\n%d %d\n255\n%s", formatWidth, formatHeight, m.(*image.Gray).Pix)
			return err
		}},
	} {
		folder := filepath.Join(dir, c.what)
		must.Do(t, os.Mkdir(folder, 0o777))
		for j := range formatImages {
			size := image.Rect(0, 0, formatWidth, formatHeight)
			shallow, deep := image.NewGray(size), image.NewGray16(size)
			for i := range formatRows {
				x, y := i/formatHeight, i%formatHeight
				shallow.SetGray(x, y, color.Gray{Y: uint8(formatPixel(i, j))})
				deep.SetGray16(x, y, color.Gray16{Y: uint16(257 * formatPixel(i, j))})
			}
			var b bytes.Buffer
			var m image.Image = shallow
			if c.deep {
				m = deep
			}
			must.Do(t, c.encode(&b, m))
			write(t, filepath.Join(folder, fmt.Sprintf("%d.%s", j, c.ext)), b.String())
		}
		inputs = append(inputs, formatFile{what: c.what, path: folder})
	}
	return inputs
}

// A folder of images leaves a table of which is which.
func TestManifest(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "images")
	for _, name := range []string{"b10.pgm", "b9.pgm", "in, side/a.pgm"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte("P2 3 2 9 1 2 3 4 5 "+strconv.Itoa(len(name)%10)), 0o666))
	}
	out := filepath.Join(t.TempDir(), "out")
	const want = "column,file,width,height\n1,b9.pgm,3,2\n2,b10.pgm,3,2\n3,\"in, side/a.pgm\",3,2\n"
	names := textFile(t, "names", "x\ny\nz\n")
	succeed(t, "factor", folder, "--rank", "1", "--out", out, "--col-names", names)
	must.Equal(t, readText(t, out, record.NameImages), want)
	succeed(t, "factor", folder, "--rank", "1", "--out", out, "--transpose")
	must.Equal(t, readText(t, out, record.NameImages), strings.Replace(want, "column", "row", 1), "transposed")
	succeed(t, "factor", textFile(t, "m.csv", "1,2\n3,5\n"), "--rank", "1", "--out", out)
	noFile(t, filepath.Join(out, record.NameImages)) // of the run before
}
