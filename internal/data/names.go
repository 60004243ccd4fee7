package data

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// match returns the index of each name of want in have: have[order[i]] is want[i]. Names are
// compared byte by byte, so case and blanks count; if they differ, numbers are compared without
// zeros at the end of their decimals. The order is nil where nothing has to move: both lists are
// equal, or the sizes alone decide. They do if one list is nil, if the lengths differ, or if one
// list only counts from 0 or 1 and the names differ. The error is a *MismatchError if the names
// differ, or if they are in another order and one occurs twice.
func match(want, have []string) ([]int, error) {
	order, err := exact(want, have)
	if err == nil {
		return order, nil
	}
	short := [2][]string{shortened(want), shortened(have)}
	again, shorter := exact(short[0], short[1])
	switch {
	case shorter == nil:
		return again, nil
	case shorter.Want != shorter.Have: // as the lists spell them
		err = &MismatchError{want[slices.Index(short[0], shorter.Want)], have[slices.Index(short[1], shorter.Have)]}
	}
	return nil, err
}

// decimals matches a number whose decimals end with zeros, or are none. The submatches are the
// number without them.
var decimals = regexp.MustCompile(`^([+-]?[0-9]+)\.0*$|^([+-]?[0-9]*\.[0-9]*[1-9])0+$`)

// shortened returns names where numbers have no zeros at the end of their decimals, as
// wavelengths have in some files only.
func shortened(names []string) []string {
	short := slices.Clone(names)
	for i, name := range names {
		short[i] = decimals.ReplaceAllString(name, "$1$2")
	}
	return short
}

// exact is match for names that are compared byte by byte.
func exact(want, have []string) ([]int, *MismatchError) {
	if want == nil || have == nil || len(want) != len(have) || slices.Equal(want, have) {
		return nil, nil
	}
	at, left := make(map[string]int, len(have)), make(map[string]int, len(have))
	for i, name := range have {
		at[name] = i
		left[name]++
	}
	order, lacking := make([]int, len(want)), -1
	for i, name := range want {
		if left[name]--; left[name] < 0 && lacking < 0 {
			lacking = i
		}
		order[i] = at[name]
	}
	if lacking >= 0 {
		if counts(want) || counts(have) {
			return nil, nil
		}
		other := have[slices.IndexFunc(have, func(name string) bool { return left[name] > 0 })]
		return nil, &MismatchError{want[lacking], other}
	}
	if len(at) < len(have) {
		seen := make(map[string]bool, len(at))
		for _, name := range have {
			if seen[name] {
				return nil, &MismatchError{name, name}
			}
			seen[name] = true
		}
	}
	return order, nil
}

// same reports whether both lists have the same names, each of them once, in any order. Lists that
// only count from 0 or 1 have no names.
func same(want, have []string) bool {
	if len(want) != len(have) || counts(want) || counts(have) {
		return false
	}
	a, b := slices.Sorted(slices.Values(shortened(want))), slices.Sorted(slices.Values(shortened(have)))
	return slices.Equal(a, b) && len(slices.Compact(a)) == len(b)
}

// counts reports whether the names are the numbers from 0 or 1, as programs write them for rows
// and columns without names.
func counts(names []string) bool {
	for from := range 2 {
		if !slices.ContainsFunc(names, func(name string) bool {
			from++
			return name != strconv.Itoa(from-1)
		}) {
			return true
		}
	}
	return false
}

// MismatchError reports two lists of names that cannot be matched. Want is the first name that
// the second list lacks, and Have the first one that the first list lacks. They are equal if the
// lists have the same names in another order, and this one more than once.
type MismatchError struct{ Want, Have string }

// Error describes the mismatch.
func (e *MismatchError) Error() string { return e.Between("the first list", "the second list") }

// Between describes the mismatch, where first and second say whose names were compared.
func (e *MismatchError) Between(first, second string) string {
	if e.Want == e.Have {
		return fmt.Sprintf("they are in another order, and the name %q occurs more than once, so they cannot be matched by name", e.Want)
	}
	return fmt.Sprintf("%q is only in %s, and %q only in %s", e.Want, first, e.Have, second)
}
