// Command paper repeats the experiments of section 4 of the paper and puts every figure beside the
// printed one.
//
//	data set --> for each row of its table: the same starts for every method
//	               --> the best one, beside the printed figures
//	               --> beyond a bar: variants that may explain it, also measured
//	               --> a verdict
//
// The figures do not depend on the number of threads or, except for PCA, on the processor.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"nmu/internal/matio"
	"nmu/internal/render"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "paper:", err)
		stop()
		os.Exit(1)
	}
}

// command runs the command line args.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("paper", flag.ContinueOnError)
	fs.SetOutput(stderr)
	plan := Plan{Say: func(row string) { fmt.Fprintln(stderr, row) }, long: 2000}
	only := fs.String("only", strings.Join(Sets(), ","), "the data `sets`")
	fs.StringVar(&plan.Data, "data", "", "the `folder` of CBCL.mat, Swimmer.mat, Hubble.mat and Kuls.mat, or .npy (default $NMU_DATA, else ../shared/data);\nthe swimmer set is built in, a set without a file is left out")
	fs.IntVar(&plan.Restarts, "restarts", 10, "random starts of every method")
	fs.Uint64Var(&plan.Seed, "seed", 0, "the seed of the first start")
	fs.IntVar(&plan.Threads, "threads", runtime.GOMAXPROCS(0), "threads")
	out := fs.String("out", "paper-out", "the `folder` for paper.md, paper.json and a figure of each set")
	if err := fs.Parse(args); err != nil {
		return err
	}
	plan.Sets = strings.Split(*only, ",")
	for _, name := range plan.Sets {
		if !slices.Contains(Sets(), name) {
			return fmt.Errorf("-only: no data set %q; there are %s", name, strings.Join(Sets(), ", "))
		}
	}
	if plan.Restarts < 1 || plan.Threads < 1 || fs.NArg() > 0 {
		return errors.New("give -restarts and -threads of 1 or more, and no arguments; see -help")
	}
	if err := os.MkdirAll(*out, 0o777); err != nil {
		return err
	}
	tables, err := Run(ctx, plan)
	if err != nil {
		return err
	}
	if err := tables.WriteMarkdown(stdout); err != nil {
		return err
	}
	files := map[string]func(io.Writer) error{"paper.md": tables.WriteMarkdown, "paper.json": func(w io.Writer) error { return render.WriteJSON(w, tables) }}
	for _, set := range tables.Sets {
		files[set.FigureName()] = set.WriteFigure
	}
	for name, write := range files {
		err = errors.Join(err, matio.WriteFile(filepath.Join(*out, name), write))
	}
	return err
}
