package align

import (
	"fmt"
	"slices"
	"strconv"
)

// Order returns the place of each name of want in have: have[order[i]] is want[i]. Names are
// compared byte by byte, so case and blanks count. The order is nil where nothing has to move:
// both lists are equal, or the sizes alone decide. They do if one list is nil, if the lengths
// differ, or if one list only counts from 0 or 1 and the names differ. The error is a
// *MismatchError if the names differ, or if they are in another order and one occurs twice.
func Order(want, have []string) ([]int, error) {
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
		return nil, &MismatchError{Want: want[lacking], Have: other}
	}
	if len(at) < len(have) {
		seen := make(map[string]bool, len(at))
		for _, name := range have {
			if seen[name] {
				return nil, &MismatchError{Want: name, Have: name}
			}
			seen[name] = true
		}
	}
	return order, nil
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
