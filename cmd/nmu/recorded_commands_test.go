package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/methods"
	"nmu/internal/must"
)

// Command lines of every method, with what they gave when they were recorded, one
// after the other in a folder with the files of testdata and the swimmer set: the
// same factors to the last bit, reported under the same names, and the same errors.
func TestRecordedCommands(t *testing.T) {
	var commands []struct {
		Args   string
		Status int
		Result map[string]any // of result.json by their paths, numbers that are not exact apart
	}
	must.Do(t, json.Unmarshal([]byte(readText(t, "testdata", "commands.json")), &commands))
	dir := filepath.Dir(swimmerFile(t, false))
	for _, name := range []string{"parts.csv", "small.csv", "zero.csv", "small.mtx"} {
		write(t, filepath.Join(dir, name), readText(t, "testdata", name))
	}
	t.Chdir(dir)
	seen := map[any]bool{}
	for _, c := range commands {
		status, stdout, stderr := nmu(strings.Fields(c.Args)...)
		results := status == 0 || status == exit.StatusUnconverged
		if status != c.Status || !results && stdout != "" {
			t.Errorf("nmu %s: status %d, want %d: %s%s", c.Args, status, c.Status, stdout, stderr)
			continue
		}
		if !results {
			continue
		}
		rep := parsed[any](t, stdout)
		if schema, _ := member(rep, "schema").(string); !strings.HasPrefix(schema, "nmu-"+strings.Fields(c.Args)[0]+"/") {
			t.Errorf("nmu %s has the schema %q", c.Args, schema)
		}
		for path, want := range c.Result {
			if got := member(rep, path); !reflect.DeepEqual(got, want) {
				t.Errorf("nmu %s: %s is %v, want %v", c.Args, path, got, want)
			}
		}
		seen[c.Result["settings.method"]] = true
	}
	for _, name := range methods.Names(methods.Any) {
		if !seen[name] {
			t.Errorf("testdata/commands.json has no result of %s", name)
		}
	}
}
