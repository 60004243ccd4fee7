// Command nmu-lab measures nmu, repeats the experiments of the paper, and makes the tables, plots
// and pictures of the documentation. It is for work on nmu, and no part of a release. Only this
// program needs packages bench and paper.
//
//	bench.go      nmu-lab bench     limits of the machine, speed, other programs
//	gallery.go    nmu-lab gallery   five sets of data, with _data, _examples and _run
//	paper.go      nmu-lab paper     the experiments of the paper
//	tradeoff.go   nmu-lab tradeoff  error over violation of both solvers
package main

import (
	"github.com/spf13/cobra"

	"nmu/cmd/internal/program"
)

func main() { program.Main(rootCommand()) }

func rootCommand() *cobra.Command {
	return program.New(&cobra.Command{
		Use:   "nmu-lab",
		Short: "Measurements and experiments for work on nmu",
		Long: `nmu-lab measures nmu, repeats the experiments of the paper, and makes the tables,
plots and pictures of the documentation.`,
	}, benchCommand(), galleryCommand(), paperCommand(), tradeoffCommand())
}
