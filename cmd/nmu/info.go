package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"nmu/cmd/internal/program"
	"nmu/internal/isa"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/kernel"
)

func infoCommand() *program.Command {
	return &program.Command{
		Use:   "info",
		Short: "Show the processor, the kernel levels and the version",
		Long: `Show the processor, its caches, the instruction levels that the kernels can use
here, the active one, and the version of the program. The active level is the
best one, unless the environment variable NMU_KERNEL names another. All levels
give the same bits.`,
		Example: `  nmu info
  NMU_KERNEL=generic nmu info`,
		Do: func(c *program.Call) error {
			var t render.Facts
			cpu := isa.CPU()
			t.Add("nmu", "%s", release.Version())
			t.Add("go", "%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
			t.Add("processor", "%s", cmp.Or(cpu.Brand, "unknown"))
			t.Add("logical cores", "%d, %d in use", cpu.Cores, runtime.GOMAXPROCS(0))
			t.Add("caches", "L1d %s, L2 %s, L3 %s, line %s",
				bytesText(cpu.L1D), bytesText(cpu.L2), bytesText(cpu.L3), bytesText(cpu.Line))
			t.Add("kernel levels", "%s", strings.Join(kernel.Levels(), ", "))
			t.Add("active level", "%s, %s", kernel.Level(), levelReason())
			return t.WriteText(c.Out)
		},
	}
}

func versionCommand() *program.Command {
	return &program.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of the program, as nmu --version does. \"nmu info\" says more.",
		Example: "  nmu version",
		Do: func(c *program.Call) error {
			_, err := fmt.Fprintf(c.Out, "nmu %s\n", release.Version())
			return err
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
