package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestModules lists the modules of this very test, which must be those that it knows
// itself, each with its licence.
func TestModules(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("this test does not know its modules")
	}
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	licences := t.TempDir()
	paths := []string{"go"}
	for _, m := range info.Deps {
		paths = append(paths, m.Path)
	}
	for _, path := range paths {
		folder := filepath.Join(licences, filepath.FromSlash(path))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("licence of "+path), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var texts [2]bytes.Buffer
	for i := range texts {
		r := release{version: "1.2.3", commit: "0123", licences: licences, date: time.Unix(86400, 0).UTC()}
		names := []string{"second", "first"}
		if i == 1 { // in another order
			names = []string{"first", "second"}
		}
		for _, name := range names {
			if err := r.add(name, file); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.write(&texts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("the list depends on the order of the files")
	}
	var got bom
	if err := json.Unmarshal(texts[0].Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	refs := map[string]component{}
	for _, c := range append(got.Components, got.Metadata.Component) {
		if _, twice := refs[c.Ref]; twice {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs[c.Ref] = c
	}
	if len(got.Components) != 2+len(paths) {
		t.Errorf("%d components, want two files and %d modules", len(got.Components), len(paths))
	}
	for _, m := range info.Deps {
		c := refs["pkg:golang/"+m.Path+"@"+m.Version]
		if len(c.Licenses) != 1 || c.Licenses[0].License.Text.Content != "licence of "+m.Path || c.Properties[0].Value != m.Sum {
			t.Errorf("module %s %s is %+v", m.Path, m.Version, c)
		}
	}
	for _, d := range got.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if refs[ref].Ref == "" {
				t.Errorf("%s depends on %s, which is not there", d.Ref, ref)
			}
		}
	}
	if got.Metadata.Timestamp != "1970-01-02T00:00:00Z" {
		t.Errorf("date %s", got.Metadata.Timestamp)
	}
}

// TestForeign: what is no program of Go, and a module without licence, are errors.
func TestForeign(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o666); err != nil {
		t.Fatal(err)
	}
	var r release
	if err := r.add("text", text); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("a text is taken for a program: %v", err)
	}
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.licences = t.TempDir()
	if err := r.add("test", file); err == nil {
		t.Error("a module without licence is taken")
	}
}
