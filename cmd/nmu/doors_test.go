package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/internal/record"
)

// otherWays are the settings of C, Python and R for which a command has no flag of that name, and why. A name of
// several commands stands alone.
var otherWays = map[string]string{
	"input":          "INPUT",
	"overwrite":      "where M is in the memory of the command alone, it is overwritten",
	"record":         "--report records what the page shows",
	"checkpoint":     "--out DIR holds it",
	"resume":         "nmu resume DIR",
	"transform init": "the command has no weights to start from",
	"rank consensus": "the page has the maps, without a choice",
	"biclique dense": "a graph has edges, however it is stored",
}

// TestWordsOfTheCommand: a flag that docs/words.md names for a setting is one of a command of its calls, and a member is one
// of result.json. Package options writes the page and looks into the other doors.
func TestWordsOfTheCommand(t *testing.T) {
	page := readText(t, "..", "..", "docs", "words.md")
	for _, s := range options.Settings(&options.Run{}) {
		row := regexp.MustCompile("(?m)^\\| `" + s.Name + "` \\| [^|]* \\| (?:`--(.*?)`)? \\| `(.*?)` \\|").FindStringSubmatch(page)
		if row == nil {
			t.Fatalf("docs/words.md has no row of the setting %s", s.Name)
		}
		there := false
		for _, call := range s.Calls.Names() {
			if cmd, _, err := rootCommand().Find([]string{call}); err == nil && cmd.Name() == call {
				there = there || cmd.Flags().Lookup(s.Name) != nil
			}
		}
		if s.Flag && (row[1] != s.Name || !there) || row[1] != "" && row[1] != s.Name {
			t.Errorf("docs/words.md names the flag %q of the setting %s, which a command has: %v", row[1], s.Name, there)
		}
		var settings record.Settings
		if err := json.Unmarshal([]byte(`{"`+row[2]+`": ""}`), &settings); s.Name != "input" && err == nil {
			t.Errorf("docs/words.md names the member %q of the setting %s, which result.json does not have", row[2], s.Name)
		}
	}
}

// TestDoors: each setting of C, Python and R is a flag of the command of its call, or has another way, and each flag
// of a command is a setting or an option of a method, or says why it needs none.
func TestDoors(t *testing.T) {
	ofMethods := map[string]bool{}
	for _, m := range options.MethodTexts() {
		for _, o := range m.Options {
			ofMethods[o.Name] = true
		}
	}
	used := map[string]bool{}
	for _, call := range []options.Call{options.Factor, options.Transform, options.Rank, options.Consensus, options.Biclique} {
		name := call.Names()[0]
		cmd, _ := must.Two(rootCommand().Find([]string{name}))(t)
		var flags []string
		for _, s := range options.Settings(&options.Run{}) {
			if s.Calls&call == 0 {
				continue
			}
			key := s.Name
			if otherWays[name+" "+key] != "" {
				key = name + " " + key
			}
			flag := cmd.Flags().Lookup(s.Name) != nil
			if used[key] = true; flag == (otherWays[key] != "") {
				t.Errorf("nmu %s: the setting %s has a flag: %v; the other way is %q", name, s.Name, flag, otherWays[key])
			}
			flags = append(flags, s.Name)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			why := func(o options.Flag) bool { return o.Name == f.Name && o.Commands&call != 0 && o.Why != "" }
			graph := call == options.Biclique && f.Name == "missing" // of a table; entries of a graph are never missing
			if !graph && f.Name != "help" && !slices.Contains(flags, f.Name) && !ofMethods[f.Name] && !slices.ContainsFunc(options.Flags(&options.Run{}), why) {
				t.Errorf("nmu %s: C, Python and R do not have --%s", name, f.Name)
			}
		})
	}
	for key := range otherWays {
		if !used[key] {
			t.Errorf("nothing has the name %s", key)
		}
	}
}
