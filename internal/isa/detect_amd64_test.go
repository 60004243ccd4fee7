//go:build !purego

package isa

import (
	"slices"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"nmu/internal/must"
)

// TestDetectAsksForEachFeature takes one feature after the other from what is known of this processor, and
// switches it off in GODEBUG: the levels whose bodies have such instructions must go with it.
func TestDetectAsksForEachFeature(t *testing.T) {
	for _, c := range []struct {
		level    Level
		features map[cpuid.FeatureID]string // with their names in GODEBUG
	}{
		{AVX2, map[cpuid.FeatureID]string{cpuid.AVX2: "avx2", cpuid.FMA3: "fma", cpuid.POPCNT: "popcnt"}},
		{AVX512, map[cpuid.FeatureID]string{
			cpuid.AVX2: "avx2", cpuid.FMA3: "fma", cpuid.POPCNT: "popcnt",
			cpuid.AVX512F: "avx512f", cpuid.AVX512DQ: "avx512dq", cpuid.AVX512BW: "avx512bw", cpuid.AVX512VL: "avx512vl",
		}},
	} {
		if !slices.Contains(detect(), c.level) {
			t.Logf("NOT TESTED: this processor has no %v", c.level)
			continue
		}
		for f, name := range c.features {
			cpuid.CPU.Disable(f)
			without := detect()
			cpuid.CPU.Enable(f)
			if slices.Contains(without, c.level) {
				t.Errorf("a processor without %v has level %v", f, c.level)
			}
			for godebug, want := range map[string]bool{
				"cpu." + name + "=off": false, "cpu.all=off": false, "http2client=0,cpu." + name + "=off,gctrace=0": false,
				"cpu.all=off,cpu." + name + "=on": false, "cpu.all=off,cpu.all=on": true, "cpu." + name + "=off,cpu." + name + "=on": true,
				"cpu." + name + "=no": true, "cpu." + name + "x=off": true,
			} {
				t.Setenv("GODEBUG", godebug)
				must.Equal(t, slices.Contains(detect(), c.level), want, "GODEBUG", godebug, "level", c.level, "is there")
			}
			t.Setenv("GODEBUG", "")
		}
	}
}
