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
	"nmu/cmd/internal/mpirun"
	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/release"
	"nmu/internal/render"
	"nmu/kernel"
)

// Main runs the command line of this process and exits with its status.
func Main(p *Program) {
	// A run may use nearly all free memory, which is the limit of matio.Options. So the collector
	// must not wait until the heap has doubled.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory.Free())
	}
	os.Exit(p.Execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Program is a program with its commands. A command has no flags before Find or Commands returns it, since most are not run.
type Program struct {
	*cobra.Command
	declare map[*cobra.Command]func()
}

// Find returns the command of a command line, and its arguments.
func (p *Program) Find(args []string) (*cobra.Command, []string, error) {
	cmd, rest, err := p.Command.Find(args)
	if declare := p.declare[cmd]; declare != nil {
		declare()
	}
	return cmd, rest, err
}

// Commands returns the commands.
func (p *Program) Commands() []*cobra.Command {
	for _, declare := range p.declare {
		declare()
	}
	return p.Command.Commands()
}

// Execute runs a command line and returns the exit status. An error is one line on stderr.
func (p *Program) Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := p.Command
	if p.Find(args); len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		p.Commands()
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
	if errors.As(err, &most) && cmd.Flags().Lookup("max-memory") != nil {
		hint = " (--max-memory sets it)"
		if flag := cmd.Flags().Lookup("memory"); flag != nil && flag.Changed {
			hint = " (--memory sets it)"
		}
	}
	fmt.Fprintf(stderr, "%s: %s%s\n", root.Name(), render.OneLine(err), hint)
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

// New returns a program. Its root has the texts of a command.
func New(root *Command, commands ...*Command) *Program {
	cmd, declare := root.command()
	declare()
	p := &Program{cmd, map[*cobra.Command]func(){}}
	p.Version = release.Version()
	p.SilenceErrors, p.SilenceUsage = true, true
	p.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := kernel.LevelError(); err != nil {
			return err
		}
		several := cmd.Flags().Lookup(mpirun.FlagName)
		if several != nil && several.Value.String() == "true" {
			return nil
		}
		return mpirun.CheckAlone(cmd.ErrOrStderr(), strings.Fields(cmd.CommandPath())[1:], several != nil, os.Getenv)
	}
	p.SetVersionTemplate(p.Name() + " {{.Version}}\n")
	p.SetFlagErrorFunc(badFlag)
	for _, c := range commands {
		cmd, declare := c.command()
		p.declare[cmd] = declare
		p.AddCommand(cmd)
	}
	showGroups(p)
	return p
}
