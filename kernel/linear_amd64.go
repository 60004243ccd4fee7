//go:build !purego

package kernel

import "nmu/internal/isa"

// panelTile returns the rows of a tile of the level's bodies, which divide PanelRows,
// and the bytes of its columns, which divide PanelBytes; zeros if it has none.
func panelTile(level isa.Level) (height, width int) {
	switch level {
	case isa.AVX512:
		return 8, 192
	case isa.AVX2:
		return 4, 96
	}
	return 0, 0
}

// As in kernel_amd64.go, these are where a goroutine can be stopped.

//go:noinline
func panelBody[T Float](level isa.Level, p *panel) {
	switch double := sizeOf[T]() == 8; {
	case double && level == isa.AVX512:
		panelAVX512F64(p)
	case double:
		panelAVX2F64(p)
	case level == isa.AVX512:
		panelAVX512F32(p)
	default:
		panelAVX2F32(p)
	}
}

//go:noinline
func addScaledBody[T Float](level isa.Level, s *scaled) {
	switch double := sizeOf[T]() == 8; {
	case double && level == isa.AVX512:
		addScaledAVX512F64(s)
	case double:
		addScaledAVX2F64(s)
	case level == isa.AVX512:
		addScaledAVX512F32(s)
	default:
		addScaledAVX2F32(s)
	}
}

//go:noinline
func scaleBody[T Float](level isa.Level, s *scaled) {
	switch double := sizeOf[T]() == 8; {
	case double && level == isa.AVX512:
		scaleAVX512F64(s)
	case double:
		scaleAVX2F64(s)
	case level == isa.AVX512:
		scaleAVX512F32(s)
	default:
		scaleAVX2F32(s)
	}
}

//go:noescape
func panelAVX512F64(p *panel)

//go:noescape
func panelAVX512F32(p *panel)

//go:noescape
func panelAVX2F64(p *panel)

//go:noescape
func panelAVX2F32(p *panel)

//go:noescape
func addScaledAVX512F64(s *scaled)

//go:noescape
func addScaledAVX512F32(s *scaled)

//go:noescape
func addScaledAVX2F64(s *scaled)

//go:noescape
func addScaledAVX2F32(s *scaled)

//go:noescape
func scaleAVX512F64(s *scaled)

//go:noescape
func scaleAVX512F32(s *scaled)

//go:noescape
func scaleAVX2F64(s *scaled)

//go:noescape
func scaleAVX2F32(s *scaled)
