package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/program"
	"nmu/internal/options"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/internal/selftest"
	"nmu/kernel"
)

// selftestSchema is the format of selftestReport.
const selftestSchema = "nmu-selftest/1"

// selftestReport is what --json prints.
type selftestReport struct {
	Schema  string          `json:"schema"`
	Version string          `json:"version"`
	Origin  render.Origin   `json:"origin"`
	Levels  []string        `json:"levels"` // of this processor
	Full    bool            `json:"full"`
	Total   int             `json:"total"`  // number of items
	Items   []selftest.Item `json:"items"`  // that are done: fewer if the command was stopped
	Failed  []string        `json:"failed"` // names of the items with a difference
	Seconds float64         `json:"seconds"`
}

// selftestCommand makes the command that checks what suite returns.
func selftestCommand(suite func() (selftest.Suite, error)) *program.Command {
	var r options.Run
	return &program.Command{
		Of: options.Selftest, Run: &r, First: []string{"full", "json"},
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
  factorization  the hashes of factorizations by every method, in both precisions,
                 against recorded ones

The first lines name the program and the machine. Each check prints a line, with the
levels that it ran at. The last line counts the items. The exit status is 1 if there is
a difference. A command that is stopped says how many items were done.

The short form takes less than 10 seconds on two cores. It tests each kernel with some
shapes of its arguments, and at level generic only each method's first factorizations.
Both forms take longer on a processor without fused multiply-adds, or in an emulator.`,
		Example: `  nmu selftest
  nmu selftest --full --json >selftest.json`,
		Do: func(c *program.Call) error {
			s, err := suite()
			if err != nil {
				return err
			}
			s.Full = r.Full
			return runSelftest(c, s, r.JSON)
		},
	}
}

func runSelftest(c *program.Call, s selftest.Suite, json bool) error {
	ctx, stop := exit.Interruptible(c.Context)
	defer stop()
	out := c.Out
	rep := selftestReport{
		Schema: selftestSchema, Version: release.Version(), Origin: render.NewOrigin(), Levels: kernel.Levels(),
		Full: s.Full, Total: s.Items(), Items: []selftest.Item{}, Failed: []string{},
	}
	begun := time.Now()
	var failed error // of writing
	write := func(format string, args ...any) {
		if !json && failed == nil {
			_, failed = fmt.Fprintf(out, format, args...)
		}
	}
	write("nmu %s, %s, %s/%s\nprocessor %s; kernel levels %s\n\n", rep.Version, rep.Origin.Go, rep.Origin.OS, rep.Origin.Arch,
		cmp.Or(rep.Origin.CPU, "unknown"), strings.Join(rep.Levels, ", "))
	stopped := selftest.Run(ctx, s, func(i selftest.Item) {
		rep.Items = append(rep.Items, i)
		if !i.OK() {
			rep.Failed = append(rep.Failed, i.Name)
		}
		write("%s", itemLine(i))
	})
	rep.Seconds = time.Since(begun).Seconds()
	done := render.Plural(len(rep.Items), "item")
	if stopped != nil {
		done = fmt.Sprintf("%d of %s", len(rep.Items), render.Plural(rep.Total, "item"))
	}
	write("%s, %d ok, in %.1f s\n", done, len(rep.Items)-len(rep.Failed), rep.Seconds)
	if json {
		failed = render.WriteJSON(out, rep)
	}
	if failed != nil {
		return failed
	}
	verdict := ""
	if len(rep.Failed) > 0 {
		verdict = fmt.Sprintf("%d of %s differ: %s", len(rep.Failed), render.Plural(len(rep.Items), "item"), strings.Join(rep.Failed, ", "))
	}
	switch {
	case stopped != nil && verdict != "":
		return fmt.Errorf("%w after %s; %s", exit.Interruption(ctx), done, verdict)
	case stopped != nil:
		return fmt.Errorf("%w after %s", exit.Interruption(ctx), done)
	case verdict != "":
		return errors.New(verdict)
	}
	return nil
}

// itemLine returns the line of an item and, indented, its differences.
func itemLine(i selftest.Item) string {
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
	return fmt.Sprintf("%-15s%-40s%s\n%s", i.Kind, i.Name, strings.Join(levels, ", "), strings.Join(lines, ""))
}
