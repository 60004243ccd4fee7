package program

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/internal/render"
)

// method is the group of the flags that no other one has.
const method = "Method"

// groups are the groups of flags with a heading of their own in the help, with their flags in order.
var groups = []struct {
	name  string
	flags []string
}{
	{method, []string{"init", "continue", "target-error"}},
	{"Input", []string{
		"var", "transpose", "format", "sep", "decimal", "header", "row-labels", "skip-columns", "missing-text", "below", "triples", "align", "missing", "missing-value", "negative", "grey", "row-names", "col-names",
		"dense", "mask", "skip-rows", "skip-cols", "weights", "uncertainties", "sparse-missing",
	}},
	{"Output", []string{"out", "report", "image", "map", "image-order", "invert", "write", "scale", "top", "json", "force", "checkpoint-every", "progress", "quiet"}},
	{"Memory and processes", []string{"max-memory", "threads", "memory", "scratch", "mpi"}},
}

// annotatedGroup is the annotation of a flag with its group.
const annotatedGroup = "nmu group"

func init() { cobra.AddTemplateFunc("flagsByGroup", byGroup) }

// whole is the annotation of a command whose help describes the flags of all groups.
const whole = "nmu help"

// showGroups makes the help of a program's commands list their flags by group. The flag --help describes
// those of a first run, and names the others; the command help describes all.
func showGroups(root *Program) {
	const flat = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), flat, "{{flagsByGroup .}}", 1))
	root.InitDefaultHelpCmd()
	for _, help := range root.Command.Commands() {
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
	show := func(group string) {
		set := sets[group]
		switch {
		case set == nil:
		case group == "" || cmd.Annotations[whole] != "":
			fmt.Fprintf(&b, "%s:\n%s\n", cmp.Or(group, "Flags"), set.FlagUsages())
		default:
			var all []string
			set.VisitAll(func(f *pflag.Flag) { all = append(all, "--"+f.Name) })
			fmt.Fprintf(&names, "  %s:\n    %s\n", group, strings.ReplaceAll(render.Wrap(strings.Join(all, " "), helpWidth), "\n", "\n    "))
		}
	}
	show("")
	for _, g := range groups {
		show(g.name)
	}
	if names.Len() > 0 {
		root, path, _ := strings.Cut(cmd.CommandPath(), " ")
		fmt.Fprintf(&b, "More flags, which \"%s help %s\" describes:\n%s", root, path, &names)
	}
	return strings.TrimSpace(b.String())
}
