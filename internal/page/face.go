package page

import (
	"cmp"
	"html/template"
	"math"
	"slices"

	"nmu/internal/render"
)

// face is the drawing of a vector over the rows or the columns: a picture, a curve or bars.
type face struct {
	Alt           string
	Picture       template.URL
	Height, Width int
	Path          string // of a curve,
	Behind        string // and of one behind it,
	Known         string // which is the spectrum of this name
	Bars          []bar
}

// bar is a name with a number.
type bar struct {
	Name  string
	Value float64
	Part  float64 // of the largest, in percent
}

// face draws the vector x. most is the value that counts as the largest, and pixels bounds the
// size of a picture.
func (s side) face(alt string, x func(i int) float64, most float64, pixels int) face {
	f := face{Alt: alt}
	switch {
	case s.pixels.Known():
		data, height, width := s.pixels.reduce(s.blank(x), pixels)
		return ink(alt, data, height, width, most)
	case s.curves():
		f.Path = s.spark(render.Thin(s.n, mostPoints, x), x, most)
	default:
		f.Bars = barsOf(s.n, x, mostNames, most, s.name)
	}
	return f
}

// barsOf returns bars of the k largest of n numbers, as parts of most, or of the largest if most is 0.
func barsOf(n int, x func(i int) float64, k int, most float64, name func(i int) string) (bars []bar) {
	list := Top(n, x, k)
	for _, i := range list {
		bars = append(bars, bar{name(i), x(i), 100 * part(x(i), cmp.Or(most, x(list[0])))})
	}
	return bars
}

// blank returns the vector x with NaN for what is left out.
func (s side) blank(x func(i int) float64) func(i int) float64 {
	if s.left == nil {
		return x
	}
	return func(i int) float64 {
		if s.left[i] {
			return math.NaN()
		}
		return x(i)
	}
}

// Top returns the indices of the k largest of n numbers, or fewer, because only positive
// numbers count. Of equal numbers the first comes first.
func Top(n int, x func(i int) float64, k int) []int {
	var list []int
	for i := range n {
		v := x(i)
		if !(v > 0) || len(list) == k && v <= x(list[k-1]) {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, v, func(j int, v float64) int {
			return cmp.Or(cmp.Compare(v, x(j)), -1)
		})
		list = slices.Insert(list, at, i)
		list = list[:min(len(list), k)]
	}
	return list
}

// most returns the largest of n numbers, at least 0. NaN does not count.
func most(n int, x func(i int) float64) (m float64) {
	for i := range n {
		if e := x(i); e > m {
			m = e
		}
	}
	return m
}
