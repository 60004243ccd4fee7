//go:build !unix

package matio

import (
	"errors"
	"os"
)

// mapFile fails: on this system files are read.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }
