package dataset

import (
	"fmt"
	"math"
)

const (
	surfaceSize = 64
	lightsX     = 5
	lightsY     = 4
)

// LitSurface returns a synthetic stand-in for the Kuls faces of the paper
// (section 4, "Kuls Illuminated Faces"): 20 images of 64 x 64 pixels of one
// surface, shaped roughly like a face, under 20 directions of light; a 4096 x
// 20 matrix with entries in [0, 1]. The brightness of a pixel is its albedo
// times the cosine between normal and light, or zero where the surface turns
// away from the light; other parts of the surface cast no shadow. As in the
// paper the images are inverted: 0 is the brightest point of the set, 1 has no
// light. The shape does not depend on seed; the mottling of the albedo and the
// exact directions of the light do.
func LitSurface(seed uint64) Set {
	s := newSet(fmt.Sprintf("lit surface (synthetic stand-in for Kuls, seed %d)", seed),
		surfaceSize, surfaceSize, lightsX*lightsY)
	rng := stream(seed, 0)
	lights := make([][3]float64, s.Cols)
	for j := range lights {
		lights[j] = normalized([3]float64{
			float64(0.6*float64(j%lightsX-lightsX/2)) + between(rng, -0.05, 0.05),
			float64(0.6*(float64(j/lightsX)-float64(lightsY-1)/2)) + between(rng, -0.05, 0.05),
			1,
		})
	}
	largest := 0.0
	for x := range surfaceSize {
		for y := range surfaceSize {
			u, v := surfaceCoordinate(x), surfaceCoordinate(y)
			normal := surfaceNormal(u, v)
			albedo := surfaceAlbedo(u, v) * between(rng, 0.97, 1)
			i := y + surfaceSize*x
			for j, l := range lights {
				cosine := float64(normal[0]*l[0]) + float64(normal[1]*l[1])
				cosine += float64(normal[2] * l[2])
				s.Data[i*s.Cols+j] = albedo * max(0, cosine)
				largest = max(largest, s.Data[i*s.Cols+j])
			}
		}
	}
	for i, brightness := range s.Data {
		s.Data[i] = 1 - brightness/largest
	}
	return s
}

// surfaceCoordinate maps pixel 0 to 63 to (-1, 1), symmetric about 0.
func surfaceCoordinate(pixel int) float64 {
	return float64(2*pixel-(surfaceSize-1)) / surfaceSize
}

// surfaceHeight returns the height of the surface at u (to the right), v (down): a dome with
// brow, nose, lips and chin, and hollows for the eyes.
func surfaceHeight(u, v float64) float64 {
	dome := 1 - float64(0.55*float64(u*u))
	dome = math.Sqrt(dome - float64(0.35*float64(v*v)))
	side := math.Abs(u)
	hills := [...]struct{ height, u, v, ru, rv float64 }{
		{-0.16, side - 0.38, v + 0.22, 0.30, 0.20}, // eye sockets
		{0.07, side - 0.38, v + 0.20, 0.16, 0.12},  // eyeballs
		{0.09, side - 0.34, v + 0.45, 0.42, 0.18},  // brows
		{0.22, u, v + 0.02, 0.20, 0.48},            // bridge of the nose
		{0.20, u, v - 0.20, 0.26, 0.18},            // tip of the nose
		{0.05, side - 0.14, v - 0.22, 0.12, 0.10},  // nostrils
		{0.10, u, v - 0.50, 0.36, 0.10},            // upper lip
		{0.10, u, v - 0.64, 0.32, 0.10},            // lower lip
		{0.15, u, v - 0.90, 0.36, 0.22},            // chin
		{0.09, side - 0.50, v - 0.15, 0.45, 0.60},  // cheeks
	}
	for _, h := range hills {
		dome += float64(h.height * bump(h.u, h.v, h.ru, h.rv))
	}
	return dome
}

// surfaceNormal returns the unit normal, from central differences over a pixel.
func surfaceNormal(u, v float64) [3]float64 {
	const half = 1.0 / surfaceSize
	return normalized([3]float64{
		(surfaceHeight(u-half, v) - surfaceHeight(u+half, v)) / (2 * half),
		(surfaceHeight(u, v-half) - surfaceHeight(u, v+half)) / (2 * half),
		1,
	})
}

// surfaceAlbedo returns the fraction of light that the point reflects. It is lower at brows,
// pupils and lips.
func surfaceAlbedo(u, v float64) float64 {
	side := math.Abs(u)
	dark := float64(0.45*bump(side-0.38, v+0.42, 0.26, 0.07)) +
		float64(0.60*bump(side-0.38, v+0.20, 0.08, 0.08))
	dark += float64(0.30 * bump(u, v-0.57, 0.34, 0.16))
	return 1 - dark
}

func normalized(a [3]float64) [3]float64 {
	sum := float64(a[0]*a[0]) + float64(a[1]*a[1])
	sum += float64(a[2] * a[2])
	length := math.Sqrt(sum)
	return [3]float64{a[0] / length, a[1] / length, a[2] / length}
}
