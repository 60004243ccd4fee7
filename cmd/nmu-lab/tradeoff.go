package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/progress"
	"nmu/cmd/internal/record"
	"nmu/internal/fileset"
	"nmu/internal/paper"
	"nmu/internal/release"
)

// nameTradeoff is the file with the figures of nmu-lab tradeoff. There are two plots for each data set
// beside it.
const nameTradeoff = "tradeoff.json"

func tradeoffCommand() *cobra.Command {
	var p paper.Plan
	var out string
	cmd := &cobra.Command{
		Use:   "tradeoff",
		Short: "Compare error, violation and time of the solvers of NMU",
		Long: `Compare Algorithm L-NMU with the augmented Lagrangian (--solver admm), for G-NMU and
R-NMU on the data sets of nmu-lab paper. L-NMU runs with a twelfth, a quarter and all of
the paper's iterations, admm with the penalties 1, 2, 4 and 10. All runs begin with
the same random start.

The table shows the relative error, the relative violation ||max(0, V W - M)|| / ||M||,
the share of zeros in V, and the seconds. DIR receives tradeoff.json and two plots of
each set: error against violation, and violation against seconds.`,
		Example: `  nmu-lab tradeoff --only swimmer
  nmu-lab tradeoff --data faces/ --out tradeoff-out`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if given := cmd.Flags().Changed; given("only") && len(p.Sets) == 0 || given("data") && p.Data == "" || given("out") && out == "" {
				return exit.Misuse(errors.New("--only, --data or --out is empty; name data sets and folders"))
			}
			return runTradeoff(cmd, p, out)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&p.Data, "data", "", "folder `DIR` of the data sets (default: $NMU_DATA, else\n../shared/data)")
	fs.StringSliceVar(&p.Sets, "only", nil, "`SETS` to run, separated by commas: "+strings.Join(paper.Sets(), ", "))
	flags.SetWords(fs, "only", paper.Sets(), false)
	fs.Uint64Var(&p.Seed, "seed", 0, "seed `S` of the start")
	fs.StringVar(&out, "out", "", "folder `DIR` for the figures and plots (default: print only)")
	return cmd
}

// runTradeoff makes the runs, prints them and writes their files.
func runTradeoff(cmd *cobra.Command, p paper.Plan, out string) error {
	if out != "" {
		if err := fileset.Check(out, []string{nameTradeoff}); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	line := progress.NewLine(cmd.ErrOrStderr())
	runs, err := paper.Tradeoffs(ctx, p, line.Say)
	line.Clear()
	if ctx.Err() != nil {
		return fmt.Errorf("%w; nothing is written", exit.Interruption(ctx))
	}
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "set\tmethod\tsolver\trho\titerations\trelative error\tviolation\ts(V)\tseconds\t")
	for _, r := range runs {
		rho := ""
		if r.Rho > 0 {
			rho = fmt.Sprint(r.Rho)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%.3g\t\n", r.Set, r.Method, r.Solver, rho, r.Iterations,
			message.Percent(r.Error), message.Percent(r.Violation), message.Percent(r.SparsityV), r.Seconds)
	}
	if err := t.Flush(); err != nil || out == "" {
		return err
	}
	text, err := json.MarshalIndent(map[string]any{"version": release.Version(), "seed": p.Seed, "runs": runs}, "", "\t")
	if err != nil {
		return err
	}
	files := []fileset.File{record.ContentFile(nameTradeoff, append(text, '\n'))}
	for _, set := range paper.Sets() {
		if !slices.ContainsFunc(runs, func(r paper.Tradeoff) bool { return r.Set == set }) {
			continue
		}
		byError, byTime, err := paper.TradeoffPlots(set, runs)
		if err != nil {
			return err
		}
		files = append(files, record.ContentFile("tradeoff-"+set+".svg", byError), record.ContentFile("tradeoff-"+set+"-time.svg", byTime))
	}
	names, _, err := fileset.Write(out, files, nameTradeoff)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = fmt.Fprintf(w, "\nwritten: %s in %s\n", strings.Join(names, ", "), out)
	return err
}
