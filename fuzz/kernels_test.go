package fuzz

import (
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/kernel/kerneltest"
)

// work is the most work of a call, so that the generic bodies are done soon.
const work = 60_000

// checkKernel calls a kernel of either precision at every level.
func checkKernel(t *testing.T, input []byte) {
	s := newSource(input)
	which := s.n(2 * len(kerneltest.All[float64]()))
	if which%2 == 0 {
		checkCall(t, s, kerneltest.All[float64]()[which/2])
	} else {
		checkCall(t, s, kerneltest.All[float32]()[which/2])
	}
}

func checkCall[T kernel.Float](t *testing.T, s *source, k kerneltest.Kernel[T]) {
	shape := make([]int, len(k.Most), len(k.Most)+1)
	var extents []*int
	for i, most := range k.Most {
		shape[i] = s.size(most)
		extents = append(extents, &shape[i])
	}
	if k.Variants > 0 {
		shape = append(shape, 1+s.n(k.Variants))
	}
	for k.Work(shape) > work && halve(extents...) {
	}
	must.Equal(t, k.Fuzz(shape, s), nil)
}

// FuzzKernels is every kernel at every level, differentially.
func FuzzKernels(f *testing.F) {
	for i := range 2 * len(kerneltest.All[float64]()) { // the first byte is the kernel
		f.Add([]byte{byte(i)})
	}
	f.Fuzz(checkKernel)
}
