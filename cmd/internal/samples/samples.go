// Package samples writes generated data sets as files, for the gallery and for tests of the
// report in a browser.
package samples

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/internal/regular"
)

// Images writes the images of a set as PNG files in a folder.
func Images(name string, set func() dataset.Set) func(folder string) error {
	return func(folder string) error {
		s := set()
		if err := os.MkdirAll(filepath.Join(folder, name), 0o777); err != nil {
			return err
		}
		for j := range s.Cols {
			m := image.NewGray(image.Rect(0, 0, s.ImageWidth, s.ImageHeight))
			for i := range s.Rows {
				m.SetGray(i/s.ImageHeight, i%s.ImageHeight, color.Gray{Y: uint8(255*s.Data[i*s.Cols+j] + 0.5)})
			}
			path := filepath.Join(folder, name, fmt.Sprintf("%03d.png", j))
			if err := matio.WriteFile(path, func(w io.Writer) error { return png.Encode(w, m) }); err != nil {
				return err
			}
		}
		return nil
	}
}

// Ground writes an ENVI cube with wavelengths.
func Ground(folder string) error {
	s := dataset.Ground(0)
	bands, pixels := len(s.Wavelengths), s.Height*s.Width
	cube := matio.Labelled[float64]{Rows: bands, Cols: pixels, Data: s.Data, Stride: pixels}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if err := matio.WriteENVI(filepath.Join(folder, "ground.dat"), cube, s.Height, s.Width); err != nil {
		return err
	}
	header := fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = %d\nheader offset = 0\ndata type = 5\ninterleave = bsq\nbyte order = 0\nwavelength units = Nanometers\nwavelength = {%s}\n",
		s.Width, s.Height, bands, strings.Join(s.Wavelengths, ", "))
	return matio.WriteFile(filepath.Join(folder, "ground.hdr"), func(w io.Writer) error {
		_, err := io.WriteString(w, header)
		return err
	})
}

// Melody writes a spectrogram as a table.
func Melody(folder string) error {
	s := dataset.Melody()
	rows, cols := len(s.Frequencies), len(s.Times)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return matio.WriteCSV(filepath.Join(folder, "melody.csv"), matio.Labelled[float64]{
		Rows: rows, Cols: cols, Data: s.Data, Stride: cols, RowNames: s.Frequencies, ColNames: s.Times,
	})
}

// WriteLicences writes the words of licences as a table: words x files.
func WriteLicences(folder string) error {
	names, texts, err := Licences(ModuleCache())
	if err != nil {
		return err
	}
	if len(texts) < 3 {
		return fmt.Errorf("%d licences of the modules of this program in %s; go mod download fetches them", len(texts), ModuleCache())
	}
	const fewest = 3
	words, data := dataset.Words(texts, fewest)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return matio.WriteCSV(filepath.Join(folder, "licences.csv"), matio.Labelled[float64]{
		Rows: len(words), Cols: len(texts), Data: data, Stride: len(texts), RowNames: words, ColNames: names,
	})
}

// ModuleCache is where the go tool keeps modules.
func ModuleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// Licences returns the licences of the modules of this program, with the names of their modules
// and files. Of equal texts it returns the first.
func Licences(cache string) (names, texts []string, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, nil, fmt.Errorf("this program does not know of which modules it is made")
	}
	for _, m := range info.Deps {
		root := filepath.Join(cache, escaped(m.Path)+"@"+escaped(m.Version))
		for _, pattern := range []string{"*", filepath.Join("[lL]icenses", "*"), filepath.Join("*LICENSES", "*")} {
			paths, err := filepath.Glob(filepath.Join(root, pattern))
			if err != nil {
				return nil, nil, err
			}
			for _, path := range paths {
				name := strings.ToLower(filepath.Base(path))
				within := strings.Contains(pattern, string(filepath.Separator))
				if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || !within && !strings.HasPrefix(name, "license") && !strings.HasPrefix(name, "copying") {
					continue
				}
				text, err := regular.ReadFile(path)
				if err != nil {
					return nil, nil, err
				}
				if s := strings.Join(strings.Fields(string(text)), " "); !slices.Contains(texts, s) {
					names, texts = append(names, m.Path+"/"+filepath.Base(path)), append(texts, s)
				}
			}
		}
	}
	return names, texts, nil
}

// escaped writes a path or version as in the module cache: a capital letter becomes ! and the
// small letter.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
