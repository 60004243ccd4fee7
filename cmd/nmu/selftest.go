package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nmu/cmd/nmu/internal/exit"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/internal/selftest"
	"nmu/kernel"
)

// selftestSchema is the format of selftestReport.
const selftestSchema = "nmu selftest 1"

// selftestReport is what --json prints.
type selftestReport struct {
	Schema  string          `json:"schema"`
	Version string          `json:"version"`
	Origin  render.Origin   `json:"origin"`
	Levels  []string        `json:"levels"` // of this processor
	Full    bool            `json:"full"`
	Items   []selftest.Item `json:"items"`
	Failed  []string        `json:"failed"` // names of the items with a difference
	Seconds float64         `json:"seconds"`
}

// selftestCommand makes the command that checks what suite returns.
func selftestCommand(suite func() (selftest.Suite, error)) *cobra.Command {
	var full, json bool
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Check that this machine computes the same bits as others",
		Long: `Check that this machine computes the same bits as every other machine. The check
needs only this program:

  floats         the arithmetic of the processor, on all threads: numbers are
                 rounded to nearest, denormals are not flushed to zero, fused
                 multiply-adds are rounded once
  kernel         every kernel at every instruction level of this machine against
                 the generic one, the specification; also at the ends of its memory,
                 and with arguments that it must refuse
  factorization  the hashes of factorizations by every method, in both precisions
                 and at every level, against recorded ones

Each check prints a line; the last line is the verdict. The exit status is 1 if there
is a difference. The check takes some seconds. It takes some minutes on a processor
without fused multiply-adds, or in an emulator.`,
		Example: `  nmu selftest
  nmu selftest --full --json >selftest.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := suite()
			if err != nil {
				return err
			}
			s.Full = full
			return runSelftest(cmd, s, json)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.BoolVar(&full, "full", false, "test kernels with all alignments, classes of values and\nbroken arguments, which takes four times as long")
	fs.BoolVar(&json, "json", false, "print JSON instead of lines")
	return cmd
}

func runSelftest(cmd *cobra.Command, s selftest.Suite, json bool) error {
	ctx, stop := exit.Interruptible(cmd.Context())
	defer stop()
	out := cmd.OutOrStdout()
	rep := selftestReport{
		Schema: selftestSchema, Version: release.Version(), Origin: render.NewOrigin(), Levels: kernel.Levels(),
		Full: s.Full, Items: []selftest.Item{}, Failed: []string{},
	}
	begun := time.Now()
	var failed error // of writing
	err := selftest.Run(ctx, s, func(i selftest.Item) {
		rep.Items = append(rep.Items, i)
		if !i.OK() {
			rep.Failed = append(rep.Failed, i.Name)
		}
		if !json && failed == nil {
			failed = writeItem(out, i)
		}
	})
	if err != nil {
		return exit.MarkInterrupted(ctx, err)
	}
	rep.Seconds = time.Since(begun).Seconds()
	switch {
	case json:
		failed = render.WriteJSON(out, rep)
	case failed == nil && len(rep.Failed) == 0:
		_, failed = fmt.Fprintf(out, "%s without a difference, in %.1f s\n", render.Plural(len(rep.Items), "item"), rep.Seconds)
	}
	if failed == nil && len(rep.Failed) > 0 {
		failed = fmt.Errorf("%d of %s differ: %s", len(rep.Failed), render.Plural(len(rep.Items), "item"), strings.Join(rep.Failed, ", "))
	}
	return failed
}

// writeItem prints the line of an item and, indented, its differences.
func writeItem(w io.Writer, i selftest.Item) error {
	var levels, lines []string
	for _, r := range i.Levels {
		verdict := "ok"
		if len(r.Differences) > 0 {
			verdict = "DIFFERS"
		}
		levels = append(levels, r.Level+" "+verdict)
		for _, d := range r.Differences {
			lines = append(lines, "    "+d+"\n")
		}
	}
	_, err := fmt.Fprintf(w, "%-15s%-40s%s\n%s", i.Kind, i.Name, strings.Join(levels, ", "), strings.Join(lines, ""))
	return err
}
