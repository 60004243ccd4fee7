package fuzz

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"nmu/kernel/kerneltest"
)

// seedEnv is the environment variable that sets the seed of TestRandom; 1 if it
// is not set.
const seedEnv = "FUZZ_SEED"

// randomized are the targets that TestRandom covers.
var randomized = append(randomKernels(), []randomTarget{
	{"FuzzFactor", checkFactor},
	{"FuzzFactorSparse", checkFactorSparse},
}...)

// randomTarget is a target, or a part of one.
type randomTarget struct {
	target string
	check  func(*testing.T, []byte)
}

// randomKernels are the kernels one by one, so that each gets its inputs.
func randomKernels() []randomTarget {
	var all []randomTarget
	single := kerneltest.All[float32]()
	for i, k := range kerneltest.All[float64]() {
		all = append(all, randomTarget{"FuzzKernels/" + k.Name, either(
			func(t *testing.T, s *source) { checkCall(t, s, k) },
			func(t *testing.T, s *source) { checkCall(t, s, single[i]) },
		)})
	}
	return all
}

// TestRandom covers the ground of the fuzz targets with random inputs, also
// where no fuzzing is possible. Input number i depends on the seed and i alone,
// so that a failure is repeated by the same seed. NMU_FULL asks for more inputs.
func TestRandom(t *testing.T) {
	seed := uint64(1)
	if s := os.Getenv(seedEnv); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 0, 64); err != nil {
			t.Fatalf("%s=%q is not a seed: %v", seedEnv, s, err)
		}
	}
	const least = 10 // inputs of each target, however long they take
	limit, most := 40*time.Millisecond, 400
	if os.Getenv("NMU_FULL") != "" {
		limit, most = time.Second/4, 2000
	}
	for _, r := range randomized {
		t.Run(r.target, func(t *testing.T) {
			begun := time.Now()
			i := 0
			for ; i < least || i < most && time.Since(begun) < limit; i++ {
				rnd := rand.New(rand.NewPCG(seed, uint64(i)))
				input := make([]byte, rnd.IntN(64))
				for k := range input {
					input[k] = byte(rnd.Uint64())
				}
				r.check(t, input)
				if t.Failed() {
					break
				}
			}
			t.Logf("%s=%d, %d inputs", seedEnv, seed, i)
		})
	}
}
