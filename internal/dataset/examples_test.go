package dataset

import "testing"

// Ground is what it says: the parts of a pixel are its light, every material is alone
// somewhere, and the data are the product with at most the noise added.
func TestGround(t *testing.T) {
	s := Ground(3)
	pixels, count := s.Height*s.Width, len(s.Materials)
	if len(s.Wavelengths) != sceneBands || s.Wavelengths[0] != "405" || s.Wavelengths[sceneBands-1] != "995" || len(s.Data) != sceneBands*pixels {
		t.Fatalf("wavelengths %v, %d numbers", s.Wavelengths, len(s.Data))
	}
	alone := make([]int, count)
	for p := range pixels {
		light := 0.0
		for k := range count {
			x := s.Abundances[k*pixels+p]
			if x < 0 {
				t.Fatalf("pixel %d has %v of %s", p, x, s.Materials[k])
			}
			light += x
		}
		for k := range count {
			if s.Abundances[k*pixels+p] == light {
				alone[k]++
			}
		}
		if light < 0.9-1e-12 || light > 1+1e-12 {
			t.Errorf("pixel %d has the light %v", p, light)
		}
		for b := range sceneBands {
			x := s.Data[b*pixels+p]
			for k := range count {
				x -= s.Spectra[b*count+k] * s.Abundances[k*pixels+p]
			}
			if x < -1e-12 || x > sceneNoise+1e-12 {
				t.Fatalf("band %d, pixel %d: noise %v", b, p, x)
			}
		}
	}
	for k, n := range alone {
		if n < 20 {
			t.Errorf("%s is alone in %d pixels", s.Materials[k], n)
		}
	}
}
