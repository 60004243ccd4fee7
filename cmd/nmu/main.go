// Command nmu factors nonnegative matrices by nonnegative matrix factorization
// and underapproximation. Each subcommand has a file here, or a package below internal,
// which parses, calls and prints; all arithmetic is in package lnmu.
//
// A file uses only files of the groups below it, or of its own group. nmu gallery gets execute as
// an argument.
//
// Subcommands:
//
//	main.go       root command
//	bench.go      nmu bench     limits of the machine, speed, other programs
//	biclique.go   nmu biclique  many edges in a bipartite graph
//	convert.go    nmu convert   files that need not fit in memory
//	demo.go       nmu demo      the three methods on the swimmer set
//	gallery.go    nmu gallery   five sets of data, with _data, _examples and _run
//	info.go       nmu info      processor, kernel levels, version
//	man.go        nmu man       manual pages
//	paper.go      nmu paper     the experiments of the paper
//	rank.go       nmu rank      which rank to choose
//	report.go     nmu report    a run as a page
//	selftest.go   nmu selftest  whether this machine computes what all others do
//	terms.go      nmu help terms
//	tradeoff.go   nmu tradeoff  error over violation of both solvers
//	transform.go  nmu transform weights for new columns
//	internal/factor
//	              nmu factor    a matrix from a file
//	              nmu resume    a run that was cut short
//
// For all of them:
//
//	completion.go shell completion
//
// The packages below internal are in the layout of CONTRIBUTING.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"nmu/cmd/nmu/internal/checkpoint"
	"nmu/cmd/nmu/internal/exit"
	"nmu/cmd/nmu/internal/factor"
	"nmu/cmd/nmu/internal/flags"
	"nmu/cmd/nmu/internal/message"
	"nmu/cmd/nmu/internal/methods"
	"nmu/cmd/nmu/internal/process"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/internal/selftest"
	"nmu/kernel"
)

func main() {
	// A run may use nearly all free memory, which is the limit of matio.Options. So the collector
	// must not wait until the heap has doubled.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory.Free())
	}
	os.Exit(execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute runs the command line and returns the exit status. An error is one
// line on stderr.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completed(root) // cobra keeps the completion of each flag for ever
	}
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for those of the process
	root.SetIn(stdin)
	out := &output{w: stdout}
	stdout, stderr = &render.Screen{Out: out}, &render.Screen{Out: stderr}
	root.SetOut(stdout)
	root.SetErr(stderr)
	begun := false
	cmd, err := root.ExecuteContextC(exit.WithBegun(ctx, &begun))
	if out.err != nil {
		begun = true // the command line was good
		if err == nil {
			err = fmt.Errorf("the output is incomplete: %w", out.err) // cobra ignores errors of help
		}
	}
	if err == nil {
		return 0
	}
	hint := ""
	var most *matio.MemoryError
	if errors.As(err, &most) && cmd.Flags().Lookup(flags.MaxMemory) != nil {
		name := flags.MaxMemory
		if flag := cmd.Flags().Lookup(flags.Memory); flag != nil && flag.Changed {
			name = flags.Memory
		}
		hint = " (--" + name + " sets it)"
	}
	fmt.Fprintf(stderr, "nmu: %s%s\n", message.OneLine(err), hint)
	return exit.Status(err, begun)
}

// output is a writer that keeps its first error.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "nmu",
		Short: "Nonnegative matrix factorization and underapproximation",
		Long: `nmu factors a nonnegative matrix M (m x n) into V W, with a basis V >= 0 (m x r)
and weights W >= 0 (r x n). The methods are:

` + methods.List() + `
All but kl follow N. Gillis and F. Glineur, Using underapproximations for sparse
nonnegative matrix factorization. The same input, options and seed give the same
bits on every processor, with any number of threads.

` + exit.Help + `

Files in an output folder are written atomically and replace those of the previous
run of the same command. Other files stay. Names that begin with .nmu- are temporary.

The environment variable NMU_KERNEL chooses the instruction level of the kernels.
"nmu info" lists the levels of this machine.`,
		Version:       release.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := kernel.LevelError(); err != nil {
				return err
			}
			if err := flags.Given(cmd); err != nil {
				return err
			}
			if err := process.CheckAlone(cmd, os.Getenv); err != nil {
				return err
			}
			return flags.Normalise(cmd.Flags())
		},
	}
	root.SetVersionTemplate("nmu {{.Version}}\n")
	root.SetFlagErrorFunc(flags.Error)
	root.AddCommand(
		benchCommand(),
		bicliqueCommand(),
		consensusCommand(),
		convertCommand(),
		demoCommand(),
		factor.Command(),
		galleryCommand(execute),
		infoCommand(),
		manCommand(),
		paperCommand(),
		rankCommand(),
		reportCommand(),
		factor.ResumeCommand(map[string]func(*cobra.Command, string, *checkpoint.State) error{consensusName: resumeConsensus}),
		selftestCommand(selftest.New),
		termsTopic(),
		tradeoffCommand(),
		transformCommand(),
	)
	for _, cmd := range root.Commands() {
		if run := cmd.RunE; run != nil {
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				exit.Begin(cmd.Context())
				return run(cmd, args)
			}
		}
	}
	for _, cmd := range root.Commands() {
		flags.ShowGroups(cmd)
	}
	return root
}
