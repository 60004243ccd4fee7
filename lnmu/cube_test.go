package lnmu_test

import (
	"math"
	"math/rand/v2"
)

// plantedCube is a set with known factors: Data is Maps times Spectra plus noise. A column is an image,
// its pixels column after column.
type plantedCube struct {
	Rows, Cols, Rank        int
	Data, Maps, Spectra     []float64 // by rows
	ImageHeight, ImageWidth int
}

const (
	cubeHeight, cubeWidth = 36, 48
	cubeBands             = 40
	cubeMaterials         = 5
	cubePatches           = 3 // of each material but the last
)

// newCube returns a hyperspectral image of five materials: 40 bands of 36 x 48 pixels. Four
// materials cover patches, rectangles and ellipses. Later patches hide earlier ones, so the
// maps are piecewise constant. The fifth material is a smooth veil over half of the image. A
// spectrum is three peaks on a low base. The noise of an entry is nearly normal. noise is its
// standard deviation, relative to the largest entry. Entries below 0 become 0.
func newCube(seed uint64, noise float64) plantedCube {
	p := plantedCube{
		Rows: cubeHeight * cubeWidth, Cols: cubeBands, Rank: cubeMaterials, Data: make([]float64, cubeHeight*cubeWidth*cubeBands),
		ImageHeight: cubeHeight, ImageWidth: cubeWidth,
	}
	stream := func(i uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, i)) }
	p.Maps = cubeMaps(stream(0))
	p.Spectra = cubeSpectra(stream(1))
	most := 0.0
	for i := range p.Rows {
		for j := range p.Cols {
			sum := 0.0
			for k := range p.Rank {
				sum += float64(p.Maps[i*p.Rank+k] * p.Spectra[k*p.Cols+j])
			}
			p.Data[i*p.Cols+j] = sum
			most = max(most, sum)
		}
	}
	for i := range p.Spectra {
		p.Spectra[i] /= most
	}
	rng := stream(2)
	for i := range p.Data {
		p.Data[i] = max(0, p.Data[i]/most+float64(noise*nearlyNormal(rng)))
	}
	return p
}

// cubeMaps paints the materials.
func cubeMaps(rng *rand.Rand) []float64 {
	maps := make([]float64, cubeHeight*cubeWidth*cubeMaterials)
	at := func(y, x int) []float64 {
		i := y + cubeHeight*x
		return maps[i*cubeMaterials : (i+1)*cubeMaterials]
	}
	for patch := range cubePatches * (cubeMaterials - 1) {
		material := patch % (cubeMaterials - 1)
		cy, cx := between(rng, 0, cubeHeight), between(rng, 0, cubeWidth)
		ry, rx := between(rng, 4, 11), between(rng, 4, 13)
		round, amount := rng.IntN(2) == 0, between(rng, 0.7, 1)
		for y := range cubeHeight {
			for x := range cubeWidth {
				dy, dx := (float64(y)-cy)/ry, (float64(x)-cx)/rx
				inside := max(math.Abs(dy), math.Abs(dx)) < 1
				if round {
					inside = float64(dy*dy)+float64(dx*dx) < 1
				}
				if inside {
					clear(at(y, x))
					at(y, x)[material] = amount
				}
			}
		}
	}
	cy, cx := between(rng, 0, cubeHeight), between(rng, 0, cubeWidth)
	for y := range cubeHeight {
		for x := range cubeWidth {
			at(y, x)[cubeMaterials-1] = float64(0.7 * bump(float64(x)-cx, float64(y)-cy, 0.6*cubeWidth, 0.6*cubeHeight))
		}
	}
	return maps
}

// cubeSpectra draws the spectra.
func cubeSpectra(rng *rand.Rand) []float64 {
	spectra := make([]float64, cubeMaterials*cubeBands)
	for k := range cubeMaterials {
		row := spectra[k*cubeBands : (k+1)*cubeBands]
		for range 3 {
			center, width, height := between(rng, 0, 1), between(rng, 0.08, 0.2), between(rng, 0.4, 1)
			for j := range row {
				row[j] += float64(height * bump(float64(j)/(cubeBands-1)-center, 0, width, 1))
			}
		}
		for j := range row {
			row[j] += 0.03
		}
	}
	return spectra
}

// nearlyNormal returns a nearly normal number: the sum of twelve uniform ones, less its mean.
func nearlyNormal(rng *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += rng.Float64()
	}
	return sum
}

// between returns a uniform number in [lo, hi).
func between(rng *rand.Rand, lo, hi float64) float64 { return lo + float64((hi-lo)*rng.Float64()) }

// bump returns a smooth hill of height 1 at the origin with the half axes rx, ry.
func bump(x, y, rx, ry float64) float64 {
	x, y = x/rx, y/ry
	q := max(0, 1-float64(x*x)-float64(y*y))
	return q * q
}
