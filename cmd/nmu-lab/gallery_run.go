package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/record"
	"nmu/internal/matio"
	"nmu/internal/regular"
	"nmu/lnmu"
)

// example is a generated data set, a command line for it, and pictures of the result.
type example struct {
	name, title string
	about       string                    // a sentence about the data
	data        func(folder string) error // writes the data
	args        []string                  // of nmu factor, with the INPUT in that folder first
	pictures    []galleryPicture
	text        string // about the pictures, with %s for the relative error
}

// command returns the command line for a reader.
func (e example) command() string {
	return "nmu factor " + strings.Join(e.args, " ") + " --out " + e.out()
}

func (e example) out() string { return e.name + "-out" }

// galleryPicture is a picture of a finished run.
type galleryPicture struct {
	name, alt string
	draw      func(f *galleryRun) ([]byte, error)
}

// galleryRun is a finished run and its results.
type galleryRun struct {
	folder string // of the data
	out    string
	rep    record.Factor
	v, w   lnmu.Dense[float64]
}

// run writes the data to folder and factors them by nmu factor, with the additional arguments more.
func (e example) run(ctx context.Context, folder string, more []string) (*galleryRun, error) {
	if err := e.data(folder); err != nil {
		return nil, err
	}
	f := &galleryRun{folder: folder, out: filepath.Join(folder, e.out())}
	cmd := factor.Command()
	args := append([]string{filepath.Join(folder, e.args[0])}, e.args[1:]...)
	cmd.SetArgs(append(append(args, "--out", f.out, "--json"), more...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var stdout bytes.Buffer
	cmd.SetOut(&stdout)
	cmd.SetErr(io.Discard)
	if err := cmd.ExecuteContext(ctx); err != nil {
		return nil, fmt.Errorf("nmu factor %s: %w", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal(stdout.Bytes(), &f.rep); err != nil {
		return nil, err
	}
	for name, to := range map[string]*lnmu.Dense[float64]{record.NameV: &f.v, record.NameW: &f.w} {
		rows, cols, values, err := readAll(filepath.Join(f.out, name))
		if err != nil {
			return nil, err
		}
		*to = lnmu.NewDense(rows, cols, values)
	}
	return f, nil
}

// readAll reads a small matrix into memory.
func readAll(path string) (rows, cols int, values []float64, err error) {
	file, err := matio.Open(path, matio.Options{})
	if err != nil {
		return 0, 0, nil, err
	}
	defer file.Close()
	rows, cols, mapped, err := matio.Dense[float64](file)
	return rows, cols, append(values, mapped...), err
}

// resultPicture is a picture that the run itself has written.
func resultPicture(name string) func(f *galleryRun) ([]byte, error) {
	return func(f *galleryRun) ([]byte, error) { return regular.ReadFile(filepath.Join(f.out, name)) }
}
