package peer

import "os"

// All returns the other implementations of this package: gonum, NumPy,
// scikit-learn and GNU Octave. Some may not be installed: see Peer.Available.
//
// A script runs in the first interpreter in PATH that has all its packages. The environment
// variables NMU_PYTHON and NMU_OCTAVE name other interpreters.
func All() []Peer {
	python := pythons()
	octave := []string{"octave-cli", "octave"}
	if p := os.Getenv("NMU_OCTAVE"); p != "" {
		octave = []string{p}
	}
	octaveFlags := []string{"--no-gui", "--quiet", "--no-init-file", "--no-site-file"}
	all := []string{NMF, GNMU, RNMU}
	return []Peer{
		Gonum{},
		&script{name: "numpy", file: "numpy_peer.py", interpreters: python, methods: all},
		&script{name: "scikit-learn", file: "sklearn_peer.py", interpreters: python, methods: all[:1]},
		&script{name: "octave", file: "octave_peer.m", interpreters: octave, flags: octaveFlags, methods: all},
	}
}
