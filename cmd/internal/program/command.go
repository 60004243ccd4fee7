package program

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/message"
	"nmu/cmd/internal/methods"
	"nmu/internal/options"
)

// Command is a command of a program: its texts, its flags and its work.
type Command struct {
	Use, Short, Long, Example string // as cobra has them

	Of      options.Call  // the call, or the command, that the lists of package options give flags to
	Run     *options.Run  // which the flags set
	Methods methods.Flags // the options of methods; nil for none
	First   []string      // flags of a first run, in this order; --help names all others alone
	Without []string      // settings of the call that are no flags
	Only    []string      // flags, unless all are

	Needs, Such, Unless string // a flag that must be given, with an example of its value, unless another one is

	Least, Most int    // arguments
	Takes       string // what they are, with a verb for their number

	Do func(c *Call) error // nil for a text alone
}

// Call is a command line.
type Call struct {
	Context context.Context
	*message.Console
	Name string // of the command
	Args []string

	set *pflag.FlagSet
}

// Given reports whether a flag is on the command line.
func (c *Call) Given(flag string) bool { return c.set.Changed(flag) }

// Has reports whether the command has a flag.
func (c *Call) Has(flag string) bool { return c.set.Lookup(flag) != nil }

// Text returns the value of a flag, which the command has, as Set takes it.
func (c *Call) Text(flag string) string { return c.set.Lookup(flag).Value.String() }

// IsPath reports whether the value of a flag is the path of a file or a folder.
func (c *Call) IsPath(flag string) bool {
	f := c.set.Lookup(flag)
	return f != nil && slices.Contains([]string{"file", "folder", "matrix"}, kind(f))
}

// Set sets a flag as the command line does.
func (c *Call) Set(flag, text string) error { return c.set.Set(flag, text) }

// Assume sets a flag as if that were its default.
func (c *Call) Assume(flag, text string) error { return c.set.Lookup(flag).Value.Set(text) }

// Flags returns the flags on the command line, by name, with their values.
func (c *Call) Flags() (all [][2]string) {
	c.set.Visit(func(f *pflag.Flag) { all = append(all, [2]string{f.Name, f.Value.String()}) })
	return all
}

// Call returns a command line of the command without flags. It has the context and the console of another one, if that is
// not nil.
func (c *Command) Call(like *Call) *Call {
	call := &Call{set: c.flags(), Name: strings.Fields(c.Use)[0]}
	if like != nil {
		call.Context, call.Console = like.Context, like.Console
	}
	return call
}

// command returns the command as cobra has it, and what declares its flags.
func (c *Command) command() (cmd *cobra.Command, declare func()) {
	cmd = &cobra.Command{Use: c.Use, Short: c.Short, Long: c.Long, Example: c.Example}
	cmd.SuggestFor = options.Foreign(cmd.Name())
	cmd.Flags().SortFlags = false
	call := &Call{set: cmd.Flags(), Name: cmd.Name()}
	declare = sync.OnceFunc(func() {
		call.set.AddFlagSet(c.flags())
		cmd.InitDefaultHelpFlag() // so that its manual page has it
	})
	if c.Do == nil {
		return cmd, declare
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) < c.Least || len(args) > c.Most {
			return fmt.Errorf("%s needs "+cmp.Or(c.Takes, "no argument, got %d")+"; see %s --help", cmd.Name(), len(args), cmd.CommandPath())
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c.Needs != "" && !call.Given(c.Needs) && (c.Unless == "" || !call.Given(c.Unless)) {
			return fmt.Errorf("--%s is missing, such as --%[1]s %s; see %s --help", c.Needs, c.Such, cmd.CommandPath())
		}
		exit.Begin(cmd.Context())
		call.Context, call.Args = cmd.Context(), args
		call.Console = &message.Console{In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr()}
		return c.Do(call)
	}
	return cmd, declare
}

// flags returns the flags of the command.
func (c *Command) flags() *pflag.FlagSet {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.SortFlags = false
	add := func(o options.Option, letter string) {
		if all.Lookup(o.Name) == nil && !slices.Contains(c.Without, o.Name) && (c.Only == nil || slices.Contains(c.Only, o.Name)) {
			all.AddFlag(flagOf(o, letter))
		}
	}
	if c.Run != nil {
		for _, f := range options.Flags(c.Run) {
			if f.Commands&c.Of != 0 {
				if f.Default != "" {
					if err := f.Value.Set(f.Default); err != nil {
						panic(err) // it is a value
					}
				}
				add(f.Option, f.Letter)
			}
		}
		for _, o := range c.Methods.Options() {
			add(o, "")
		}
		for _, s := range options.Settings(c.Run) {
			if s.Calls&c.Of != 0 && s.Flag {
				add(options.Option{Name: s.Name, Usage: s.Help(), Value: s.Value}, "")
			}
		}
	}
	fs := pflag.NewFlagSet(c.Use, pflag.ContinueOnError)
	fs.SortFlags = false
	first := func(name, group string) {
		if f := all.Lookup(name); f != nil && fs.Lookup(name) == nil {
			f.Annotations = map[string][]string{annotatedGroup: {group}}
			fs.AddFlag(f)
		}
	}
	for _, name := range c.First {
		first(name, "")
	}
	for _, g := range groups {
		for _, name := range g.flags {
			first(name, g.name)
		}
	}
	all.VisitAll(func(f *pflag.Flag) { first(f.Name, method) })
	return fs
}

// InPrecision does the work of a command in the precision float32 or float64.
func InPrecision(precision string, in32, in64 func() error) error {
	if precision == options.Precisions[0] {
		return in32()
	}
	return in64()
}
