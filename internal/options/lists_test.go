package options

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nmu/internal/matio"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/biclique"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

// samples are values that settings of each type can have and that are not the default.
var samples = map[string]string{
	"whole number": "3", "bytes": "2KB", "number": "0.25", "seconds": "60", "yes or no": "true", "name": "x", "file": "x", "matrix": "x", "list of ranks": "2:3", "list of names": "a,,b", "list of numbers": "-999,,-9",
}

// structs are the structs of settings of the engine.
var structs = []struct {
	name string
	of   func(r *Run) any
}{
	{"Settings", func(r *Run) any { return r.Settings }},
	{"TransformSettings", func(r *Run) any { return r.Transform }},
	{"compare.Settings", func(r *Run) any { return r.Comparison() }},
}

// fieldsSetBy returns the fields of structs that a setting sets.
func fieldsSetBy(t *testing.T, s Setting) (fields []string) {
	value := samples[s.Type()]
	if s.Default == value {
		value = "false"
	}
	if words := s.Choices(); words != nil {
		value = words[len(words)-1]
	}
	var r Run
	must.Do(t, r.Set(s.Name+"="+value, s.Calls))
	for _, x := range structs {
		for _, name := range changed(x.of(&Run{}), x.of(&r)) {
			fields = append(fields, x.name+"."+name)
		}
	}
	return fields
}

// changed returns the names of the exported fields in which two structs of one type differ.
func changed(before, after any) (names []string) {
	was, is := reflect.ValueOf(before), reflect.ValueOf(after)
	for _, f := range reflect.VisibleFields(is.Type()) {
		if f.IsExported() && !f.Anonymous && !reflect.DeepEqual(was.FieldByIndex(f.Index).Interface(), is.FieldByIndex(f.Index).Interface()) {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestEverySettingOfTheEngine: what can be said to the engine, a setting says, or another way is known.
func TestEverySettingOfTheEngine(t *testing.T) {
	elsewhere := map[string]string{
		"Settings.Progress":   "nmu_progress and a callback",
		"Settings.Iterated":   "it is called from many threads at once",
		"Settings.Checkpoint": "checkpoint, checkpoint-every and resume",
		"Settings.FixedV":     "fix-v", "Settings.FixedW": "fix-w",

		"TransformSettings.Iterations": "iterations", "TransformSettings.Tolerance": "tolerance", "TransformSettings.Threads": "threads",

		"compare.Settings.SideBySide": "it follows from threads, and the result does not depend on it",
		"compare.Settings.Progress":   "nmu_progress and a callback",
		"compare.Settings.Iterated":   "it is called from many threads at once",
		"compare.Settings.Checkpoint": "checkpoint, checkpoint-every and resume",
	}
	used, said := map[string]bool{}, map[string]string{}
	for _, s := range Settings(&Run{}) {
		for _, field := range fieldsSetBy(t, s) {
			said[field] = s.Name
		}
	}
	for _, x := range structs {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(x.of(&Run{}))) {
			key := x.name + "." + f.Name
			if f.Anonymous {
				continue
			}
			used[key] = true
			if (said[key] == "") == (elsewhere[key] == "") {
				t.Errorf("%s: the setting %q says it, and elsewhere it is %q; want one of both", key, said[key], elsewhere[key])
			}
		}
	}
	for key := range elsewhere {
		if !used[key] {
			t.Errorf("there is no %s", key)
		}
	}
}

// TestEverySetting: a setting has what a text about it needs, refuses what is no value, and has a
// name that no option has in the same call.
func TestEverySetting(t *testing.T) {
	options := map[string]bool{}
	for _, d := range Methods() {
		_, all := Of(d.Method)
		for _, o := range all {
			options[o.Name] = true
		}
	}
	for _, s := range Settings(&Run{}) {
		if s.Usage == "" || s.Calls == 0 || len(s.Calls.Names()) == 0 || s.Value.String() != "" {
			t.Errorf("%s: usage %q, calls %v, value %q", s.Name, s.Usage, s.Calls.Names(), s.Value)
		}
		if s.Calls&(Factor|Improve|Rank|Consensus) != 0 && options[s.Name] {
			t.Errorf("%s is an option of a method, too", s.Name)
		}
		for _, wrong := range []string{"", "-1", "NaN", "Inf", "1e999"} {
			if strings.Contains("file matrix name list of ranks list of names", s.Type()) && wrong != "" || s.Type() == "list of numbers" && wrong == "-1" {
				continue
			}
			if err := s.Value.Set(wrong); err == nil || !strings.HasPrefix(err.Error(), "choose ") {
				t.Errorf("%s=%s: %v", s.Name, wrong, err)
			}
		}
	}
}

// TestParse: a comma in a value is written twice; a name that there is not is an error that
// suggests one.
func TestParse(t *testing.T) {
	var r Run
	if err := r.Set("mask=a,,b,, c.npy,seed=3, iterations=7,,", Factor); err == nil {
		t.Error("a value with a comma behind it is a number")
	}
	if err := r.Set("mask=a,,b,, c.npy,seed=3, iterations=7,resume=,,", Factor); err != nil || r.Mask != "a,b, c.npy" || r.Seed != 3 || r.Iterations != 7 || r.Resume != "," {
		t.Errorf("%+v, %v", r, err)
	}
	_, ofNMF := Of(lnmu.NMF{})
	for text, says := range map[string]string{"max-iter=3": "did you mean the setting iterations?", "feasible=each": "choose from solver", "penalty-v=1": "choose from solver"} {
		must.Fail(t, Parse(text, "method nmf", "option", ofNMF), nil, says, text)
	}
	for text, says := range map[string]string{
		"sead=1": `factor has no setting "sead"; did you mean seed?`, "seed": "the setting seed of factor has no value; write seed=VALUE",
		"folds=3": "factor has no setting", "threads=5000": "threads=5000: choose 1 to 4096", "time-limit=-1": "from 0 to 1e+09",
	} {
		must.Fail(t, r.Set(text, Factor), nil, says, text)
	}
}

// TestEveryFieldOfResults: a field of a result of Go is one of C, Python and R under its name in JSON, or is known to
// be somewhere else.
func TestEveryFieldOfResults(t *testing.T) {
	elsewhere := map[string]string{
		"lnmu.Result.V": "an array", "lnmu.Result.W": "an array", "lnmu.Result.Report": "fields of the result", "outcome.Report.Blocks": "an array of nmu_block",
		"outcome.Report.Restarts": "a list for a report, which result.json has",
		"outcome.Block.History":   "an array of the result",
		"outcome.Block.Exact":     "a list of steps for a report, which result.json has",
		"lnmu.Transformed.W":      "an array", "lnmu.Transformed.Fit": "fields of the result",

		"compare.HeldOutResult.Folds": "a setting", "compare.HeldOutResult.Restarts": "a setting", "compare.HeldOutResult.NeverHeldOut": "a note of the command",
		"compare.HeldOutResult.Prefixes": "it follows from the method", "compare.HeldOutResult.Points": "an array of nmu_rank_point", "compare.HeldOutResult.Comparison": "fields of the result",
		"compare.HeldOutPoint.HeldOut": "fields of the point", "compare.HeldOutPoint.Agreement": "fields of the point",
		"compare.FoldErrors.Folds": "their mean and its standard error stand for them", "compare.Agreement.Map": "an array of the result",

		"compare.Comparison.Method": "the caller chose it", "compare.Comparison.Rows": "M has them", "compare.Comparison.Cols": "M has them",
		"compare.Comparison.Columns": "consensus_columns and map_columns", "compare.Comparison.Advice": "fields of the result",
		"compare.StabilityResult.Points": "an array of nmu_consensus_point", "compare.StabilityResult.Comparison": "fields of the result",
		"compare.StabilityPoint.Silhouettes": "in nmu_part", "compare.StabilityPoint.Kept": "in nmu_part", "compare.StabilityPoint.Map": "an array of the result",
		"compare.StabilityPoint.V": "an array", "compare.StabilityPoint.VLow": "an array", "compare.StabilityPoint.VHigh": "an array",
		"compare.StabilityPoint.W": "an array", "compare.StabilityPoint.WLow": "an array", "compare.StabilityPoint.WHigh": "an array",
	}
	renamed := map[string]string{"compare.FoldErrors.Mean": "held_out_error", "compare.Agreement.Runs": "agreeing_runs"} // in an object of their own
	used := map[string]bool{}                                                                                            // fields of Go, and whether a list has them
	for _, x := range []struct {
		fields []Field
		of     []any
	}{
		{FieldsOf("nmu_result"), []any{lnmu.Result[float64]{}, outcome.Report{}}}, {FieldsOf("nmu_block"), []any{outcome.Block{}}}, {FieldsOf("nmu_transform_result"), []any{lnmu.Transformed[float64]{}, outcome.Fit{}}},
		{FieldsOf("nmu_rank_result"), []any{compare.HeldOutResult{}, compare.Comparison{}, compare.Advice{}}}, {FieldsOf("nmu_rank_point"), []any{compare.HeldOutPoint{}, compare.FoldErrors{}, compare.Agreement{}}},
		{FieldsOf("nmu_consensus_result"), []any{compare.StabilityResult[float64]{}, compare.Comparison{}, compare.Advice{}}}, {FieldsOf("nmu_consensus_point"), []any{compare.StabilityPoint[float64]{}}}, {FieldsOf("nmu_part"), []any{Part{}}},
		{FieldsOf("nmu_estimate_result"), []any{lnmu.Estimate{}}}, {FieldsOf("nmu_measures"), []any{lnmu.Measures{}}}, {FieldsOf("nmu_biclique_result"), []any{biclique.Result{}}}, {FieldsOf("nmu_progress"), []any{lnmu.Progress{}}},
	} {
		listed, there := map[string]bool{}, map[string]bool{"": true} // fields of Go
		for _, f := range x.fields {
			name, _, _ := strings.Cut(f.Go, ".")
			listed[name] = true
			if f.Name == "" || f.Meaning == "" {
				t.Errorf("a field has no name or no meaning: %+v", f)
			}
		}
		for _, s := range x.of {
			of := reflect.TypeOf(s)
			kind, _, _ := strings.Cut(of.String(), "[")
			for f := range of.Fields() {
				key := kind + "." + f.Name
				there[f.Name] = true
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if i := slices.IndexFunc(x.fields, func(x Field) bool { return x.Go == f.Name }); i >= 0 && tag != "" && x.fields[i].Name != cmp.Or(renamed[key], tag) {
					t.Errorf("%s is %s in JSON, want %s", key, tag, x.fields[i].Name)
				}
				if f.IsExported() {
					used[key] = used[key] || listed[f.Name]
				}
			}
		}
		for name := range listed {
			if !there[name] {
				t.Errorf("%T have no field %s", x.of, name)
			}
		}
	}
	for key, listed := range used {
		if listed == (elsewhere[key] != "") {
			t.Errorf("%s is in a list: %v, and elsewhere: %q; want one of both", key, listed, elsewhere[key])
		}
	}
	for key := range elsewhere {
		if _, there := used[key]; !there {
			t.Errorf("there is no %s", key)
		}
	}
}

// TestWords: the words of settings are those of the packages that read them.
func TestWords(t *testing.T) {
	want := map[string][]string{
		"resample": texts(compare.Resamples()), "header": texts(matio.Presences), "row-labels": texts(matio.Presences),
		"sep": matio.SeparatorNames, "decimal": matio.DecimalNames, "missing": append([]string{"error"}, texts(matio.WaysOfMissing)...),
		"negative": {"refuse", string(matio.NegativeClip), string(matio.NegativeMissing)},
	}
	for _, s := range Settings(&Run{}) {
		words, of := s.Choices(), want[s.Name]
		slices.Sort(words)
		slices.Sort(of)
		if of != nil && !slices.Equal(words, of) {
			t.Errorf("%s: %q, want %q", s.Name, words, of)
		}
	}
}

// TestValues: values are those of the fields, whatever their types.
func TestValues(t *testing.T) {
	res := &lnmu.Result[float32]{V: lnmu.NewDense[float32](3, 2, nil), Report: outcome.Report{RelativeError: 0.5, ViolationBound: true, Stop: outcome.StopTime, BestSeed: 1<<64 - 1,
		Blocks: []outcome.Block{{IterationsDone: 3}, {IterationsDone: 4, History: []float64{1, 2}}}}}
	want := map[string]any{"rank": int64(2), "iterations_done": int64(7), "relative_error": 0.5, "violation_bound": true, "stop": "time limit", "best_seed": uint64(1<<64 - 1), "revived": int64(0)}
	for i, v := range Values(FieldsOf("nmu_result"), res) {
		if x, ok := want[FieldsOf("nmu_result")[i].Name]; ok && v != x {
			t.Errorf("%s is %v, want %v", FieldsOf("nmu_result")[i].Name, v, x)
		}
	}
	for i, v := range Values(FieldsOf("nmu_block"), res.Blocks[1]) {
		if FieldsOf("nmu_block")[i].Name == "history_length" && v != int64(2) {
			t.Errorf("a history of %v errors", v)
		}
	}
	training := 0.25
	for i, v := range Values(FieldsOf("nmu_rank_point"), compare.HeldOutPoint{Rank: 4, Training: &training}) {
		want := map[string]string{"rank": "4", "training_error": "0.25", "agreeing_runs": "0"}[FieldsOf("nmu_rank_point")[i].Name]
		if want == "" {
			want = "NaN"
		}
		must.Equal(t, fmt.Sprint(v), want, FieldsOf("nmu_rank_point")[i].Name, "is", v)
	}
	measures := lnmu.Measures{Scale: 2, LargestEntry: 3, RelativeViolation: 0.125, Basis: outcome.Sparsity{Zeros: 0.25}, Weights: outcome.Sparsity{Zeros: 0.5, Hoyer: 0.75}}
	must.EqualSlices(t, Values(FieldsOf("nmu_measures"), measures), []any{0.0, 0.0, 2.0, 0.0, 0.25, 0.5, 0.0, 0.75, 0.125, 3.0}, "measures")
	must.EqualSlices(t, Values(FieldsOf("nmu_biclique_result"), biclique.Result{Rows: []int{2, 5}, Cols: []int{7}, Edges: 2}), []any{int64(2), int64(1), int64(2), int64(0), int64(0)}, "a biclique")
	if got := Values(FieldsOf("nmu_progress"), lnmu.Progress{Elapsed: 1500 * time.Millisecond}); got[7] != 1.5 {
		t.Errorf("%v seconds have elapsed, want 1.5", got[7])
	}
}
