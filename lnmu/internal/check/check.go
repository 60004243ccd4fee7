// Package check checks the values of options, and fills in defaults. Its errors wrap
// fault.ErrOption; they name the option and what to choose.
package check

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"

	"nmu/internal/combination"
	"nmu/lnmu/internal/fault"
)

// Either lists words in a message.
func Either(set []string) string { return strings.Join(set, " or ") }

// Word returns an error unless x is one of the words.
func Word[W ~string](what string, x W, set []string) error {
	if !slices.Contains(set, string(x)) {
		return fault.Bad("unknown %s %q; choose %s", what, x, Either(set))
	}
	return nil
}

// Count checks a whole number that may not be negative, and fills in the default for 0.
func Count(name string, x *int, byDefault int) error {
	if *x < 0 {
		return fault.Bad("%s %d is negative", name, *x)
	}
	if *x == 0 {
		*x = byDefault
	}
	return nil
}

// Context returns an error unless there is a context.
func Context(ctx context.Context) error {
	if ctx == nil {
		return fault.Bad("the context is nil; pass context.Background()")
	}
	return nil
}

// Given returns the settings that a caller gives, or the zero value for none.
func Given[S any](settings *S) (s S) {
	if settings != nil {
		s = *settings
	}
	return s
}

// Threads checks a number of threads, and fills in the default for 0.
func Threads(x *int) error {
	if *x > combination.MaxThreads {
		return fault.Bad("number of threads %d; choose 1 to %d, or 0 for all processors", *x, combination.MaxThreads)
	}
	return Count("number of threads", x, runtime.GOMAXPROCS(0))
}

// Number checks a finite number from 0, for none, to most, which may be infinite.
func Number(name string, x, most float64) error {
	switch {
	case x >= 0 && x <= most && !math.IsInf(x, 1):
		return nil
	case math.IsInf(most, 1):
		return fault.Bad("%s %v; choose a finite number >= 0", name, x)
	}
	return fault.Bad("%s %v; choose a number from 0 to %v", name, x, most)
}
