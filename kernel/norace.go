//go:build !race

package kernel

import "unsafe"

const racing = false

func raceRange(unsafe.Pointer, int, bool) {}
