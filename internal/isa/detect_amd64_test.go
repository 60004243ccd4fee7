//go:build !purego

package isa

import (
	"slices"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// TestDetectAsksForEachFeature takes one feature after the other from what is known of this processor: the levels
// whose bodies have such instructions must go with it.
func TestDetectAsksForEachFeature(t *testing.T) {
	for _, c := range []struct {
		level    Level
		features []cpuid.FeatureID
	}{
		{AVX2, []cpuid.FeatureID{cpuid.AVX2, cpuid.FMA3, cpuid.POPCNT}},
		{AVX512, []cpuid.FeatureID{cpuid.AVX2, cpuid.FMA3, cpuid.POPCNT, cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL}},
	} {
		if !slices.Contains(detect(), c.level) {
			t.Logf("NOT TESTED: this processor has no %v", c.level)
			continue
		}
		for _, f := range c.features {
			cpuid.CPU.Disable(f)
			without := detect()
			cpuid.CPU.Enable(f)
			if slices.Contains(without, c.level) {
				t.Errorf("a processor without %v has level %v", f, c.level)
			}
		}
	}
}
