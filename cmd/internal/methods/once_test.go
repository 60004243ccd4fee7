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
	if got, most := testing.AllocsPerRun(10, func() { NewFlags() }), float64(len(first)+10); got > most {
		t.Errorf("the flags take %v allocations, want at most %v", got, most)
	}
	if got := testing.AllocsPerRun(10, func() { options.Methods() }); got > 1 {
		t.Errorf("the descriptions of the methods take %v allocations, want 1", got)
	}
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
