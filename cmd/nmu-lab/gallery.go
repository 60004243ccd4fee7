package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/progress"
	"nmu/cmd/internal/record"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/render"
)

// The files of the gallery in its folder.
const (
	nameGallery    = "gallery.md"
	folderPictures = "gallery"
)

func galleryCommand() *cobra.Command {
	var out, data string
	cmd := &cobra.Command{
		Use:   "gallery",
		Short: "Factor five generated data sets, and show the results",
		Long: `Generate five data sets and factor each of them by a command line: swimmers, a
hyperspectral image of the ground, the words of licences, digits, and the sound of a
melody. DIR receives gallery.md, a page with the command lines and the results, and
the folder gallery with its pictures.

The licences are those of the modules of this program, as far as they are in the
module cache of Go.`,
		Example: `  nmu-lab gallery --out docs
  nmu-lab gallery --out gallery-out --data gallery-data`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" || cmd.Flags().Changed("data") && data == "" {
				return errors.New("gallery needs --out DIR for the pictures; see nmu-lab gallery --help")
			}
			return runGallery(cmd, out, data)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder `DIR` for gallery.md")
	cmd.Flags().StringVar(&data, "data", "", "folder `DIR` for the data sets and the results (default: they\nare removed at the end)")
	return cmd
}

// runGallery makes the gallery. It adds the arguments more to each command line.
func runGallery(cmd *cobra.Command, out, data string, more ...string) (err error) {
	if data == "" {
		if data, err = os.MkdirTemp("", "nmu-gallery-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	}
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	line := progress.NewLine(cmd.ErrOrStderr())
	defer line.Clear()
	page := galleryHead
	var files []fileset.File
	for _, e := range gallery() {
		line.Say(e.title)
		f, err := e.run(ctx, data, more)
		var early *exit.InterruptError
		if errors.As(err, &early) {
			return fmt.Errorf("%w; nothing is written", early)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w; nothing is written", exit.Interruption(ctx))
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
			files = append(files, record.ContentFile(p.name, picture))
			page += fmt.Sprintf("\n![%s](%s/%s)\n", p.alt, folderPictures, p.name)
		}
		page += "\n" + strings.ReplaceAll(e.text, "%s", message.Percent(f.rep.RelativeError)) + "\n"
	}
	line.Clear()
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
