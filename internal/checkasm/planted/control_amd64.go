//go:build !purego

package planted

// settings are the bits of MXCSR: RC in bits 13 and 14, FTZ and DAZ.
var settings = []uint64{Up: 2 << 13, Down: 1 << 13, Truncate: 3 << 13, Flush: 1<<15 | 1<<6}

func control() uint64
func setControl(x uint64)
