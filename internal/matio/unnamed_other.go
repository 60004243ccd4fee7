//go:build !linux

package matio

import (
	"errors"
	"os"
)

// unnamed is for Linux.
func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }
