package lnmu_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"nmu/internal/golden"
	"nmu/internal/must"
	"nmu/lnmu"
)

var update = flag.Bool("update", false, "write the golden hashes instead of comparing with them")

func TestGolden(t *testing.T) {
	got := map[string]golden.Hashes{}
	goldenHashes[float64](t, got)
	goldenHashes[float32](t, got)
	if *update {
		text := must.Get(json.MarshalIndent(got, "", "  "))(t)
		must.Do(t, os.WriteFile("testdata/golden.json", append(text, '\n'), 0o666))
		return
	}
	want := must.Get(golden.Recorded())(t)
	must.Equal(t, len(want), len(got), "hashes are recorded")
	for name, h := range got {
		must.Equal(t, h, want[name], name)
	}
}

func goldenHashes[T lnmu.Float](t *testing.T, hashes map[string]golden.Hashes) {
	for _, c := range golden.Cases() {
		h := must.Get(golden.Factor[T](t.Context(), c))(t)
		hashes[golden.Name[T](c)] = h
	}
}
