package render

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scale is what rows or columns stand for, if their names are numbers or times. The zero value is neither.
type Scale struct {
	Name  string    // of the axis
	At    []float64 // numbers, or seconds since 1970
	Times bool
}

// layouts are forms of days and times. Of 01/02 the first form that fits all names counts.
var layouts = []string{
	time.DateOnly, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339, "2006-01",
	"2006/01/02", "2006/01/02 15:04", "02.01.2006", "02.01.2006 15:04", "1/2/2006", "1/2/2006 15:04", "2/1/2006", "2/1/2006 15:04", "20060102",
}

// NewScale returns the scale of at least three names that are numbers or times, and increase or decrease strictly.
// Other names have the zero value.
func NewScale(names []string) Scale {
	if len(names) < 3 {
		return Scale{}
	}
	for _, layout := range layouts {
		at, ok := rising(names, func(name string) (float64, error) {
			t, err := time.Parse(layout, name)
			return float64(t.Unix()), err
		})
		if ok {
			return Scale{Name: "time", At: at, Times: true}
		}
	}
	at, _ := rising(names, func(name string) (float64, error) { return strconv.ParseFloat(name, 64) })
	return Scale{At: at}
}

// rising returns the numbers that names are, if they increase or decrease strictly.
func rising(names []string, number func(string) (float64, error)) ([]float64, bool) {
	x := make([]float64, len(names))
	for i, name := range names {
		v, err := number(strings.TrimSpace(name))
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1e100 {
			return nil, false
		}
		if x[i] = v; i > 1 && (x[i] > x[i-1]) != (x[1] > x[0]) || i > 0 && x[i] == x[i-1] {
			return nil, false
		}
	}
	return x, true
}

// Ends returns the least and the largest number.
func (s Scale) Ends() (lo, hi float64) {
	return min(s.At[0], s.At[len(s.At)-1]), max(s.At[0], s.At[len(s.At)-1])
}

// Text writes a number of the scale.
func (s Scale) Text(x float64) string {
	t := time.Unix(int64(x), 0).UTC()
	switch {
	case !s.Times:
		return Number(x)
	case t.Truncate(24*time.Hour) == t:
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// steps are the distances of ticks on an axis of times.
var steps = []struct {
	seconds, months int
	layout          string
}{
	{1, 0, "15:04:05"}, {10, 0, "15:04:05"}, {60, 0, "15:04"}, {600, 0, "15:04"}, {3600, 0, "15:04"}, {6 * 3600, 0, "01-02 15:04"},
	{86400, 0, time.DateOnly}, {7 * 86400, 0, time.DateOnly}, {0, 1, "2006-01"}, {0, 3, "2006-01"}, {0, 6, "2006-01"},
	{0, 12, "2006"}, {0, 24, "2006"}, {0, 60, "2006"}, {0, 120, "2006"}, {0, 600, "2006"}, {0, 12000, "2006"},
}

// axis returns an axis from the least to the largest number, with at most some n ticks.
func (s Scale) axis(n int) axis {
	lo, hi := s.Ends()
	a := axis{name: s.Name, min: lo, max: hi}
	add := func(at float64, label string) {
		if at >= lo && at <= hi {
			a.ticks = append(a.ticks, tick{at, label})
		}
	}
	if !s.Times {
		for _, at := range Ticks(lo, hi, n, 0) {
			add(at, Number(at))
		}
		return a
	}
	const day, month = 86400, 30.4 * 86400
	days := !slices.ContainsFunc(s.At, func(x float64) bool { return math.Mod(x, day) != 0 })
	step := steps[len(steps)-1]
	for _, x := range steps {
		if days && x.months == 0 && x.seconds < day {
			continue
		}
		if (float64(x.seconds)+month*float64(x.months))*float64(n) >= hi-lo {
			step = x
			break
		}
	}
	if step.months == 0 {
		every := float64(step.seconds)
		for at := math.Ceil(lo/every) * every; at <= hi; at += every {
			add(at, time.Unix(int64(at), 0).UTC().Format(step.layout))
		}
		return a
	}
	begin := time.Unix(int64(lo), 0).UTC()
	for m := (begin.Year()*12 + int(begin.Month()) - 1) / step.months * step.months; len(a.ticks) <= n+1; m += step.months {
		at := time.Date(m/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC)
		if float64(at.Unix()) > hi {
			break
		}
		add(float64(at.Unix()), at.Format(step.layout))
	}
	return a
}

// Thin returns the indices of at most most of n points of a curve. Each stretch keeps its least and its largest point,
// so that peaks stay.
func Thin(n, most int, y func(i int) float64) (list []int) {
	if n <= most {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	stretches := most / 2
	for s := range stretches {
		begin, end := s*n/stretches, (s+1)*n/stretches
		least, largest := begin, begin
		for i := begin; i < end; i++ {
			if y(i) < y(least) {
				least = i
			}
			if y(i) > y(largest) {
				largest = i
			}
		}
		list = append(list, min(least, largest))
		if least != largest {
			list = append(list, max(least, largest))
		}
	}
	return list
}
