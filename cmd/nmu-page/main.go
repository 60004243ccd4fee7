// Command nmu-page writes a page of HTML that holds the command nmu, built for WebAssembly. A browser opens
// the page from the disk, without a server, an installation or a network. Run nmu-page in a copy of the source.
//
// page.html, page.css and page.js are the page, and worker.js runs the command on files in memory.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/ascii85"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/release"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

//go:embed page.js
var script string

//go:embed worker.js
var worker string

func main() {
	out := flag.String("o", "nmu.html", "write the page to `FILE`")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "nmu-page:", err)
		os.Exit(1)
	}
}

// command is the package of the command.
const command = "nmu/cmd/nmu"

// write builds the command and writes the page to path.
func write(path string) error {
	dir, err := os.MkdirTemp("", "nmu-page")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "nmu.wasm")
	if _, err := run("build", "-trimpath", "-ldflags", "-s -w", "-o", built, command); err != nil {
		return err
	}
	program, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	root, err := run("env", "GOROOT")
	if err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	texts, err := licences(root)
	if err != nil {
		return err
	}
	var swimmer bytes.Buffer
	set := dataset.Swimmer()
	if err := matio.EncodeNpy(&swimmer, set.Rows, set.Cols, set.Data, set.Cols); err != nil {
		return err
	}
	data := map[string]any{
		"Version": release.Version(), "Methods": options.Methods(), "Formats": formats(), "Licences": html.EscapeString(texts),
		"Style": style, "Script": script, "Worker": string(glue) + worker, "Program": packed(program), "Swimmer": packed(swimmer.Bytes()),
	}
	return matio.WriteFile(path, func(w io.Writer) error {
		return template.Must(template.New("page").Parse(page)).Execute(w, data)
	})
}

// run returns what the go command prints for WebAssembly, without the end of its last line.
func run(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		err = errors.New(strings.TrimSpace(string(e.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// packed returns data compressed and as text that may stand in an element script: base 85 takes 5 characters for
// 4 bytes, base 64 takes 5.33. The letter v stands for <, and no group of zeros is shortened.
func packed(data []byte) string {
	var text bytes.Buffer
	encoder := ascii85.NewEncoder(&text)
	w, _ := gzip.NewWriterLevel(encoder, gzip.BestCompression)
	w.Write(data) // a buffer reports no errors
	w.Close()
	encoder.Close()
	return strings.NewReplacer("<", "v", "z", "!!!!!").Replace(text.String())
}

// formats lists the names of files that the command reads.
func formats() string {
	var names []string
	for _, f := range matio.FileFormats() {
		if f.Missing == "" {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, ", ")
}

// licences returns the licences of Go, whose folder is root, and of the modules that the command is made of.
func licences(root string) (string, error) {
	list, err := run("list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", command)
	if err != nil {
		return "", err
	}
	lines := append(strings.Split(list, "\n"), "go "+root)
	slices.Sort(lines)
	var all strings.Builder
	for _, line := range slices.Compact(lines) {
		name, dir, ok := strings.Cut(line, " ")
		if !ok {
			continue // a package of Go
		}
		found := false
		for _, file := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "NOTICE", "PATENTS"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err == nil {
				found = true
				fmt.Fprintf(&all, "== %s %s\n\n%s\n", name, file, text)
			}
		}
		if !found {
			return "", fmt.Errorf("%s has no licence in %s", name, dir)
		}
	}
	return all.String(), nil
}
