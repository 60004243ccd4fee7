package envi_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestComments: lines that begin with a semicolon are comments, as in spectral.envi of Python:
// also with an equals sign, with an open brace, and within braces.
func TestComments(t *testing.T) {
	want := matiotest.New(2, 6, []float64{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15})
	for _, extra := range []string{
		"; old band names = {first,\nwavelength = {400, 410}\n",
		"wavelength = {400,\n ; 405},\n 410}\n",
		"\t;lines = 7\nwavelength = {400, 410}\n; {\n",
		"wavelength = {400, 410}\ndescription2 = an open { brace\n",
		"wavelength = {400, 410}\nnested = {a {b}\n, c}\n",
	} {
		header, _ := enviCube(t, "bsq", ">u2", "12", extra, ".img")
		matiotest.WantDense(t, header, "", want)
		if got := matiotest.Open(t, header, matio.Options{}).RowNames(); len(got) != 2 || got[1] != "410" {
			t.Errorf("%q: names %q", extra, got)
		}
	}
}

// TestIgnoreValue: entries of the data ignore value are NaN, in every interleave, and no
// others.
func TestIgnoreValue(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		descr, number, value string
		want                 []float64
	}{
		{"<u2", "12", "13", []float64{0, 1, 2, 3, 4, 5, 10, 11, 12, nan, 14, 15}},
		{">i2", "2", "0", []float64{nan, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}},
		{"<f4", "4", "1.5e1", []float64{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, nan}},
		{"<f8", "5", "-9999", []float64{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}},
	} {
		for _, interleave := range []string{"bsq", "bil", "bip"} {
			header, _ := enviCube(t, interleave, c.descr, c.number, "data ignore value = "+c.value+"\n", ".img")
			f := matiotest.Open(t, header, matio.Options{})
			_, _, data := must.Three(matio.Dense[float64](f))(t)
			for k, x := range data {
				if x != c.want[k] && !(math.IsNaN(x) && math.IsNaN(c.want[k])) {
					t.Errorf("%s, %s, %s: %v, want %v", c.descr, interleave, c.value, data, c.want)
					break
				}
			}
			if notes := strings.Join(f.Notes(), ";"); !strings.Contains(notes, "the header gives "+c.value+" as the data ignore value") {
				t.Errorf("notes %q", notes)
			}
			if f.Parts() != nil || f.Mapped() {
				t.Error("the bytes of the file are read instead")
			}
		}
	}
	// The value that a float32 raster can hold is meant.
	header := matiotest.Write(t, "a.hdr", []byte("ENVI\nsamples = 1\nlines = 1\nbands = 1\ndata type = 4\ninterleave = bsq\ndata ignore value = 0.1\n"))
	must.Do(t, os.WriteFile(strings.TrimSuffix(header, ".hdr")+".dat", matiotest.BytesOf([]float64{float64(float32(0.1))}, "<f4"), 0o666))
	_, _, data, err := matio.Dense[float64](matiotest.Open(t, header, matio.Options{}))
	if err != nil || !math.IsNaN(data[0]) {
		t.Errorf("%v, %v", data, err)
	}
}

// TestFields: what a header says about the numbers is obeyed, refused or noted.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		extra    string
		sentinel error
		text     string
	}{
		{"file type = ENVI Classification\n", matio.ErrUnsupported, "save it as ENVI Standard"},
		{"file type = TIFF\n", matio.ErrUnsupported, "save it as ENVI Standard"},
		{"major frame offsets = {4, 0}\n", matio.ErrUnsupported, "frame offsets"},
		{"minor frame offsets = {0, 16}\n", matio.ErrUnsupported, "frame offsets"},
		{"data ignore value = none\n", matio.ErrFormat, "want a number"},
		{"bands = 2\nwidth = 1\nwidth = 2\n", matio.ErrFormat, `line 12: "width" is given twice, as "1" and as "2"`},
	} {
		header, _ := enviCube(t, "bsq", "<f8", "5", c.extra, ".dat")
		matiotest.WantError(t, header, matio.Options{}, c.sentinel, c.text)
	}
	for extra, note := range map[string]string{
		"bbl = {1, 0}\n":                          "the header marks 1 of 2 bands as bad (bbl): 2; --skip-rows ",
		"bbl = {1, 1}\n":                          "",
		"bbl = {1, 1, 0}\n":                       "", // there are two bands
		"reflectance scale factor = 10000\n":      "the field reflectance scale factor of the header is not applied",
		"data gain values = {2, 3}\n":             "the field data gain values of the header is not applied",
		"data offset values = {2, 3}\n":           "the field data offset values of the header is not applied",
		"wavelength = {400, 410, 420}\n":          "the field wavelength of the header, with 3 names for 2 bands, names nothing",
		"file type = ENVI Standard\n":             "",
		"file type = ENVI\n":                      "",
		"major frame offsets = {0, 0}\n":          "",
		"width = 1\nwidth = 1\n":                  "",
		"lines = 1\n":                             "cube.dat has 48 bytes more than its header claims, which are left out",
		"wavelength = {1, 2}\nbbl = {1.0, 0.0}\n": "(bbl): 2",
	} {
		header, _ := enviCube(t, "bsq", "<f8", "5", extra, ".dat")
		notes := strings.Join(matiotest.Open(t, header, matio.Options{}).Notes(), ";")
		if !strings.Contains(notes, note) || note == "" && notes != "" {
			t.Errorf("%q: notes %q, want %q", extra, notes, note)
		}
	}
}
