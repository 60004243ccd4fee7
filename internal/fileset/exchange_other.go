//go:build !linux && !darwin

package fileset

import "errors"

// exchangeFolders fails, because this system cannot exchange folders.
func exchangeFolders(a, b string) error { return errors.ErrUnsupported }

// alike returns false, because a folder cannot replace another one.
func alike(dir, fresh string) bool { return false }
