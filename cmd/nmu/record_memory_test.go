package main

import (
	"runtime"
	"strings"
	"testing"

	"nmu/internal/record"
	"nmu/internal/render"
)

// TestRecordMemory: a hostile result.json takes memory in proportion to its size, which Weigh bounds.
func TestRecordMemory(t *testing.T) {
	const size = 1 << 17
	for _, c := range []struct{ before, unit, after string }{
		{`"input":{"row_names":[`, `"",`, `""]}`}, {`"input":{"row_names":[`, `"a",`, `"a"]}`}, {`"settings":{"options":{`, `"a":"",`, `"a":""}}`}, {`"settings":{`, `"a":0,`, `"a":0}`},
		{`"result":{"blocks":[`, `{},`, `{}]}`}, {`"result":{"blocks":[`, `null,`, `null]}`}, {`"result":{"blocks":[{"history":[`, `0,`, `0]}]}`}, {`"result":{"blocks":[{"history":[`, `null,`, `null]}]}`},
		{`"result":{"top":[`, `{},`, `{}]}`}, {`"result":{"restarts":[`, `{},`, `{}]}`}, {`"result":{"blocks":[{"exact_steps":[`, `{},`, `{}]}]}`}, {`"result":{"blocks":[{"exact_steps":[`, `{"kept":true},`, `{}]}]}`},
		{`"other":[`, `{"a":[]},`, `{}]`}, {`"other":`, `[`, ``}, {`"other":"`, `\"`, `"`}, {``, `"a":0,`, `"a":0`}, {``, `"\u0061":0,`, `"a":0`},
	} {
		text := []byte(`{"schema":"` + record.FactorSchema + `",` + c.before + strings.Repeat(c.unit, size/len(c.unit)) + c.after + "}")
		var before, after, rest runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := record.Parse(text)
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&rest)
		_, bound, _ := render.Weigh(text)
		took, held := after.TotalAlloc-before.TotalAlloc, int64(rest.HeapAlloc-before.HeapAlloc)
		if err == nil || int64(took) > 3*bound+size/4 || held > bound+size {
			t.Errorf("%s%s: takes %d bytes and keeps %d, of at most %d, %v", c.before, c.unit, took, held, bound, err)
		}
		runtime.KeepAlive(r)
	}
}
