package methods

import (
	"testing"

	"nmu/internal/must"
	"nmu/internal/options"
)

// TestFlagsAreDescribedOnce: flags for another command cost one allocation each, so that methods are not
// described and completed again for each command, and hold texts of their own.
func TestFlagsAreDescribedOnce(t *testing.T) {
	first, second := NewFlags(), NewFlags()
	must.AtMost(t, testing.AllocsPerRun(10, func() { NewFlags() }), float64(len(first)+10), "the flags take")
	must.AtMost(t, testing.AllocsPerRun(10, func() { options.Methods() }), 1, "the descriptions of the methods take")
	must.Do(t, first.of("solver").Set("admm"))
	if given, other := first.Given(), second.Given(); len(given) != 1 || other != nil {
		t.Errorf("one command was given %q, another %q", given, other)
	}
}

// TestDefaultOfAnotherMethod: the value that an option has without being given is no error for a method
// that does not have the option.
func TestDefaultOfAnotherMethod(t *testing.T) {
	for value, ok := range map[string]bool{"2": true, "3": false} {
		list := NewFlags()
		must.Do(t, list.of("inner").Set(value))
		if _, err := list.Method("nmf"); (err == nil) != ok {
			t.Errorf("--inner %s with nmf: %v", value, err)
		}
	}
}
