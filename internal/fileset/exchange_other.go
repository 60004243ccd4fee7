//go:build !linux && !darwin

package fileset

import "errors"

// exchangeFolders fails: this system cannot do it.
func exchangeFolders(a, b string) error { return errors.ErrUnsupported }

// alike reports that a folder cannot stand for another one.
func alike(dir, fresh string) bool { return false }
