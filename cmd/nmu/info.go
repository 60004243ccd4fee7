package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"nmu/internal/isa"
	"nmu/internal/release"
	"nmu/kernel"
)

func infoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "Show the processor, the kernel levels and the version",
		Long: `Show the processor, its caches, the instruction levels that the kernels can use
here, the active one, and the version of the program. The active level is the
best one, unless the environment variable NMU_KERNEL names another. All levels
give the same bits.`,
		Example: `  nmu info
  NMU_KERNEL=generic nmu info`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			cpu := isa.CPU()
			fmt.Fprintf(t, "nmu\t%s\n", release.Version())
			fmt.Fprintf(t, "go\t%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintf(t, "processor\t%s\n", orUnknown(cpu.Brand))
			fmt.Fprintf(t, "logical cores\t%d, %d in use\n", cpu.Cores, runtime.GOMAXPROCS(0))
			fmt.Fprintf(t, "caches\tL1d %s, L2 %s, L3 %s, line %s\n",
				bytesText(cpu.L1D), bytesText(cpu.L2), bytesText(cpu.L3), bytesText(cpu.Line))
			fmt.Fprintf(t, "kernel levels\t%s\n", strings.Join(kernel.Levels(), ", "))
			fmt.Fprintf(t, "active level\t%s, %s\n", kernel.Level(), levelReason())
			return t.Flush()
		},
	}
}

// levelReason returns why this level is active.
func levelReason() string {
	if name := os.Getenv(isa.Env); name != "" {
		return "chosen by " + isa.Env + "=" + name
	}
	return "the best here (" + isa.Env + " is not set)"
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// bytesText prints a size in the unit that divides it.
func bytesText(n int) string {
	switch {
	case n <= 0:
		return "unknown"
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
