package render

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Ticks returns the multiples of a step from lo or less to hi or more. The step is 1, 2 or 5 times
// a power of ten, the least of these that covers lo to hi in at most n steps, and at least least.
// Where there is no such step, because hi - lo is not finite or next to nothing, it returns lo and
// hi. The numbers lo < hi must be finite.
func Ticks(lo, hi float64, n int, least float64) []float64 {
	step := max(roundUp((hi-lo)/float64(n)), least)
	if !(step > 0) || math.IsInf(hi-lo, 0) || math.IsInf(step*float64(n), 0) || lo+step == lo || hi-step == hi {
		return []float64{lo, hi}
	}
	first, last := math.Floor(lo/step), math.Ceil(hi/step-1e-9)
	ticks := make([]float64, min(int(last-first), 2*n)+1)
	for i := range ticks {
		ticks[i] = (first + float64(i)) * step
	}
	return ticks
}

// roundUp returns the least of 1, 2 and 5 times a power of ten that is at least x > 0.
func roundUp(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, s := range []float64{1, 2, 5} {
		if s*unit >= x {
			return s * unit
		}
	}
	return 10 * unit
}

// axis maps the numbers from min to max to a drawing.
type axis struct {
	name     string
	min, max float64
	log      bool
	ticks    []tick
	from, to float64 // the places of min and max on the drawing
}

// tick is a mark on an axis. A small one has no label.
type tick struct {
	at    float64
	label string
}

// place returns the place of x on the drawing.
func (a *axis) place(x float64) float64 {
	part := (x - a.min) / (a.max - a.min)
	if a.log {
		part = math.Log(x/a.min) / math.Log(a.max/a.min)
	}
	return a.from + float64(part*(a.to-a.from))
}

// linear returns an axis that covers lo to hi and ends at labelled ticks, n + 1 or fewer. With a
// positive most it ends no later than the first tick at or after most.
func linear(name string, lo, hi float64, n int, most float64) axis {
	if !(lo < hi) {
		lo, hi = lo-1, hi+1
	}
	a := axis{name: name}
	for _, x := range Ticks(lo, hi, n, 0) {
		a.ticks = append(a.ticks, tick{x, Number(x)})
		if most > 0 && x >= most {
			break
		}
	}
	a.min, a.max = a.ticks[0].at, a.ticks[len(a.ticks)-1].at
	return a
}

// mostDecades is the largest number of labelled powers of ten on an axis, without the first.
const mostDecades = 7

// logarithmic returns an axis that covers lo to hi, both positive, and ends at labelled ticks:
// powers of ten if it covers more than two of them, else 1, 2 or 5 times a power of ten. Among many
// powers of ten it labels every second, third or later one, both ends included.
func logarithmic(name string, lo, hi float64) axis {
	labelled, each := []float64{1, 2, 5}, 1.0
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	if math.Log10(hi/lo) > 2 {
		labelled = labelled[:1]
		each = math.Ceil((last - first) / mostDecades)
		last = first + each*math.Ceil((last-first)/each)
	}
	a := axis{name: name, min: math.Pow(10, first), max: math.Inf(1), log: true}
	for e := first; e <= last; e += each {
		for _, d := range labelled {
			if x := d * math.Pow(10, e); x <= lo {
				a.min = x
			} else if x >= hi {
				a.max = min(a.max, x)
			}
		}
	}
	if math.IsInf(a.max, 0) {
		a.max = math.Pow(10, last)
	}
	for e := first - 1; e <= last+1; e++ {
		for d := 1.0; d < 10; d++ {
			t := tick{at: d * math.Pow(10, e)}
			if slices.Contains(labelled, d) && math.Mod(e-first, each) == 0 {
				t.label = logNumber(t.at)
			}
			if a.min <= t.at && t.at <= a.max && (each == 1 || d == 1) {
				a.ticks = append(a.ticks, t)
			}
		}
	}
	return a
}

// logNumber writes 1, 2 or 5 times a power of ten.
func logNumber(x float64) string {
	if text := Number(x); !strings.Contains(text, "e") {
		return text
	}
	return fmt.Sprintf("%.0e", x)
}
