package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"testing"
)

// sum is the SHA-256 of numbers.
func sum(x []float64) string {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, x)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// The generated sets are the same on all machines.
func TestExamplesAreTheSame(t *testing.T) {
	for _, c := range []struct {
		name string
		data []float64
		want string
	}{
		{"ground", Ground(0).Data, "7190f021352af24f"},
		{"strokes", Strokes(2, 0).Data, "bb94e133bb7ad5f9"},
		{"melody", Melody().Data, "cc30276e943d6a75"},
	} {
		if got := sum(c.data); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if sum(Ground(1).Data) == sum(Ground(0).Data) || sum(Strokes(2, 1).Data) == sum(Strokes(2, 0).Data) {
		t.Error("the seed does nothing")
	}
}

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

// The digits have ink along their strokes and no other.
func TestStrokes(t *testing.T) {
	s := Strokes(5, 1)
	if s.Cols != 50 || s.Rows != strokesHeight*strokesWidth || len(StrokeNames) != len(strokes) {
		t.Fatalf("%d x %d", s.Rows, s.Cols)
	}
	for j := range s.Cols {
		for k, line := range strokes {
			y := 2.5 + 7*(line[0][0]+line[1][0])/2
			x := 3 + 7*(line[0][1]+line[1][1])/2
			ink := s.Data[(int(y)+strokesHeight*int(x+0.5))*s.Cols+j]
			if drawn := slices.Contains(strokesOf[j%10], k); drawn != (ink > 0.4) {
				t.Errorf("digit %d, stroke %s: ink %v", j%10, StrokeNames[k], ink)
			}
		}
	}
	for i, x := range s.Data {
		if x < 0 || x > 1 {
			t.Fatalf("entry %d is %v", i, x)
		}
	}
}

func TestSines(t *testing.T) {
	for i, x := range sines() {
		if want := math.Sin(2 * math.Pi * float64(i) / waveLength); math.Abs(x-want) > 1e-13 {
			t.Fatalf("sine %d is %v, want %v", i, x, want)
		}
	}
}

// The loudest bin of each frame in which one note sounds is that of the note.
func TestMelody(t *testing.T) {
	s := Melody()
	frames, bins := len(s.Times), len(s.Frequencies)
	if len(s.Data) != frames*bins || len(s.Played) != frames {
		t.Fatalf("%d numbers for %d bins and %d frames", len(s.Data), bins, frames)
	}
	single := 0
	for f, note := range s.Played {
		if note < 0 {
			continue
		}
		single++
		loudest := 0
		for b := range bins {
			if s.Data[b*frames+f] > s.Data[loudest*frames+f] {
				loudest = b
			}
		}
		hertz, err := strconv.ParseFloat(s.Frequencies[loudest], 64)
		want := float64(melodyNotes[note].turn) * melodyRate / waveLength
		if err != nil || math.Abs(hertz-want) > melodyRate/frameSamples {
			t.Errorf("frame %d: %v Hz, %s has %v", f, hertz, s.Notes[note], want)
		}
	}
	if single < frames/2 {
		t.Errorf("one note sounds in %d of %d frames", single, frames)
	}
}

// A frame of Melody is the discrete Fourier transform of its definition.
func TestMelodyTransform(t *testing.T) {
	s := Melody()
	frames := len(s.Times)
	const f, b = 3, 40
	// All of the first note's samples: frame 3 ends before the second note does.
	var re, im float64
	loud := 1.0
	samples := make([]float64, f*hopSamples+frameSamples)
	for i := range samples {
		if i == beatSamples {
			loud = 1
		}
		turn := 2 * math.Pi * float64(melodyNotes[0].turn) / waveLength * float64(i%beatSamples)
		for k := 1.0; k <= overtones; k++ {
			samples[i] += loud * math.Sin(k*turn) / (k * k)
		}
		loud *= melodyDecay
	}
	for t := range frameSamples {
		x := samples[f*hopSamples+t] * (1 - math.Cos(2*math.Pi*float64(t)/frameSamples)) / 2
		re += x * math.Cos(2*math.Pi*b*float64(t)/frameSamples)
		im += x * math.Sin(2*math.Pi*b*float64(t)/frameSamples)
	}
	if got, want := s.Data[b*frames+f], math.Hypot(re, im); math.Abs(got-want) > 1e-9*(1+want) {
		t.Errorf("magnitude %v, want %v", got, want)
	}
}

func TestWords(t *testing.T) {
	words, data := Words([]string{"The cat, the CAT and a dog.", "cat dog dog mouse ox", "cats mouse", "the bird"}, 2)
	if want := []string{"cat", "dog", "mouse"}; !slices.Equal(words, want) {
		t.Fatalf("%q, want %q", words, want)
	}
	if want := []float64{math.Sqrt2, 1, 0, 0, 1, math.Sqrt2, 0, 0, 0, 1, 1, 0}; !slices.Equal(data, want) {
		t.Errorf("%v, want %v", data, want)
	}
	if words, data := Words([]string{"one word", "one word"}, 1); len(words) != 0 || data != nil {
		t.Errorf("words of all texts: %q, %v", words, data)
	}
}
