package render

import "math"

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
	ticks    []tick
	from, to float64 // the places of min and max on the drawing
}

// tick is a mark on an axis.
type tick struct {
	at    float64
	label string
}

// place returns the place of x on the drawing.
func (a *axis) place(x float64) float64 {
	return a.from + float64((x-a.min)/(a.max-a.min)*(a.to-a.from))
}

// upright returns an axis that covers lo to hi and ends at ticks, 6 or fewer. With a positive most it ends no later than
// the first tick at or after most.
func upright(name string, lo, hi, most float64) axis {
	if !(lo < hi) {
		lo, hi = lo-1, hi+1
	}
	a := axis{name: name}
	for _, x := range Ticks(lo, hi, 5, 0) {
		a.ticks = append(a.ticks, tick{x, Number(x)})
		if most > 0 && x >= most {
			break
		}
	}
	a.min, a.max = a.ticks[0].at, a.ticks[len(a.ticks)-1].at
	return a
}
