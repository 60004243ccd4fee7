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

// ShowGroups makes the help of a program's commands list their flags by group.
func ShowGroups(root *cobra.Command) {
	const flat = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), flat, "{{flagsByGroup .LocalFlags}}", 1))
}

// byGroup describes flags, those of a group below its name.
func byGroup(fs *pflag.FlagSet) string {
	sets := map[string]*pflag.FlagSet{}
	fs.VisitAll(func(f *pflag.Flag) {
		group := strings.Join(f.Annotations[annotatedGroup], "")
		if sets[group] == nil {
			sets[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
			sets[group].SortFlags = false
		}
		sets[group].AddFlag(f)
	})
	var b strings.Builder
	for _, group := range []string{"", Method, Input, Output, Limits} {
		if sets[group] != nil {
			fmt.Fprintf(&b, "%s:\n%s\n", cmp.Or(group, "Flags"), sets[group].FlagUsages())
		}
	}
	return strings.TrimSpace(b.String())
}
