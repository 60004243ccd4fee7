// Command nmu factors nonnegative matrices by nonnegative matrix factorization
// and underapproximation. Each subcommand has a file here, or a package of cmd/internal,
// which parses, calls and prints; all arithmetic is in package lnmu.
//
// Subcommands:
//
//	main.go       root command
//	biclique.go   nmu biclique  many edges in a bipartite graph
//	consensus.go  nmu consensus many runs, compared
//	convert.go    nmu convert   files that need not fit in memory
//	demo.go       nmu demo      the three methods on the swimmer set
//	info.go       nmu info      processor, kernel levels, version
//	              nmu version
//	look.go       nmu look      how a file is read
//	man.go        nmu man       manual pages
//	rank.go       nmu rank      which rank to choose
//	report.go     nmu report    a run as a page
//	selftest.go   nmu selftest  whether this machine computes what all others do
//	terms.go      nmu help terms
//	transform.go  nmu transform weights for new columns
//	comparison.go what nmu rank and nmu consensus share
//	../internal/factor
//	              nmu factor    a matrix from a file
//	              nmu resume    a run that was cut short
//
// CONTRIBUTING.md lists the packages of cmd/internal.
package main

import (
	"context"
	"io"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/factor"
	"nmu/cmd/internal/methods"
	"nmu/cmd/internal/program"
	"nmu/internal/selftest"
)

func main() { program.Main(rootCommand()) }

// execute runs the command line and returns the exit status. An error is one
// line on stderr.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return rootCommand().Execute(ctx, args, stdin, stdout, stderr)
}

func rootCommand() *program.Program {
	return program.New(&program.Command{
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
	},
		bicliqueCommand(),
		newConsensus().Command,
		convertCommand(),
		demoCommand(),
		factor.Command(),
		infoCommand(),
		lookCommand(),
		manCommand(rootCommand),
		newRank().Command,
		reportCommand(),
		factor.ResumeCommand(map[string]func() factor.Resumable{rankName: newRank, consensusName: newConsensus}),
		selftestCommand(selftest.New),
		termsTopic(),
		transformCommand(),
		versionCommand(),
	)
}
