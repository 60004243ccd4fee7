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
	"nmu/lnmu"
	"nmu/lnmu/biclique"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

// samples are values that settings of each type can have and that are not the default.
var samples = map[string]string{
	"whole number": "3", "bytes": "2KB", "number": "0.25", "seconds": "60", "yes or no": "true", "name": "x", "file": "x", "matrix": "x", "list of ranks": "2:3", "list of names": "a,,b", "list of numbers": "-999,,-9",
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
	used := map[string]bool{}
	for _, x := range []struct {
		name string
		of   func(r *Run) any
	}{
		{"Settings", func(r *Run) any { return r.Settings }},
		{"TransformSettings", func(r *Run) any { return r.Transform }},
		{"compare.Settings", func(r *Run) any { return r.Comparison() }},
	} {
		said := map[string]string{} // by field
		for _, s := range Settings(&Run{}) {
			var r Run
			value := samples[s.Type()]
			if s.Default == value {
				value = "false"
			}
			if words := s.Choices(); words != nil {
				value = words[len(words)-1]
			}
			if err := r.Set(s.Name+"="+value, s.Calls); err != nil {
				t.Fatalf("%s=%s: %v", s.Name, value, err)
			}
			before, after := reflect.ValueOf(x.of(&Run{})), reflect.ValueOf(x.of(&r))
			for _, f := range reflect.VisibleFields(after.Type()) {
				if !reflect.DeepEqual(before.FieldByIndex(f.Index).Interface(), after.FieldByIndex(f.Index).Interface()) {
					said[f.Name] = s.Name
				}
			}
		}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(x.of(&Run{}))) {
			name, key := f.Name, x.name+"."+f.Name
			if f.Anonymous {
				continue
			}
			used[key] = true
			if (said[name] == "") == (elsewhere[key] == "") {
				t.Errorf("%s: the setting %q says it, and elsewhere it is %q; want one of both", key, said[name], elsewhere[key])
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
		if err := Parse(text, "method nmf", "option", ofNMF); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
	for text, says := range map[string]string{
		"sead=1": `factor has no setting "sead"; did you mean seed?`, "seed": "the setting seed of factor has no value; write seed=VALUE",
		"folds=3": "factor has no setting", "threads=5000": "threads=5000: choose 1 to 4096", "time-limit=-1": "from 0 to 1e+09",
	} {
		if err := r.Set(text, Factor); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
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
		{Results(), []any{lnmu.Result[float64]{}, outcome.Report{}}}, {BlockFields(), []any{outcome.Block{}}}, {TransformFields(), []any{lnmu.Transformed[float64]{}, outcome.Fit{}}},
		{RankFields(), []any{compare.HeldOutResult{}, compare.Comparison{}, compare.Advice{}}}, {PointFields(), []any{compare.HeldOutPoint{}, compare.FoldErrors{}, compare.Agreement{}}},
		{ConsensusFields(), []any{compare.StabilityResult[float64]{}, compare.Comparison{}, compare.Advice{}}}, {ConsensusPointFields(), []any{compare.StabilityPoint[float64]{}}}, {PartFields(), []any{Part{}}},
		{EstimateFields(), []any{lnmu.Estimate{}}}, {MeasureFields(), []any{lnmu.Measures{}}}, {BicliqueFields(), []any{biclique.Result{}}}, {ProgressFields(), []any{lnmu.Progress{}}},
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
	for i, v := range Values(Results(), res) {
		if x, ok := want[Results()[i].Name]; ok && v != x {
			t.Errorf("%s is %v, want %v", Results()[i].Name, v, x)
		}
	}
	for i, v := range Values(BlockFields(), res.Blocks[1]) {
		if BlockFields()[i].Name == "history_length" && v != int64(2) {
			t.Errorf("a history of %v errors", v)
		}
	}
	training := 0.25
	for i, v := range Values(PointFields(), compare.HeldOutPoint{Rank: 4, Training: &training}) {
		want := map[string]string{"rank": "4", "training_error": "0.25", "agreeing_runs": "0"}[PointFields()[i].Name]
		if want == "" {
			want = "NaN"
		}
		if fmt.Sprint(v) != want {
			t.Errorf("%s is %v, want %s", PointFields()[i].Name, v, want)
		}
	}
	measures := lnmu.Measures{Scale: 2, LargestEntry: 3, RelativeViolation: 0.125, Basis: outcome.Sparsity{Zeros: 0.25}, Weights: outcome.Sparsity{Zeros: 0.5, Hoyer: 0.75}}
	if got, want := Values(MeasureFields(), measures), []any{0.0, 0.0, 2.0, 0.0, 0.25, 0.5, 0.0, 0.75, 0.125, 3.0}; !slices.Equal(got, want) {
		t.Errorf("measures are %v, want %v", got, want)
	}
	if got, want := Values(BicliqueFields(), biclique.Result{Rows: []int{2, 5}, Cols: []int{7}, Edges: 2}), []any{int64(2), int64(1), int64(2), int64(0), int64(0)}; !slices.Equal(got, want) {
		t.Errorf("a biclique has %v, want %v", got, want)
	}
	if got := Values(ProgressFields(), lnmu.Progress{Elapsed: 1500 * time.Millisecond}); got[7] != 1.5 {
		t.Errorf("%v seconds have elapsed, want 1.5", got[7])
	}
}
