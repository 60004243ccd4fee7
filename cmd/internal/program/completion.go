package program

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/methods"
	"nmu/internal/matio"
)

// completed sets the shell completion of the arguments and flags of a command and its
// subcommands. The word for an argument in the help decides: INPUT, DIR or FILE.
func completed(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		completed(sub)
	}
	var kinds []string // of the arguments
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		kinds = append(kinds, word)
	}
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			switch {
			case len(kinds) > 0 && strings.HasSuffix(kinds[0], "..."):
				return completion(kinds[0])
			case len(args) < len(kinds):
				return completion(kinds[len(args)])
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete := func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if f.Name == input.FlagVar && len(args) > 0 {
				return variables(args[len(args)-1])
			}
			value, _ := pflag.UnquoteUsage(f)
			paths, directive := completion(value)
			words := wordsFor(cmd, f)
			if kind(f) == listed {
				for i := range words {
					words[i] = begun[:strings.LastIndexByte(begun, ',')+1] + words[i]
				}
			}
			return append(words, paths...), directive
		}
		if f.Value.Type() == "bool" {
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err) // a flag is registered once
		}
	})
}

// wordsFor returns the words that a flag accepts. If the flag is an option of methods, these are
// the words of the chosen method.
func wordsFor(cmd *cobra.Command, f *pflag.Flag) []cobra.Completion {
	if method := cmd.Flags().Lookup(methods.FlagName); method != nil {
		if own, ok := f.Value.(*flag); ok {
			if option, ok := own.Value.(*methods.Flag); ok && option.WordsFor(method.Value.String()) != nil {
				return option.WordsFor(method.Value.String())
			}
		}
	}
	return Words(f)
}

// completion returns the completion for a word of the help, such as DIR.
func completion(kind string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch strings.TrimRight(kind, ".") {
	case "INPUT", "BASIS": // folders are completed as well
		var extensions []string
		for _, ext := range matio.Extensions() {
			extensions = append(extensions, strings.TrimPrefix(ext, "."))
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	case "DIR":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case "FILE", "START":
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// variables completes the names of the matrices in a file.
func variables(path string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, err := matio.Variables(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return slices.Clone(names), cobra.ShellCompDirectiveNoFileComp
}
