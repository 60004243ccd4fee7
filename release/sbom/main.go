// Package main lists the modules of which the programs and libraries of a release are
// made, as CycloneDX 1.5 (ECMA-424) in JSON:
//
//	sbom -version V -commit C -date SECONDS -licences DIR NAME=FILE...
//
// Each FILE is a program or library of Go, which records its modules. DIR holds the
// licences of a module in a folder with its path.
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("sbom: ")
	var r release
	flag.StringVar(&r.version, "version", "", "the version of the release")
	flag.StringVar(&r.commit, "commit", "", "the commit from which it is made")
	date := flag.Int64("date", 0, "the `seconds` since 1970 of that commit")
	flag.StringVar(&r.licences, "licences", "", "the `folder` of the licences")
	flag.Parse()
	r.date = time.Unix(*date, 0).UTC()
	for _, arg := range flag.Args() {
		name, file, ok := strings.Cut(arg, "=")
		if !ok {
			log.Fatalf("%q: want NAME=FILE", arg)
		}
		if err := r.add(name, file); err != nil {
			log.Fatal(err)
		}
	}
	if err := r.write(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// release is a release, with what its files are made of.
type release struct {
	version, commit, licences string
	date                      time.Time
	files, modules            []component
	dependencies              []dependency
}

// The members of CycloneDX that are used here.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Purl       string     `json:"purl,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licenses   []licensed `json:"licenses,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licensed struct {
		License license `json:"license"`
	}
	license struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
		Text *text  `json:"text,omitempty"`
	}
	text struct {
		ContentType string `json:"contentType"`
		Content     string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// add reads which modules a file is made of.
func (r *release) add(name, file string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	kind := "application"
	if settings["-buildmode"] == "c-shared" {
		kind = "library"
	}
	c := component{
		Type: kind, Ref: name, Name: filepath.Base(file), Version: r.version,
		Hashes:     []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))}},
		Properties: []property{{"nmu:platform", settings["GOOS"] + "/" + settings["GOARCH"]}},
	}
	r.files = append(r.files, c)
	d := dependency{Ref: name}
	refer := func(path, version, sum, licences string) error {
		ref := "pkg:golang/" + path + "@" + version
		d.DependsOn = append(d.DependsOn, ref)
		if slices.ContainsFunc(r.modules, func(c component) bool { return c.Ref == ref }) {
			return nil
		}
		m := component{Type: "library", Ref: ref, Name: path, Version: version, Purl: ref}
		if sum != "" {
			m.Properties = []property{{"go:sum", sum}}
		}
		var err error
		m.Licenses, err = r.licencesOf(licences)
		r.modules = append(r.modules, m)
		return err
	}
	if err := refer("std", strings.TrimPrefix(info.GoVersion, "go"), "", "go"); err != nil {
		return err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return fmt.Errorf("%s: module %s is replaced", file, m.Path)
		}
		if err := refer(m.Path, m.Version, m.Sum, m.Path); err != nil {
			return err
		}
	}
	slices.Sort(d.DependsOn)
	r.dependencies = append(r.dependencies, d)
	return nil
}

// licencesOf returns the texts in a folder of the licences.
func (r *release) licencesOf(folder string) ([]licensed, error) {
	files, err := os.ReadDir(filepath.Join(r.licences, filepath.FromSlash(folder)))
	if err != nil {
		return nil, err
	}
	var all []licensed
	for _, f := range files {
		if f.IsDir() { // of a module below this one
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.licences, filepath.FromSlash(folder), f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, licensed{license{Name: f.Name(), Text: &text{"text/plain", string(content)}}})
	}
	return all, nil
}

// write writes the list. Its order depends on the contents only.
func (r *release) write(w io.Writer) error {
	byRef := func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) }
	slices.SortFunc(r.files, byRef)
	slices.SortFunc(r.modules, byRef)
	top := component{
		Type: "application", Ref: "nmu", Name: "nmu", Version: r.version,
		Licenses:   []licensed{{license{ID: "BSD-3-Clause"}}},
		Properties: []property{{"nmu:commit", r.commit}},
	}
	all := dependency{Ref: top.Ref}
	for _, f := range r.files {
		all.DependsOn = append(all.DependsOn, f.Ref)
	}
	slices.SortFunc(r.dependencies, func(a, b dependency) int { return cmp.Compare(a.Ref, b.Ref) })
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(bom{
		Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata:     metadata{r.date.Format(time.RFC3339), top},
		Components:   append(r.files, r.modules...),
		Dependencies: append([]dependency{all}, r.dependencies...),
	})
}
