package peer

import (
	"slices"

	"nmu/internal/isa"
)

// coreTypes lists the values of OPENBLAS_CORETYPE to try on this CPU. The first is "", the
// library's own choice.
func coreTypes() []string {
	types := []string{""}
	avail := isa.Available()
	if slices.Contains(avail, isa.AVX512) {
		types = append(types, "SkylakeX", "Cooperlake", "Sapphirerapids")
	}
	if slices.Contains(avail, isa.AVX2) {
		types = append(types, "Haswell", "Zen")
	}
	if slices.Contains(avail, isa.NEON) {
		types = append(types, "ARMV8", "NEOVERSEN1", "NEOVERSEV1")
	}
	return types
}
