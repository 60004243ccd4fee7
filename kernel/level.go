package kernel

import "nmu/internal/isa"

// Level returns the name of the instruction level whose bodies run: "generic",
// "avx2", "avx512" or "neon". It is the best that this CPU has, unless the
// environment variable NMU_KERNEL chose another at start-up.
func Level() string { return isa.Active().String() }

// Levels returns the names of the levels that this CPU has, the best last.
func Levels() []string {
	var names []string
	for _, l := range isa.Available() {
		names = append(names, l.String())
	}
	return names
}

// LevelError reports a value of NMU_KERNEL that is unknown or not available on
// this CPU; it lists those that are. The generic level is active then.
func LevelError() error { return isa.Err() }
