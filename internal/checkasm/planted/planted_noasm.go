//go:build purego || (!amd64 && !arm64)

package planted

import "nmu/internal/isa"

func axpyArch(a float64, x, y *float64, n int) bool { return false }

func leaveDirty(isa.Level) {}

var settings []uint64

func control() uint64 { return 0 }

func setControl(uint64) {}
