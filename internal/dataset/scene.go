package dataset

import (
	"math"
	"strconv"
)

// Constants of Ground, in pixels and in bands of ten nanometres.
const (
	sceneHeight = 60
	sceneWidth  = 80
	sceneBands  = 60
	sceneFirst  = 405 // the first wavelength
	sceneStep   = 10
	sceneNoise  = 0.004
)

// hill is a bump in a spectrum or in a map, with a place, a half width and a height.
type hill struct{ at, width, height float64 }

// sceneMaterials are the materials of the scene, with their reflectance by wavelength.
var sceneMaterials = []struct {
	name  string
	base  float64
	hills []hill
}{
	{"water", 0, []hill{{480, 330, 0.24}}},
	{"plants", 0.02, []hill{{555, 70, 0.10}, {900, 215, 0.60}}},
	{"soil", 0.04, []hill{{900, 560, 0.46}}},
	{"roofs", 0.06, []hill{{640, 110, 0.52}, {840, 90, 0.18}}},
}

// Scene is an image of the ground with a spectrum in each of its pixels.
type Scene struct {
	// Height and Width are the size in pixels. Pixels are numbered line by line.
	Height, Width int
	// Wavelengths are those of the bands in nanometres. Materials are the names of the
	// materials.
	Wavelengths, Materials []string
	// Spectra is bands x materials and Abundances is materials x pixels, both by rows. Data is
	// their product with a little noise, bands x pixels by rows.
	Spectra, Abundances, Data []float64
}

// Ground returns a synthetic hyperspectral image of 60 x 80 pixels and 60 bands from
// 405 to 995 nm: a river, a wood with single trees, open soil and a settlement, whose
// pixels mix along their borders, in a light that varies by a tenth. Each material is
// alone in some pixels.
func Ground(seed uint64) Scene {
	s := Scene{Height: sceneHeight, Width: sceneWidth}
	for b := range sceneBands {
		nm := sceneFirst + sceneStep*b
		s.Wavelengths = append(s.Wavelengths, strconv.Itoa(nm))
		for _, m := range sceneMaterials {
			r := m.base
			for _, h := range m.hills {
				r += float64(h.height * bump(float64(nm)-h.at, 0, h.width, 1))
			}
			s.Spectra = append(s.Spectra, r)
		}
	}
	count := len(sceneMaterials)
	for _, m := range sceneMaterials {
		s.Materials = append(s.Materials, m.name)
	}
	pixels := sceneHeight * sceneWidth
	s.Abundances = make([]float64, count*pixels)
	rng := stream(seed, 0)
	for p := range pixels {
		parts := groundAt(float64(p/sceneWidth), float64(p%sceneWidth))
		light := between(rng, 0.9, 1)
		for k, part := range parts {
			s.Abundances[k*pixels+p] = float64(part * light)
		}
	}
	s.Data = make([]float64, sceneBands*pixels)
	for b := range sceneBands {
		for p := range pixels {
			x := between(rng, 0, sceneNoise)
			for k := range count {
				x += float64(s.Spectra[b*count+k] * s.Abundances[k*pixels+p])
			}
			s.Data[b*pixels+p] = x
		}
	}
	return s
}

// groundAt returns the fractions of water, plants, soil and roofs at a place. They are
// nonnegative and their sum is 1.
func groundAt(y, x float64) [4]float64 {
	// The river runs from the top to the bottom, in two bends.
	t := (y - 30) / 30
	middle := 26 + float64(16*float64(t*(1-float64(t*t))))
	water := ramp(5 - math.Abs(x-middle))
	plants := ramp(float64(30*bump(y-16, x-58, 22, 26)) - 3)
	for _, tree := range [...][2]float64{{44, 8}, {50, 14}, {14, 10}, {22, 5}, {36, 46}} {
		plants = max(plants, ramp(float64(6*bump(y-tree[0], x-tree[1], 4.5, 4.5))-1))
	}
	roofs := 0.0
	for row := range 2 {
		for column := range 4 {
			dy, dx := math.Abs(y-float64(42+11*row)), math.Abs(x-float64(48+8*column))
			roofs = max(roofs, ramp(min(3.5-dy, 2.5-dx)))
		}
	}
	var parts [4]float64
	left := 1.0
	for k, part := range [...]float64{0: water, 3: roofs, 1: plants} {
		if k == 2 {
			continue // soil is what is left
		}
		parts[k] = float64(left * part)
		left -= parts[k]
	}
	parts[2] = left
	return parts
}

// ramp returns x, limited to the range from 0 to 1.
func ramp(x float64) float64 { return min(1, max(0, x)) }
