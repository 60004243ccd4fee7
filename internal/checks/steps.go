package main

import (
	"fmt"
	"os/exec"
	"strings"

	"nmu/internal/isa"
)

// Command lines, or their beginnings.
const (
	short    = "go test -short -vet=off -count=1 -timeout 30m "
	golden   = short + "-run Golden ./lnmu; "
	bits     = short + "-run 'Golden|Literal|Zeros|BadInput|Team' ./lnmu/...; " // what compares the bits of algorithms
	kernels  = short + "./kernel/... ./blas ./internal/checkasm; "
	oneLevel = short + "-skip '^Test(Kernels|NoAllocations|WorkOfACall|MissingHasNoInfluence|RandomCalls|ReservedRegisters|NoEVEX|FMA32)$' ./kernel/... ./blas ./internal/checkasm; "
	foreign  = " -skip 'Selftest|Kill|Interrupt|Terminate|MemoryNeeded|HugePages'; " // what depends on no order of bytes, or is the emulator's
	files    = short + "./internal/... ./cmd/internal/... ./fuzz" + foreign
	command  = short + "./cmd/nmu -run 'Golden|Recorded|Formats|Convert|FactorFiles|FactorInputs|Stored|Sparse|Mapped|Resume|Continue|Transform|Processes|Sizes|MaxMemory|Image|Plot|Report$|Main'" + foreign
	build    = "CGO_ENABLED=0 go build -gcflags='all=-N -l' ./..." // two thirds of the time of a build with optimization
	// Tests that repeat long computations for a page, gonum's own, one that depends on what the system
	// has of a program in its cache, and one of which the check "test" runs a choice.
	recomputing = "^Test(Gonum|IntervalsPage|WeightsSpanPage|SolversPage|RealData|Program|EstimateOfEveryCommand)$"
	reports     = "/bench"                // packages that repeat whole runs for tables
	levelless   = "|^TestEstimateIsTrue$" // what takes as much memory at every level
	elsewhere   = "^TestDrawnByR$"        // which the check "r" runs, with the package it has built
	// The packages with goroutines of their own, or with guards against those of others, but for
	// whole commands and what runs them, and for dense, whose goroutines the tests of storages start.
	racing = "git grep -lE '^[[:space:]]*go [a-z(]|\\.Go\\(|sync\\.[A-NP-Z]|\"sync/|/internal/team\"' -- '*.go' | xargs -n 1 dirname | sort -u | grep -vE '^(lnmu|bench.*|cmd/(nmu|internal/commandtest)|capi|internal/(selftest|checks)|lnmu/internal/dense)$' | sed 's|^|./|'"
	whole  = "./lnmu ./lnmu/internal/dense ./cmd/nmu ./capi ./bench/..."
	// Tests of values, memory, traffic and kills. Their goroutines are those of other tests.
	raceless = "^Test(Kernels|Empty.*|WorkOfACall|NoAllocations|MissingHasNoInfluence|RandomCalls|ReservedRegisters|NoEVEX|Definitions|PlantedFaults|Logarithm|FullMask|FMA32|FaultAtEveryStep|ForeignFiles|WriteMatElsewhere|Linear)$|Extreme|Expanding|Kill|Sizes|Within|Golden|Literal|NeverRises|Selftest|Gallery|BicliqueSmall|BicliqueRandom|Damaged|MemoryNeeded|MissingContents|AlphaZero|BetaZero|Smooth|Estimate|Layouts|Recovery|Robust|RulesOf|LargeStarts"
)

// others sets $others to the packages with other files in another environment, tests included.
// In the rest a check would see the same again.
func others(env string) string {
	list := "go list -f '{{.ImportPath}} {{.GoFiles}} {{.SFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}' ./..."
	return fmt.Sprintf(`others=$({ diff <(%s) <(%s %s) || true; } | sed -n 's/^> \([^ ]*\).*/\1/p'); `, list, env, list)
}

// checks returns the checks in their order: those of .ci/run, then those of .ci/full alone.
func checks(full bool) []check {
	var all []check
	add := func(name, needs, shell string) { all = append(all, check{name: name, needs: needs, shell: shell}) }
	lower := isa.Available()[:len(isa.Available())-1] // "test" runs at the last level

	add("test", "numpy, scikit-learn, octave, chromium, C compiler, Python, R, pip, julia", "")
	add("format", "", `test -z "$(git ls-files '*.go' | xargs gofmt -l | tee /dev/stderr)"`)
	add("tidy", "", "go mod tidy -diff")
	add("vet", "", "go vet -tags browser ./...")
	add("staticcheck", "", "go tool staticcheck -tags browser ./...")
	add("arm64 vet", "", others("GOARCH=arm64")+"go build -o $WORK honnef.co/go/tools/cmd/staticcheck; export GOARCH=arm64; go vet $others; $WORK/staticcheck $others")
	add("purego vet", "", others("GOFLAGS=-tags=purego")+"go vet -tags purego $(grep -v /bench$ <<<\"$others\")") // 386 builds that of bench
	add("selftest", "", "go run ./cmd/nmu selftest")
	for _, level := range lower {
		add("level "+level.String(), "", "export NMU_KERNEL="+level.String()+"; "+golden+oneLevel)
	}
	add("race", "C compiler", "export CGO_ENABLED=1; "+short+"-race -skip '"+raceless+"' ${PACKAGES:-$("+racing+")}")
	add("mpi", "C compiler, mpirun", "export CGO_ENABLED=1; go vet -tags mpi ./internal/mpi ./cmd/...; go test -vet=off -tags mpi -count=1 -run ^TestMPI ./internal/mpi ./cmd/nmu")
	add("hdf5", "C compiler, hdf5", "export CGO_ENABLED=1; go vet -tags hdf5 ./internal/matio/...; go test -vet=off -tags hdf5 -count=1 ./internal/matio ./internal/matio/internal/hdf5")
	add("python", "C compiler, Python", "bash .ci/python")
	add("r", "C compiler, R", "bash .ci/r")
	// Tests of the harness are the same on every processor.
	add("arm64", "qemu", "export GOARCH=arm64 GOFLAGS=-exec=qemu-aarch64-static; "+golden+short+"-skip '^Test(PlantedFaults|Reports|NEONHeader|NEONHeaderMutations)$' ./kernel/... ./internal/checkasm")
	add("build linux/386", "", "GOARCH=386 "+build) // int has 32 bits
	if !full {
		return all
	}

	for _, level := range lower {
		add("full "+level.String(), "", "NMU_FULL=1 NMU_KERNEL="+level.String()+" go test -vet=off -count=1 -timeout 120m -skip '"+recomputing+levelless+"' $(go list ./... | grep -vE '"+reports+"')")
	}
	add("full pages", "", "NMU_FULL=1 go test -vet=off -count=1 -timeout 60m -run '"+recomputing+"' ./...")
	add("full selftest", "", "go run ./cmd/nmu selftest --full")
	add("full race", "C compiler", "CGO_ENABLED=1 "+short+"-race "+whole)
	add("full purego", "", "export GOFLAGS=-tags=purego; "+bits+kernels)
	add("full v3", "AVX2", "export GOAMD64=v3; "+bits+kernels) // the compiler fuses what it can
	add("full 386", "386 programs", "export GOARCH=386; "+bits+kernels+files+command)
	add("full arm64", "qemu", "export GOARCH=arm64 GOFLAGS=-exec=qemu-aarch64-static; "+bits+kernels+"NMU_KERNEL=generic "+golden)
	add("full s390x", "qemu", "export GOARCH=s390x GOFLAGS=-exec=qemu-s390x-static; "+bits+kernels+files+command)
	add("full julia", "C compiler, julia", "bash capi/build $WORK/lib; sed -n '/^```julia$/,/^```$/p' docs/julia.md | grep -v '^```' >$WORK/nmu.jl; NMU_LIB=$WORK/lib julia $WORK/nmu.jl")
	add("full release", "C compiler, Python", `export NMU_PYTHON=$(for p in ${NMU_PYTHON:-$(type -aP python3)}; do "$p" -I -c "import build, numpy, setuptools, wheel" && echo "$p" && break; done); `+
		`number=$(sed -n 's/^const number = "\(.*\)"$/\1/p' internal/release/release.go); `+
		"for n in 1 2; do bash release/build $number $WORK/release$n $(go env GOHOSTOS)/$(go env GOHOSTARCH); done; diff $WORK/release{1,2}/SHA256SUMS; bash release/test $WORK/release1")
	for target := range strings.FieldsSeq("linux/s390x linux/arm64 linux/riscv64 linux/ppc64le linux/loong64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 windows/386 js/wasm wasip1/wasm") {
		system, arch, _ := strings.Cut(target, "/")
		add("build "+target, "", "GOOS="+system+" GOARCH="+arch+" "+build)
	}
	found, _ := exec.Command("git", "grep", "^func Fuzz", "--", "*_test.go").Output()
	for line := range strings.Lines(string(found)) {
		file, rest, _ := strings.Cut(line, ":func ")
		folder, target := file[:strings.LastIndex(file, "/")], rest[:strings.Index(rest, "(")]
		// Inputs are counted, since one that is at work when a time is up counts as a failure.
		add("fuzz "+folder+" "+target, "", "timeout -s INT -k 10 300 go test ./"+folder+" -run '^$' -fuzz '^"+target+"$' -fuzztime 5000x -fuzzminimizetime 1x || { git ls-files -o "+folder+"/testdata | xargs -r tail -n +1; false; }")
	}
	return all
}
