package main

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"nmu/internal/must"
	"nmu/internal/options"
)

// otherWays are the settings of C, Python and R for which a command has no flag of that name, and why. A name of
// several commands stands alone.
var otherWays = map[string]string{
	"input":           "INPUT",
	"overwrite":       "where M is in the memory of the command alone, it is overwritten",
	"record":          "--report records what the page shows",
	"checkpoint":      "--out DIR holds it",
	"resume":          "nmu resume DIR",
	"transform init":  "the command has no weights to start from",
	"rank consensus":  "the page has the maps, without a choice",
	"rank ranks":      "--ranks, which the command needs",
	"consensus ranks": "--rank, which the command needs",
	"transform dense": "M is made dense there",
	"biclique dense":  "a graph has edges, however it is stored",
}

// own are the flags of a command that no setting of C, Python and R has, and why they need none.
var own = map[string]string{
	"method": "an argument of its own", "rank": "an argument of its own", "ranks": "the setting ranks", "precision": "the type of M",
	"out": "the caller has V and W", "json": "the caller has the result", "report": "nmu report makes a page of files", "force": "nothing is replaced",
	"write": "the caller has V and W", "top": "the caller has V and W", "scale": "nmu_topics", "improve": "nmu_improve",
	"image": "pictures are of the command", "map": "pictures are of the command", "image-order": "pictures are of the command", "invert": "pictures are of the command",
	"progress": "nmu_progress and a callback", "quiet": "nothing is printed", "mpi": "a process has the whole of M",
	"memory": "scratch leaves M in its file", "help": "it is a text",
	"biclique missing": "it is of the reading of a table, and entries of a graph are never missing",
}

// TestDoors: each setting of C, Python and R is a flag of the command of its call, or has another way, and each flag
// of a command is a setting or an option of a method, or needs none.
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
			flag := cmd.Flags().Lookup(s.Flag)
			if used[key] = true; (flag == nil) == (otherWays[key] == "") {
				t.Errorf("nmu %s: the setting %s has the flag %q, which is there: %v; the other way is %q", name, s.Name, s.Flag, flag != nil, otherWays[key])
			}
			flags = append(flags, s.Flag)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			used[name+" "+f.Name] = true
			if used[f.Name] = true; !slices.Contains(flags, f.Name) && !ofMethods[f.Name] && own[f.Name] == "" && own[name+" "+f.Name] == "" {
				t.Errorf("nmu %s: C, Python and R do not have --%s", name, f.Name)
			}
		})
	}
	for _, list := range []map[string]string{otherWays, own} {
		for key := range list {
			if !used[key] {
				t.Errorf("nothing has the name %s", key)
			}
		}
	}
}
