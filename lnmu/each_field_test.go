package lnmu_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/run"
)

// TestEachField checks the options of methods in the identity of a state: each once, by a
// name of its own and with a value that is printed alike in every process; no functions. Another
// value of any of them is another identity.
func TestEachField(t *testing.T) {
	for _, d := range options.Methods() {
		list := func(m any) (lines []string) {
			names := map[string]bool{}
			run.EachField(reflect.ValueOf(m), func(name string, value reflect.Value) {
				switch value.Kind() {
				case reflect.String, reflect.Bool, reflect.Int, reflect.Float64, reflect.Array:
				default:
					t.Errorf("%s: field %s is of kind %s, which may have no text of its own", d.Name, name, value.Kind())
				}
				if names[name] {
					t.Errorf("%s: two fields have the name %s", d.Name, name)
				}
				names[name] = true
				lines = append(lines, fmt.Sprintf("%s %v", name, value))
			})
			return lines
		}
		changed := reflect.New(reflect.TypeOf(d.Method)).Elem()
		changed.Set(reflect.ValueOf(d.Method))
		var each func(x reflect.Value)
		each = func(x reflect.Value) {
			for i := range x.NumField() {
				before := list(changed.Interface())
				switch f := x.Field(i); f.Kind() {
				case reflect.Struct:
					each(f)
					continue
				case reflect.Func:
					continue
				case reflect.String:
					f.SetString("another " + f.String())
				case reflect.Bool:
					f.SetBool(!f.Bool())
				case reflect.Int:
					f.SetInt(f.Int() + 1)
				case reflect.Float64:
					f.SetFloat(f.Float() + 1)
				case reflect.Array: // the size of a picture
					f.Index(1).SetInt(f.Index(1).Int() + 1)
				}
				if slices.Equal(list(changed.Interface()), before) {
					t.Errorf("%s: field %s is not in the identity", d.Name, x.Type().Field(i).Name)
				}
			}
		}
		each(changed)
	}
}

// change is a row of a table of settings: what another value of a field does.
type change[S any] struct {
	set  func(s *S, seen io.Writer)  // what it writes to seen is part of the result
	with func(s *S, seen io.Writer)  // what both runs have; nil: nothing
	m    func() lnmu.Matrix[float64] // nil: a dense matrix
	same string                      // why the result stays the same, or ""
}

// testSettings checks that each field of settings has a row, and that another value of it leads to
// another result or an error, unless the row says why not. do runs what has the settings.
func testSettings[S any](t *testing.T, rows map[string]change[S], do func(ctx context.Context, m lnmu.Matrix[float64], s *S) (any, error)) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[S]()) {
		if f.Anonymous {
			continue
		}
		t.Run(reflect.TypeFor[S]().String()+"/"+f.Name, func(t *testing.T) {
			row := rows[f.Name]
			if row.set == nil {
				t.Fatal("no row changes this field: add one")
			}
			value := func(s S) any { return reflect.ValueOf(s).FieldByIndex(f.Index).Interface() }
			var results [3][]any
			for k := range results {
				synctest.Test(t, func(t *testing.T) {
					var s, before S
					var seen bytes.Buffer
					if row.with != nil {
						row.with(&s, &seen)
					}
					if before = s; k == 2 {
						if row.set(&s, &seen); reflect.DeepEqual(value(s), value(before)) {
							t.Error("the row does not change the field")
						}
					}
					var m lnmu.Matrix[float64] = lnmutest.Data[float64](12, 9, 3)
					if row.m != nil {
						m = row.m()
					}
					res, err := do(t.Context(), m, &s)
					results[k] = []any{res, fmt.Sprint(err), m, seen.String()}
				})
			}
			if !reflect.DeepEqual(results[0], results[1]) {
				t.Fatalf("two runs differ: %+v, %+v", results[0], results[1])
			}
			if same := reflect.DeepEqual(results[0], results[2]); same != (row.same != "") {
				t.Errorf("another value leads to the same result: %v; the reason why: %q", same, row.same)
			}
		})
	}
}

// writing returns a function that writes each state to seen.
func writing(seen io.Writer) func(io.WriterTo) {
	return func(state io.WriterTo) { state.WriteTo(seen) }
}

// TestSettings checks that each field of all settings has an effect, which the fields that say so do
// not have.
func TestSettings(t *testing.T) {
	const threads = "the result does not depend on threads"
	slow := func(s *lnmu.Settings, _ io.Writer) { s.Iterated = func(int) { time.Sleep(time.Second) } }
	holes := func() lnmu.Matrix[float64] {
		mask := lnmu.NewMask(12, 9)
		mask.Set(3, 4, false)
		return lnmu.Observed[float64]{Matrix: lnmutest.Data[float64](12, 9, 3), Mask: mask}
	}
	type settings = lnmu.Settings
	runs := map[string]change[settings]{
		"Iterations":    {set: func(s *settings, _ io.Writer) { s.Iterations = 13 }},
		"Init":          {set: func(s *settings, _ io.Writer) { s.Init = lnmu.InitSVD }},
		"Restarts":      {set: func(s *settings, _ io.Writer) { s.Restarts = 2 }},
		"FullRestarts":  {set: func(s *settings, _ io.Writer) { s.FullRestarts = true }, with: func(s *settings, _ io.Writer) { s.Iterations, s.Restarts = 31, 3 }},
		"Seed":          {set: func(s *settings, _ io.Writer) { s.Seed = 5 }},
		"Threads":       {set: func(s *settings, _ io.Writer) { s.Threads = 3 }, same: threads},
		"Tolerance":     {set: func(s *settings, _ io.Writer) { s.Tolerance = 0.3 }, with: func(s *settings, _ io.Writer) { s.CheckEvery = 2 }},
		"CheckEvery":    {set: func(s *settings, _ io.Writer) { s.CheckEvery = 3 }, with: func(s *settings, _ io.Writer) { s.Tolerance = 0.3 }},
		"TargetError":   {set: func(s *settings, _ io.Writer) { s.TargetError = 0.9 }},
		"TimeLimit":     {set: func(s *settings, _ io.Writer) { s.TimeLimit = 3 * time.Second }, with: slow},
		"MissingSolver": {set: func(s *settings, _ io.Writer) { s.MissingSolver = lnmu.MissingExact }, m: holes},
		"Overwrite":     {set: func(s *settings, _ io.Writer) { s.Overwrite = true }},
		"Scratch": {
			set: func(s *settings, _ io.Writer) { s.Scratch = filepath.Join(t.TempDir(), "none") },
			m: func() lnmu.Matrix[float64] {
				return &lnmutest.LinesOf[float64]{Dense: lnmutest.Data[float64](12, 9, 3)}
			},
		},
		"Checkpoint": {set: func(s *settings, seen io.Writer) { s.Checkpoint = &lnmu.Checkpoint{Save: writing(seen)} }},
		"FixedV":     {set: func(s *settings, _ io.Writer) { s.FixedV = lnmutest.Ones[float64](12, 1) }},
		"FixedW":     {set: func(s *settings, _ io.Writer) { s.FixedW = lnmutest.Ones[float64](1, 9) }},
		"Baseline":   {set: func(s *settings, _ io.Writer) { s.Baseline = true }},
		"Record":     {set: func(s *settings, _ io.Writer) { s.Record = true }},
		"Progress":   {set: func(s *settings, seen io.Writer) { s.Progress = func(p lnmu.Progress) { fmt.Fprintln(seen, p) } }, with: slow},
		"Iterated":   {set: func(s *settings, seen io.Writer) { s.Iterated = func(k int) { fmt.Fprintln(seen, k) } }},
	}
	base := func(s *settings) {
		s.Iterations, s.Restarts, s.Threads = cmp.Or(s.Iterations, 12), cmp.Or(s.Restarts, 1), cmp.Or(s.Threads, 1)
	}
	testSettings(t, runs, func(ctx context.Context, m lnmu.Matrix[float64], s *settings) (any, error) {
		base(s)
		if s.Restarts > 2 { // a race
			return lnmu.Factor(ctx, m, 2, lnmu.NMF{}, s)
		}
		return lnmu.Factor(ctx, m, 2, lnmu.RNMU{}, s)
	})

	type checkpoint = lnmu.Checkpoint
	saving := func(c *checkpoint, seen io.Writer) { c.Save = writing(seen) }
	testSettings(t, map[string]change[checkpoint]{
		"Save":   {set: saving},
		"After":  {set: func(c *checkpoint, _ io.Writer) { c.After = time.Hour }, with: saving},
		"Every":  {set: func(c *checkpoint, _ io.Writer) { c.Every = time.Hour }, with: saving},
		"Note":   {set: func(c *checkpoint, _ io.Writer) { c.Note = []byte("note") }, with: saving},
		"Resume": {set: func(c *checkpoint, _ io.Writer) { c.Resume = strings.NewReader("no state") }},
	}, func(ctx context.Context, m lnmu.Matrix[float64], c *checkpoint) (any, error) {
		s := &settings{Watch: lnmu.Watch{Checkpoint: c}}
		base(s)
		return lnmu.Factor(ctx, m, 2, lnmu.GNMU{}, s)
	})

	v := lnmutest.Data[float64](12, 3, 2)
	type transform = lnmu.TransformSettings
	changes := map[string]change[transform]{
		"Feasible":   {set: func(s *transform, _ io.Writer) { s.Feasible = true }},
		"SumToOne":   {set: func(s *transform, _ io.Writer) { s.SumToOne = true }},
		"Divergence": {set: func(s *transform, _ io.Writer) { s.Divergence = true }},
		"Iterations": {set: func(s *transform, _ io.Writer) { s.Iterations = 2 }},
		"Tolerance":  {set: func(s *transform, _ io.Writer) { s.Tolerance = 0.1 }},
		"Threads":    {set: func(s *transform, _ io.Writer) { s.Threads = 3 }, same: threads},
	}
	testSettings(t, changes, func(ctx context.Context, m lnmu.Matrix[float64], s *transform) (any, error) {
		return transformOf(ctx, v, m, s)
	})
	testSettings(t, changes, func(ctx context.Context, m lnmu.Matrix[float64], s *transform) (any, error) {
		return lnmu.Update(ctx, m, lnmu.Updated[float64]{V: v}, s)
	})
	type comparison = compare.Settings
	slowly := func(s *comparison, _ io.Writer) { s.Iterated = func(int) { time.Sleep(time.Second) } }
	comparing := map[string]change[comparison]{
		"Iterations":    {set: func(s *comparison, _ io.Writer) { s.Iterations = 13 }},
		"Init":          {set: func(s *comparison, _ io.Writer) { s.Init = lnmu.InitSVD }},
		"Tolerance":     {set: func(s *comparison, _ io.Writer) { s.Tolerance = 0.3 }, with: func(s *comparison, _ io.Writer) { s.CheckEvery = 2 }},
		"CheckEvery":    {set: func(s *comparison, _ io.Writer) { s.CheckEvery = 2 }, with: func(s *comparison, _ io.Writer) { s.Tolerance = 0.3 }},
		"MissingSolver": {set: func(s *comparison, _ io.Writer) { s.MissingSolver = lnmu.MissingExact }, m: holes},
		"Iterated":      {set: func(s *comparison, seen io.Writer) { s.Iterated = func(k int) { fmt.Fprintln(seen, k) } }},
		"Seed":          {set: func(s *comparison, _ io.Writer) { s.Seed = 5 }},
		"Restarts":      {set: func(s *comparison, _ io.Writer) { s.Restarts = 2 }},
		"Threads":       {set: func(s *comparison, _ io.Writer) { s.Threads = 3 }, same: threads},
		"SideBySide":    {set: func(s *comparison, _ io.Writer) { s.SideBySide = 2 }, same: "the result does not depend on the number of concurrent runs"},
		"TimeLimit":     {set: func(s *comparison, _ io.Writer) { s.TimeLimit = 3 * time.Second }, with: slowly},
		"Checkpoint":    {set: func(s *comparison, seen io.Writer) { s.Checkpoint = &lnmu.Checkpoint{Save: writing(seen)} }},
		"TargetError":   {set: func(s *comparison, _ io.Writer) { s.TargetError = 0.9 }},
		"Progress":      {set: func(s *comparison, seen io.Writer) { s.Progress = func(p lnmu.Progress) { fmt.Fprintln(seen, p) } }, with: slowly},
		"Folds":         {set: func(s *comparison, _ io.Writer) { s.Folds = 3 }},
		"Consensus":     {set: func(s *comparison, _ io.Writer) { s.Consensus = true }, with: func(s *comparison, _ io.Writer) { s.Restarts = 2 }},
		"Runs":          {set: func(s *comparison, _ io.Writer) { s.Runs = 3 }},
		"Resample":      {set: func(s *comparison, _ io.Writer) { s.Resample = compare.Resamples()[1] }},
		"Level":         {set: func(s *comparison, _ io.Writer) { s.Level = 0.5 }},
	}
	small := func(s *comparison) {
		s.Iterations, s.Restarts, s.Threads = cmp.Or(s.Iterations, 12), cmp.Or(s.Restarts, 1), cmp.Or(s.Threads, 1)
	}
	testSettings(t, comparing, func(ctx context.Context, m lnmu.Matrix[float64], s *comparison) (any, error) {
		small(s)
		return compare.HeldOut(ctx, m, []int{1, 2}, lnmu.GNMU{}, s)
	})
	testSettings(t, comparing, func(ctx context.Context, m lnmu.Matrix[float64], s *comparison) (any, error) {
		small(s)
		s.Runs = cmp.Or(s.Runs, 2)
		return compare.Stability(ctx, m, []int{2}, lnmu.GNMU{}, s)
	})
}
