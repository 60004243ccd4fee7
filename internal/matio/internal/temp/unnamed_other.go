//go:build !linux

package temp

import (
	"errors"
	"os"
)

// unnamed fails, because only Linux supports it.
func unnamed(*os.Root) (*os.File, error) { return nil, errors.ErrUnsupported }
