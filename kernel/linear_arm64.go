//go:build !purego

package kernel

import "nmu/internal/isa"

// panelTile returns the rows of a tile of the level's bodies, which divide PanelRows,
// and the bytes of its columns, which divide PanelBytes; zeros if it has none.
func panelTile(level isa.Level) (height, width int) {
	if level == isa.NEON {
		return 8, 48
	}
	return 0, 0
}

// As in kernel_arm64.go, these are where a goroutine can be stopped.

//go:noinline
func panelBody[T Float](_ isa.Level, p *panel) {
	if sizeOf[T]() == 8 {
		panelNEONF64(p)
	} else {
		panelNEONF32(p)
	}
}

//go:noinline
func addScaledBody[T Float](_ isa.Level, s *scaled) {
	if sizeOf[T]() == 8 {
		addScaledNEONF64(s)
	} else {
		addScaledNEONF32(s)
	}
}

//go:noinline
func scaleBody[T Float](_ isa.Level, s *scaled) {
	if sizeOf[T]() == 8 {
		scaleNEONF64(s)
	} else {
		scaleNEONF32(s)
	}
}

//go:noescape
func panelNEONF64(p *panel)

//go:noescape
func panelNEONF32(p *panel)

//go:noescape
func addScaledNEONF64(s *scaled)

//go:noescape
func addScaledNEONF32(s *scaled)

//go:noescape
func scaleNEONF64(s *scaled)

//go:noescape
func scaleNEONF32(s *scaled)
