package machine

import (
	"slices"

	"nmu/internal/isa"
)

// availableLoops lists the measuring loops that can run here, the least
// preferred first.
func availableLoops() []loops {
	avail := isa.Available()
	all := []loops{genericLoops}
	for _, l := range assemblyLoops {
		if slices.Contains(avail, l.level) {
			all = append(all, l)
		}
	}
	return all
}

// VectorLevels returns the levels whose loops can reach the limits of the machine: all
// but the generic one, if there are others.
func VectorLevels() []isa.Level {
	levels := isa.Available()
	if len(levels) > 1 {
		levels = levels[1:]
	}
	return levels
}
