package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// bands are the wavelengths of the rows of a matrix.
type bands struct {
	at    []float64
	units string // empty if they are not known
}

// bandsOf returns the wavelengths that the names of rows are, or nil if some name is no number. Axis is what is
// known of the names.
func bandsOf(names []string, axis string) *bands {
	b := &bands{units: strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(axis, "wavelength"), " ("), ")")}
	for _, name := range names {
		x, err := strconv.ParseFloat(strings.TrimSpace(name), 64)
		if err != nil || !(x > 0) || x-x != 0 {
			return nil
		}
		b.at = append(b.at, x)
	}
	return b
}

// nanometers has the units of length by their names, in nanometers.
var nanometers = map[string]float64{
	"nanometers": 1, "nanometer": 1, "nanometres": 1, "nanometre": 1, "nm": 1,
	"micrometers": 1e3, "micrometer": 1e3, "micrometres": 1e3, "micrometre": 1e3, "microns": 1e3, "micron": 1e3, "um": 1e3, "µm": 1e3, "μm": 1e3,
	"angstroms": 0.1, "angstrom": 0.1, "millimeters": 1e6, "mm": 1e6, "centimeters": 1e7, "cm": 1e7, "meters": 1e9, "m": 1e9,
}

// in returns the wavelengths in the units of others. Units that are not known are taken for the same.
func (b *bands) in(units string) ([]float64, error) {
	if b.units == "" || units == "" || strings.EqualFold(b.units, units) {
		return b.at, nil
	}
	from, to := nanometers[strings.ToLower(b.units)], nanometers[strings.ToLower(units)]
	if from == 0 || to == 0 {
		return nil, fmt.Errorf("its wavelengths are in %s and those of the run in %s, which nmu does not convert; give both nanometers or micrometers", b.units, units)
	}
	at := make([]float64, len(b.at))
	for i, x := range b.at {
		at[i] = x * from / to
	}
	return at, nil
}

// resampled brings the spectra of a library, whose rows are wavelengths, to those of the run by linear interpolation. It
// says so in a note, which is empty if there is nothing to do: the wavelengths are those of the run, or one of the two
// matrices has none. Rows that are left out need no wavelength of the library.
func resampled[T lnmu.Float](known *data.Further[T], first *matio.File, axis string, left *data.Lines) (note string, err error) {
	want, have := bandsOf(first.RowNames(), axis), bandsOf(known.RowNames, known.RowAxis)
	if axis == "" && known.RowAxis == "" || want == nil || have == nil || len(want.at) == 0 || len(have.at) == 0 {
		return "", nil
	}
	from, err := have.in(want.units)
	if err != nil {
		return "", err
	}
	const rounding = 1e-6 // of a wavelength that is written in other units
	near := func(x, y float64) bool { return x-y <= rounding*y && y-x <= rounding*y }
	order := make([]int, len(from))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(from[i], from[j]) })
	same := len(want.at) == len(from)
	if same {
		for i, x := range slices.Sorted(slices.Values(want.at)) {
			same = same && near(from[order[i]], x)
		}
	}
	if same && (have.units == "" || want.units == "" || strings.EqualFold(have.units, want.units)) {
		return "", nil // they are matched by name
	}
	least, most := from[order[0]], from[order[len(order)-1]]
	rows := make([]T, len(want.at)*known.Cols)
	out, _ := left.Left()
	if err := first.Reserve(int64(len(rows))*int64(unsafe.Sizeof(T(0))), "resampling the library"); err != nil {
		return "", err
	}
	d := lnmu.NewDense(len(want.at), known.Cols, rows)
	for i, x := range want.at {
		switch {
		case out != nil && out[i]:
			continue
		case !near(x, least) && x < least || !near(x, most) && x > most:
			return "", fmt.Errorf("its spectra reach from %v to %v%s, and row %d of the run is at %v: a spectrum is not extrapolated; leave such bands out of the run (--skip-rows), or choose another library", least, most, unit(want.units), i+1, x)
		}
		k, _ := slices.BinarySearchFunc(order, x, func(k int, x float64) int { return cmp.Compare(from[k], x) })
		above := order[min(k, len(order)-1)]
		below := order[max(k-1, 0)]
		share := 0.0 // of the one below
		if from[above] > x && from[below] < from[above] {
			share = (from[above] - x) / (from[above] - from[below])
		}
		for j := range known.Cols {
			lower, upper := float64(known.At(below, j)), float64(known.At(above, j))
			if share == 0 {
				lower = 0 // it may be no number
			}
			d.Row(i)[j] = T(float64(share*lower) + float64((1-share)*upper))
		}
	}
	known.Dense, known.RowNames = d, first.RowNames()
	if same {
		return "", nil // in other units
	}
	note = fmt.Sprintf("%s: its spectra have %d wavelengths from %v to %v%s; they are interpolated linearly at the %d of the run", known.Path, len(from), least, most, unit(want.units), len(want.at))
	if have.units != want.units && (have.units == "" || want.units == "") {
		note += ", as if in the same unit"
	}
	return note, nil
}

// unit returns units as they follow a number.
func unit(name string) string {
	if name == "" {
		return ""
	}
	return " " + name
}
