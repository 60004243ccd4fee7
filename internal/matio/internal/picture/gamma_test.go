package picture_test

import (
	"encoding/binary"
	"image"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestGamma: the pixels of a PNG image are read as stored, and a note names one whose gamma is not that of
// most images.
func TestGamma(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 2, 1))
	grey.Pix[0], grey.Pix[1] = 51, 255
	plain := matiotest.PNGFile(t, grey)
	for _, c := range []struct {
		gamma uint32 // in units of 1e-5
		noted bool
	}{{0, false}, {45455, false}, {45000, false}, {100000, true}, {55556, true}} {
		file := withChunk(plain, 33, "gAMA", binary.BigEndian.AppendUint32(nil, c.gamma))
		f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.png": file}), matio.Options{})
		_, _, data, err := matio.Dense[float64](f)
		if err != nil || data[0] != 0.2 || data[1] != 1 {
			t.Errorf("gamma %d: %v, %v", c.gamma, data, err)
		}
		must.Equal(t, strings.Contains(strings.Join(f.Notes(), ""), "1 images declare another gamma than 1/2.2"), c.noted, "gamma", c.gamma, "notes", f.Notes())
	}
}
