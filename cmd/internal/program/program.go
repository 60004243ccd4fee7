package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/flags"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/process"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/kernel"
)

// Main runs the command line of this process and exits with its status.
func Main(root *cobra.Command) {
	// A run may use nearly all free memory, which is the limit of matio.Options. So the collector
	// must not wait until the heap has doubled.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory.Free())
	}
	os.Exit(Execute(context.Background(), root, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Execute runs a command line of a root from New and returns the exit status. An error is one
// line on stderr.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
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
	fmt.Fprintf(stderr, "%s: %s%s\n", root.Name(), message.OneLine(err), hint)
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

// New adds the commands to the root of a program, and returns it.
func New(root *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	root.Version = release.Version()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
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
	}
	root.SetVersionTemplate(root.Name() + " {{.Version}}\n")
	root.SetFlagErrorFunc(flags.Error)
	root.AddCommand(commands...)
	for _, cmd := range commands {
		cmd.InitDefaultHelpFlag() // so that its manual page has it
		if run := cmd.RunE; run != nil {
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				exit.Begin(cmd.Context())
				return run(cmd, args)
			}
		}
	}
	flags.ShowGroups(root)
	return root
}
