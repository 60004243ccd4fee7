//go:build !linux

package temp

import (
	"errors"
	"os"
)

// unnamed is for Linux.
func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }
