package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/regular"
	"nmu/internal/render"
	"nmu/lnmu"
)

// The gallery within its folder.
const (
	nameGallery    = "gallery.md"
	folderPictures = "gallery"
)

// example is a data set that is made here, what is done with it, and what is seen.
type example struct {
	name, title string
	about       string                    // what the data are, in a sentence
	data        func(folder string) error // writes the data
	args        []string                  // of nmu factor, with the INPUT in that folder first
	pictures    []galleryPicture
	text        string // what is seen, with %s for the relative error
}

// command is the command line that a reader types.
func (e example) command() string {
	return "nmu factor " + strings.Join(e.args, " ") + " --out " + e.out()
}

func (e example) out() string { return e.name + "-out" }

// galleryPicture is a picture that is drawn of a finished run.
type galleryPicture struct {
	name, alt string
	draw      func(f *finished) ([]byte, error)
}

// finished is a run and its results.
type finished struct {
	folder string // of the data
	out    string
	rep    report
	v, w   lnmu.Dense[float64]
}

func galleryCommand() *cobra.Command {
	var out, data string
	cmd := &cobra.Command{
		Use:   "gallery",
		Short: "Factor five data sets that are made here, and show what is found",
		Long: `Make five data sets (swimmers, a hyperspectral image of the ground, the words of
licences, digits, the sound of a melody), factor each by a command line as one
would type it, and write gallery.md with the command lines and what they find to
the folder of --out, and the pictures to gallery within it.

The words are those of the licences of the modules that this program is made of,
where they are in the module cache of the go tool.`,
		Example: `  nmu gallery --out docs
  nmu gallery --out gallery-out --data gallery-data`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" || cmd.Flags().Changed("data") && data == "" {
				return errors.New("gallery wants --out DIR for the pictures; see nmu gallery --help")
			}
			return runGallery(cmd, out, data)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder `DIR` for gallery.md")
	cmd.Flags().StringVar(&data, "data", "", "folder `DIR` for the data sets and the results (default: they\nare removed in the end)")
	return cmd
}

// runGallery makes the gallery, with more arguments for each command line.
func runGallery(cmd *cobra.Command, out, data string, more ...string) (err error) {
	if data == "" {
		if data, err = os.MkdirTemp("", "nmu-gallery-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	line := newProgressLine(cmd.ErrOrStderr())
	defer line.clear()
	page := galleryHead
	var files []fileset.File
	for _, e := range gallery() {
		line.say(e.title)
		f, err := e.run(ctx, data, more)
		var early *interruptError
		if errors.As(err, &early) {
			return fmt.Errorf("%w; nothing is written", early)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w; nothing is written", interruption(ctx))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		page += fmt.Sprintf("\n## %s\n\n%s\n\n    %s\n", e.title, e.about, e.command())
		for _, p := range e.pictures {
			picture, err := p.draw(f)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			files = append(files, fileset.File{Name: p.name, Write: func(path string) error { return os.WriteFile(path, picture, 0o666) }})
			page += fmt.Sprintf("\n![%s](%s/%s)\n", p.alt, folderPictures, p.name)
		}
		page += "\n" + strings.ReplaceAll(e.text, "%s", percent(f.rep.RelativeError)) + "\n"
	}
	line.clear()
	names, _, err := fileset.Write(filepath.Join(out, folderPictures), files, "")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	err = matio.WriteFile(filepath.Join(out, nameGallery), func(w io.Writer) error {
		_, err := io.WriteString(w, page)
		return err
	})
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, and %s in %s\n", nameGallery, strings.Join(names, ", "), render.Printable(filepath.Join(out, folderPictures)))
	return err
}

// run makes the data and factors them.
func (e example) run(ctx context.Context, folder string, more []string) (*finished, error) {
	if err := e.data(folder); err != nil {
		return nil, err
	}
	f := &finished{folder: folder, out: filepath.Join(folder, e.out())}
	args := append([]string{"factor", filepath.Join(folder, e.args[0])}, e.args[1:]...)
	var stdout, stderr bytes.Buffer
	status := run(ctx, append(append(args, "--out", f.out, "--json"), more...), strings.NewReader(""), &stdout, &stderr)
	if s := signalOf(status); s != nil { // ctx may come to know it later than the run did
		return nil, &interruptError{s}
	}
	if status != 0 {
		return nil, fmt.Errorf("nmu %s: %s", strings.Join(args, " "), strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(stdout.Bytes(), &f.rep); err != nil {
		return nil, err
	}
	for name, to := range map[string]*lnmu.Dense[float64]{nameV: &f.v, nameW: &f.w} {
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

// resultPicture is one that the run itself has drawn.
func resultPicture(name string) func(f *finished) ([]byte, error) {
	return func(f *finished) ([]byte, error) { return regular.ReadFile(filepath.Join(f.out, name)) }
}
