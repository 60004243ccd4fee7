package kernel

import (
	"reflect"
	"runtime"
	"slices"
	"testing"

	"nmu/internal/isa"
)

// TestTables checks that each level has a body of its own for each field of its tables, and that a
// level of another processor, or one that nobody knows, has none.
func TestTables(t *testing.T) {
	names := map[uintptr]string{}
	for l := range isa.Level(8) {
		has := l != isa.Generic && slices.Contains(isa.Available(), l)
		tables := levelOf(l)
		if !has && runtime.GOARCH == "amd64" && (l == isa.AVX2 || l == isa.AVX512) {
			continue // this machine lacks it, or the build has no assembly
		}
		for precision, bodies := range map[string]*bodies{"float64": tables.f64, "float32": tables.f32} {
			v := reflect.ValueOf(*bodies)
			for i := range v.NumField() {
				name := l.String() + " " + precision + " " + v.Type().Field(i).Name
				at := uintptr(v.Field(i).Uint())
				switch {
				case has != (at != 0):
					t.Errorf("%s is %#x", name, at)
				case has && names[at] != "" && v.Type().Field(i).Name != "sparseRankOne": // AVX2's at AVX-512
					t.Errorf("%s is %s", name, names[at])
				}
				names[at] = name
			}
		}
	}
}
