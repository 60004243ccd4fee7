package dataset

import (
	"math"
	"strconv"
)

// Constants of Melody. Frequencies are whole multiples of melodyRate / waveLength.
const (
	melodyRate   = 8000 // samples in a second
	waveLength   = 4096 // samples in a turn of the table of sines
	beatSamples  = 3072 // of a quarter
	frameSamples = 1024
	hopSamples   = 512
	melodyBins   = 128 // of the spectrum, from 0
	overtones    = 6
	melodyDecay  = 0.9996 // of a note, from sample to sample
)

// melodyNotes are the notes of the melody, from the lowest. Their frequencies differ from equal
// temperament by at most 1 Hz.
var melodyNotes = []struct {
	name string
	turn int // in units of melodyRate/waveLength
}{{"C4", 134}, {"D4", 150}, {"E4", 169}, {"F4", 179}, {"G4", 201}, {"A4", 225}}

// melodyScore is the first line of "Twinkle, twinkle, little star": indices of notes, and their
// lengths in quarters.
var melodyScore = [][2]int{
	{0, 1}, {0, 1}, {4, 1}, {4, 1}, {5, 1}, {5, 1}, {4, 2},
	{3, 1}, {3, 1}, {2, 1}, {2, 1}, {1, 1}, {1, 1}, {0, 2},
}

// Spectrogram holds the magnitudes of the sound of a melody by frequency and time.
type Spectrogram struct {
	// Data is bins x frames by rows: the magnitudes of the short-time Fourier transform
	// with a Hann window.
	Data []float64
	// Frequencies are those of the bins in hertz. Times are the middles of the frames in
	// seconds.
	Frequencies, Times []string
	// Notes are the names of the played notes, from the lowest. Played is the index of the note
	// of each frame, or -1 if the next note begins within the frame.
	Notes  []string
	Played []int
}

// Melody returns the spectrogram of 14 notes of six pitches with six overtones each, which
// decay like a piano's: 128 bins of 7.8 Hz, frames of 128 ms every 64 ms.
func Melody() Spectrogram {
	var s Spectrogram
	for _, n := range melodyNotes {
		s.Notes = append(s.Notes, n.name)
	}
	sine := sines()
	var sound []float64
	var place []int // of each sample in the score
	for i, n := range melodyScore {
		loud := 1.0
		for t := range n[1] * beatSamples {
			x := 0.0
			for k := 1; k <= overtones; k++ {
				x += sine[t*k*melodyNotes[n[0]].turn%waveLength] / float64(k*k)
			}
			sound, place = append(sound, float64(loud*x)), append(place, i)
			loud *= melodyDecay
		}
	}
	frames := (len(sound)-frameSamples)/hopSamples + 1
	s.Data = make([]float64, melodyBins*frames)
	const turn = waveLength / frameSamples
	window := make([]float64, frameSamples)
	for f := range frames {
		first := f * hopSamples
		for t := range window {
			cosine := sine[(t*turn+waveLength/4)%waveLength]
			window[t] = sound[first+t] * (1 - cosine) / 2
		}
		for b := range melodyBins {
			var re, im float64
			for t, x := range window {
				at := t * b * turn
				re += float64(x * sine[(at+waveLength/4)%waveLength])
				im += float64(x * sine[at%waveLength])
			}
			s.Data[b*frames+f] = norm2(re, im)
		}
		played := melodyScore[place[first]][0]
		if place[first+frameSamples-1] != place[first] {
			played = -1
		}
		s.Played = append(s.Played, played)
		s.Times = append(s.Times, strconv.FormatFloat(float64(first+frameSamples/2)/melodyRate, 'f', 3, 64))
	}
	for b := range melodyBins {
		s.Frequencies = append(s.Frequencies, strconv.FormatFloat(float64(b)*melodyRate/frameSamples, 'f', 1, 64))
	}
	return s
}

// sines returns one period of the sine in waveLength samples. It uses only square roots: the
// sine and cosine of half an angle follow from those of the angle.
func sines() []float64 {
	sine := make([]float64, waveLength)
	sine[waveLength/4] = 1
	// Between two samples at a distance of 2 d lies that of the mean angle:
	// sin(a) + sin(b) = 2 sin((a+b)/2) cos((a-b)/2).
	cosine := 0.0 // of d, a quarter of a turn at first
	for d := waveLength / 8; d > 0; d /= 2 {
		cosine = math.Sqrt((1 + cosine) / 2)
		for i := d; i < waveLength/4; i += 2 * d {
			sine[i] = (sine[i-d] + sine[i+d]) / (2 * cosine)
		}
	}
	for i := range waveLength / 4 {
		sine[waveLength/2-i] = sine[i]
	}
	for i := range waveLength / 2 {
		sine[waveLength/2+i] = -sine[i]
	}
	return sine
}

// norm2 returns the length of the vector (y, x).
func norm2(y, x float64) float64 { return math.Sqrt(float64(y*y) + float64(x*x)) }
