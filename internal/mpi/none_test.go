//go:build !mpi

package mpi

import (
	"errors"
	"strings"
	"testing"
)

// A build without MPI says so, and how to make one that has it.
func TestNone(t *testing.T) {
	if w, err := Init(); w != nil || !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "go build -tags mpi") || Available {
		t.Errorf("%v, %v, available %v", w, err, Available)
	}
}
