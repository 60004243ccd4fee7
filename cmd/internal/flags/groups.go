package flags

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of flags with a heading of their own in the help. Flags without a group, which
// most command lines need, come first.
const (
	Method = "Method"
	Input  = "Input"
	Output = "Output"
	Limits = "Memory and processes"
)

// annotatedGroup is the annotation of a flag with its group.
const annotatedGroup = "nmu group"

// Group calls declare and adds the flags that it declares to fs, as flags of a group.
func Group(fs *pflag.FlagSet, group string, declare func(fs *pflag.FlagSet)) {
	inner := pflag.NewFlagSet(group, pflag.ContinueOnError)
	inner.SortFlags = false
	declare(inner)
	inner.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[annotatedGroup] == nil {
			inner.SetAnnotation(f.Name, annotatedGroup, []string{group}) // there is such a flag
		}
		fs.AddFlag(f)
	})
}

func init() { cobra.AddTemplateFunc("flagsByGroup", byGroup) }

// whole is the annotation of a command whose help describes the flags of all groups.
const whole = "nmu help"

// ShowGroups makes the help of a program's commands list their flags by group. The flag --help describes
// those without a group, and names the others; the command help describes all.
func ShowGroups(root *cobra.Command) {
	const flat = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), flat, "{{flagsByGroup .}}", 1))
	root.InitDefaultHelpCmd()
	for _, help := range root.Commands() {
		if help.Name() != "help" {
			continue
		}
		help.Example = "  " + root.Name() + " help factor"
		run := help.Run
		help.Run = func(cmd *cobra.Command, args []string) {
			if of, _, err := root.Find(args); err == nil {
				of.Annotations = map[string]string{whole: "yes"}
			}
			run(cmd, args)
		}
	}
}

// byGroup describes the flags of a command, those of a group below its name.
func byGroup(cmd *cobra.Command) string {
	sets := map[string]*pflag.FlagSet{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		group := strings.Join(f.Annotations[annotatedGroup], "")
		if sets[group] == nil {
			sets[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
			sets[group].SortFlags = false
		}
		sets[group].AddFlag(f)
	})
	var b, names strings.Builder
	for _, group := range []string{"", Method, Input, Output, Limits} {
		switch set := sets[group]; {
		case set == nil:
		case group == "" || cmd.Annotations[whole] != "":
			fmt.Fprintf(&b, "%s:\n%s\n", cmp.Or(group, "Flags"), set.FlagUsages())
		default:
			var all []string
			set.VisitAll(func(f *pflag.Flag) { all = append(all, "--"+f.Name) })
			fmt.Fprintf(&names, "  %s:\n    %s\n", group, strings.ReplaceAll(Usage(strings.Join(all, " ")), "\n", "\n    "))
		}
	}
	if names.Len() > 0 {
		root, path, _ := strings.Cut(cmd.CommandPath(), " ")
		fmt.Fprintf(&b, "More flags, which \"%s help %s\" describes:\n%s", root, path, &names)
	}
	return strings.TrimSpace(b.String())
}
