package matio_test

import (
	"slices"
	"testing"

	"nmu/internal/matio/internal/input"
	"nmu/internal/must"
)

func TestNatural(t *testing.T) {
	want := []string{"", "1a", "2", "02", "10", "a", "a1", "a01", "a1b", "a2", "a10b2", "a10b10", "b", "b99999999999999999999", "b100000000000000000000"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, input.Natural)
	// Equal values are ordered byte by byte: "02" before "2".
	want[2], want[3] = want[3], want[2]
	want[6], want[7] = want[7], want[6]
	must.EqualSlices(t, got, want, "order")
}
