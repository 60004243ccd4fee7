package main

import (
	"fmt"
	"slices"
	"strings"
)

// with looks for a Python that has these modules.
func with(modules string) string {
	return `for p in ${NMU_PYTHON:-$(type -aP python3)}; do "$p" -I -c "import ` + modules + `" && exit; done; false`
}

// tools are the programs that checks need beside Go, git and bash, with a command that finds
// each and its Debian packages.
var tools = []struct{ name, probe, debian string }{
	{"C compiler", `command -v "$(go env CC)"`, "gcc libc6-dev"},
	{"numpy", with("numpy"), "python3-numpy"},
	{"scikit-learn", with("sklearn"), "python3-sklearn"},
	{"octave", "command -v octave-cli", "octave"},
	{"chromium", "command -v chromium || command -v chromium-browser || command -v google-chrome", "chromium"},
	{"mpirun", "command -v mpirun && pkg-config --exists ompi-c", "pkg-config libopenmpi-dev openmpi-bin"},
	{"hdf5", "pkg-config --exists hdf5 && (" + with("h5py") + ")", "pkg-config libhdf5-dev python3-h5py"},
	{"Python", with("build, ensurepip, joblib, matplotlib, mypy, numpy, pandas, pytest, scipy, setuptools, sklearn, wheel"), "python3-" + strings.Join(strings.Fields("build joblib matplotlib mypy numpy pandas pytest scipy setuptools sklearn venv wheel"), " python3-")},
	{"R", `Rscript -e "library(Matrix); library(knitr)"`, "r-base-core r-cran-knitr r-cran-matrix"},
	{"qemu", "command -v qemu-aarch64-static && command -v qemu-s390x-static", "qemu-user-static"},
	{"pip", `"${NMU_PYTHON:-python3}" -c "import build, numpy, setuptools, wheel" && command -v pip`, ""}, // for the README
	{"julia", "command -v julia", ""},
	{"AVX2", "go run ./cmd/nmu info | grep avx2", ""},
	{"386 programs", `printf 'package main\nfunc main() {}' >$WORK/main.go && GOARCH=386 go build -o $WORK/main $WORK/main.go && $WORK/main`, ""},
}

// install installs with apt what the checks need and this machine lacks. It returns the tools
// that stay missing.
func install(chosen []check) (missing []string) {
	apt := `[ -n "$DEBIAN" ]; apt() { $([ $(id -u) = 0 ] || echo sudo -n) env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }; [ -e $WORK/updated ] || apt update >$WORK/updated; apt install -y --no-install-recommends $DEBIAN; `
	for _, t := range tools {
		needed := func(c check) bool { return strings.Contains(c.needs, t.name) }
		if !slices.ContainsFunc(chosen, needed) || shell(t.probe) == nil {
			continue
		}
		if err := shell("DEBIAN='" + t.debian + "'; " + apt + t.probe); err != nil {
			fmt.Printf("== %s is missing\n", t.name)
			missing = append(missing, t.name)
		}
	}
	return missing
}
