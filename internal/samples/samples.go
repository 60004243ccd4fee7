// Package samples writes generated data sets as files, for docs/gallery.md and for tests.
package samples

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nmu/internal/dataset"
	"nmu/internal/matio"
)

// Swimmer writes the swimmer images as PNG files in a folder swimmer.
func Swimmer(folder string) error {
	s := dataset.Swimmer()
	if err := os.MkdirAll(filepath.Join(folder, "swimmer"), 0o777); err != nil {
		return err
	}
	for j := range s.Cols {
		m := image.NewGray(image.Rect(0, 0, s.ImageWidth, s.ImageHeight))
		for i := range s.Rows {
			m.SetGray(i/s.ImageHeight, i%s.ImageHeight, color.Gray{Y: uint8(255*s.Data[i*s.Cols+j] + 0.5)})
		}
		path := filepath.Join(folder, "swimmer", fmt.Sprintf("%03d.png", j))
		if err := matio.WriteFile(path, func(w io.Writer) error { return png.Encode(w, m) }); err != nil {
			return err
		}
	}
	return nil
}

// Ground writes an ENVI cube with wavelengths.
func Ground(folder string) error {
	s := dataset.Ground(0)
	bands, pixels := len(s.Wavelengths), s.Height*s.Width
	cube := matio.Labelled[float64]{Rows: bands, Cols: pixels, Data: s.Data, Stride: pixels}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	raster := func(w io.Writer) error { return matio.EncodeENVI(w, cube, s.Height, s.Width) }
	if err := matio.WriteFile(filepath.Join(folder, "ground.dat"), raster); err != nil {
		return err
	}
	header := fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = %d\nheader offset = 0\ndata type = 5\ninterleave = bsq\nbyte order = 0\nwavelength units = Nanometers\nwavelength = {%s}\n",
		s.Width, s.Height, bands, strings.Join(s.Wavelengths, ", "))
	return matio.WriteFile(filepath.Join(folder, "ground.hdr"), func(w io.Writer) error {
		_, err := io.WriteString(w, header)
		return err
	})
}
