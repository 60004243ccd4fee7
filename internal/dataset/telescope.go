package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The materials of the telescope; background is none of them.
const (
	aluminium = iota // light shield, arms
	shroud           // honeycomb of the aft part
	glue             // middle section, mixed with aluminium
	copper           // strips along the tube, grid of the panels
	rubber           // dark rings
	bolts
	door // aperture door
	cells
	materials
	background = -1
)

const (
	telescopeSize  = 128
	telescopeBands = 100
	samples        = 4 // per side of a pixel
	// unit is one pixel in the rotated coordinates: sample positions are odd
	// multiples of 1/8 pixel, and the rotation by the 3-4-5 triangle keeps
	// five times a rotated position an integer.
	unit = 2 * samples * 5
	// telescopeNoise is the largest noise, relative to the largest entry.
	telescopeNoise = 1e-4
)

// Telescope returns a synthetic stand-in for the Hubble spectral images of the
// paper (section 4, "Hubble Space Telescope Spectral Images"): 100 spectral
// bands of 128 x 128 pixels of an object made of eight materials, a 16384 x
// 100 matrix with entries in [0, 1]. Every material has its own smooth
// spectrum, drawn from seed, and a region of its own; pixels on the borders of
// regions, and those of the middle section, are mixtures. So the matrix is the
// product of two nonnegative factors of rank 8, apart from a nonnegative noise
// of at most 1e-4. Background pixels are exactly zero. The layout does not
// depend on seed; spectra, mottling and noise do.
func Telescope(seed uint64) Set {
	s := newSet(fmt.Sprintf("telescope (synthetic stand-in for Hubble, seed %d)", seed),
		telescopeSize, telescopeSize, telescopeBands)
	spectra := telescopeSpectra(stream(seed, 0))
	largest := 0.0
	for x := range telescopeSize {
		rng := stream(seed, uint64(x)+1)
		for y := range telescopeSize {
			abundance, covered := telescopePixel(y, x)
			if !covered {
				continue
			}
			mottling := between(rng, 0.94, 1)
			i := y + telescopeSize*x
			row := s.Data[i*s.Cols : (i+1)*s.Cols]
			for j := range row {
				sum := 0.0
				for k, a := range abundance {
					sum += float64(a * spectra[k][j])
				}
				row[j] = float64(mottling*sum) + float64(telescopeNoise*rng.Float64())
				largest = max(largest, row[j])
			}
		}
	}
	for i := range s.Data {
		s.Data[i] /= largest
	}
	return s
}

// telescopePixel returns the abundance of each material in pixel (y, x), with
// the shading of the tube, and whether the pixel shows the object at all.
func telescopePixel(y, x int) (abundance [materials]float64, covered bool) {
	for sy := range samples {
		for sx := range samples {
			across := 2*(samples*(x-telescopeSize/2)+sx) + 1
			down := 2*(samples*(y-telescopeSize/2)+sy) + 1
			u := 4*across + 3*down
			w := 4*down - 3*across
			m := telescopeMaterial(u, w)
			if m == background {
				continue
			}
			covered = true
			weight := telescopeShade(m, w) / (samples * samples)
			if m == glue {
				// From pure glue at one end to half aluminium at the other.
				metal := float64(u+16*unit) / float64(2*32*unit)
				abundance[aluminium] += float64(weight * metal)
				weight *= 1 - metal
			}
			abundance[m] += weight
		}
	}
	return abundance, covered
}

// telescopeMaterial returns the material at the position u along the tube and
// w across it, both in multiples of 1/unit pixel from the centre.
func telescopeMaterial(u, w int) int {
	in := func(x, lo, hi int) bool { return lo*unit <= x && x < hi*unit }
	side := max(w, -w)
	switch {
	case in(u, -62, -58) && in(side, 0, 19), in(u, 53, 56) && in(side, 0, 22):
		return rubber
	case in(u, -58, -18) && in(side, 0, 18):
		if in(side, 7, 10) || in(u, -40, -37) {
			return copper
		}
		return aluminium
	case in(u, -18, 18) && in(side, 0, 18):
		if in(u, -18, -16) || in(u, 16, 18) {
			return rubber
		}
		return glue
	case in(u, 18, 53) && in(side, 0, 22):
		// Discs of two pixels radius, eleven pixels apart.
		du, dw := (u-18*unit)%(11*unit)-11*unit/2, side%(11*unit)-11*unit/2
		if du*du+dw*dw < 4*unit*unit {
			return bolts
		}
		return shroud
	case in(u, -18, 18) && in(side, 26, 58):
		if in(u+18*unit, 0, 1) || in(u, 17, 18) || (side-26*unit)%(8*unit) < unit || in(u, -1, 1) {
			return copper
		}
		return cells
	case in(u, -3, 3) && in(side, 18, 26):
		return aluminium
	case in(u, -75, -62) && in(w, -20, -14):
		return door
	}
	return background
}

// telescopeShade darkens the tube towards its edges like a lit cylinder.
func telescopeShade(material, w int) float64 {
	if material == cells || material == door {
		return 1
	}
	t := float64(w) / float64(26*unit)
	if t*t >= 1 {
		return 1 // grid of the panels and ends of the arms
	}
	return math.Sqrt(1 - float64(0.8*float64(t*t)))
}

// telescopeSpectra draws a smooth spectrum for each material: a sloped base
// and three hills.
func telescopeSpectra(rng *rand.Rand) (spectra [materials][telescopeBands]float64) {
	for k := range spectra {
		left, right := between(rng, 0, 0.3), between(rng, 0, 0.3)
		var center, width, height [3]float64
		for h := range center {
			center[h] = between(rng, -0.05, 1.05)
			width[h] = between(rng, 0.15, 0.45)
			height[h] = between(rng, 0.2, 0.8)
		}
		for j := range spectra[k] {
			t := float64(j) / (telescopeBands - 1)
			sum := float64(left*(1-t)) + float64(right*t)
			for h := range center {
				sum += float64(height[h] * bump(t-center[h], 0, width[h], 1))
			}
			spectra[k][j] = sum
		}
	}
	return spectra
}
