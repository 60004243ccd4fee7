package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/progress"
	"nmu/internal/fileset"
	"nmu/internal/paper"
	"nmu/internal/render"
)

// Names of the files of nmu-lab paper, beside a figure for each data set.
const (
	namePaperJSON = "paper.json"
	namePaperPage = "paper.md"
	namePaperRows = "rows" // a folder
)

// paperFlags is the command line of nmu-lab paper.
type paperFlags struct {
	data     string
	only     []string
	restarts int
	seed     uint64
	threads  int
	out      string
}

func paperCommand() *cobra.Command {
	var f paperFlags
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Repeat the experiments of the paper",
		Long: `Repeat the experiments of section 4 of the paper, and print its four tables beside
the printed figures. The rows are PCA, NMF, G-NMU, R-NMU, and sparse NMF and Hoyer's
algorithm with the sparsity of G-NMU and of R-NMU. Each row is the best run from the
same random starts.

The faces (cbcl) are read from CBCL.mat in --data or $NMU_DATA, else in
../shared/data; without that file their table is left out. The swimmer set is built
in. Hubble.mat and Kuls.mat (or .npy) are read from the same folder. If they are
missing, nmu generates stand-ins, which the page marks; the printed figures do not
apply to them.

DIR receives paper.md, paper.json and a figure with the basis images of each set.
Finished rows are kept in DIR/rows. After Ctrl-C, SIGTERM or SIGHUP (status 130, 143
or 129) the same command continues with the next row. All sets together take minutes
to an hour.`,
		Example: `  nmu-lab paper --only swimmer
  nmu-lab paper --data faces/ --out paper-out`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags().Changed); err != nil {
				return exit.Misuse(err)
			}
			return runPaper(cmd, &f)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.data, "data", "", "folder `DIR` of the data sets (default: $NMU_DATA, else\n../shared/data)")
	fs.StringSliceVar(&f.only, "only", nil, "`SETS` to run, separated by commas: "+strings.Join(paper.Sets(), ", "))
	flags.SetWords(fs, "only", paper.Sets(), false)
	fs.IntVar(&f.restarts, "restarts", 10, "number `N` of random starts of every method")
	fs.Uint64Var(&f.seed, "seed", 0, "seed `S` of the first start; the next ones are S+1, ...")
	fs.IntVar(&f.threads, "threads", 0, "number `P` of threads; the figures do not depend on it\n(default: all processors)")
	fs.StringVar(&f.out, "out", "paper-out", "folder `DIR` for the results and the finished rows")
	return cmd
}

// check rejects values that would stand for a default.
func (f *paperFlags) check(given func(flag string) bool) error {
	switch {
	case f.restarts < 1:
		return fmt.Errorf("--restarts %d; choose 1 or more", f.restarts)
	case given("data") && f.data == "":
		return errors.New("--data is empty; name a folder")
	case f.out == "":
		return errors.New("--out is empty; name a folder")
	case given("only") && len(f.only) == 0:
		return fmt.Errorf("--only names no data set; there are %v", paper.Sets())
	}
	return flags.CheckThreads(given, f.threads)
}

// runPaper runs the experiments and writes their results.
func runPaper(cmd *cobra.Command, f *paperFlags) error {
	names := []string{namePaperJSON, namePaperPage}
	for _, set := range paper.Sets() {
		names = append(names, set+".png")
	}
	if err := fileset.Check(f.out, names); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	line := progress.NewLine(cmd.ErrOrStderr())
	tables, err := paper.Run(ctx, paper.Plan{
		Sets: f.only, Data: f.data, Restarts: f.restarts, Seed: f.seed, Threads: f.threads,
		State:    filepath.Join(f.out, namePaperRows),
		Progress: func(p paper.Progress) { line.Say(paperStatus(p)) },
	})
	line.Clear()
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: finished rows are kept in %s, and the same command goes on from there", exit.Interruption(ctx), filepath.Join(f.out, namePaperRows))
		}
		return err
	}
	files := []fileset.File{
		{Name: namePaperPage, Write: tables.WriteMarkdown},
		{Name: namePaperJSON, Write: tables.WriteJSON},
	}
	for _, set := range tables.Sets {
		files = append(files, fileset.File{Name: set.FigureName(), Write: set.WriteFigure})
	}
	written, _, err := fileset.Write(f.out, files, namePaperJSON)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := tables.WriteTable(cmd.OutOrStdout()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "written: %s in %s\n", strings.Join(written, ", "), render.Printable(f.out))
	return err
}

// paperStatus describes a state in less than 80 columns.
func paperStatus(p paper.Progress) string {
	text := fmt.Sprintf("row %d/%d  %s  %s", min(p.Done+1, p.Rows), p.Rows, p.Set, p.Row)
	if p.Remaining >= 0 {
		text += fmt.Sprintf("  %s left", p.Remaining.Round(time.Second))
	}
	return text
}
