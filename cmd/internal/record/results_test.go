package record

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	"nmu/internal/options"
)

// TestEveryFieldOfResults: result.json has every field of a result, under the same name or the one
// that the list says.
func TestEveryFieldOfResults(t *testing.T) {
	for _, x := range []struct {
		fields []options.Field
		of     any
	}{
		{options.Results(), Factor{}}, {options.BlockFields(), Factor{}}, {options.TransformFields(), Transform{}},
		{options.RankFields(), Rank{}}, {options.ConsensusFields(), Consensus[float64]{}},
	} {
		members := map[string]bool{}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(x.of)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			members[name] = true
			for i := 0; name == "advice" && i < f.Type.NumField(); i++ {
				name, _, _ := strings.Cut(f.Type.Field(i).Tag.Get("json"), ",")
				members[name] = true
			}
		}
		for _, f := range x.fields {
			if name := cmp.Or(f.Record, f.Name); name != "-" && !members[name] {
				t.Errorf("%T has no member %s", x.of, name)
			}
			if f.Record == "-" && members[f.Name] && f.Name != "iterations" && f.Name != "relative_divergence" { // the limit; of all blocks
				t.Errorf("%T has the member %s, which the list denies", x.of, f.Name)
			}
		}
	}
}
