package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/internal/matio"
)

// Words that a flag knows are annotations of it: a shell completes them, and they may
// be written in capitals or not.
const (
	annotatedWords = "nmu words"
	annotatedElse  = "nmu words or else" // the flag takes other values too
)

// knows says which words a flag takes, and whether it takes other values too.
func knows[W ~string](fs *pflag.FlagSet, flag string, words []W, orElse bool) {
	err := fs.SetAnnotation(flag, annotatedWords, texts(words))
	if err == nil && orElse {
		err = fs.SetAnnotation(flag, annotatedElse, nil)
	}
	if err != nil {
		panic(err) // there is such a flag
	}
}

// takesElse says whether a flag takes other values than the words that it knows.
func takesElse(f *pflag.Flag) bool {
	_, ok := f.Annotations[annotatedElse]
	return ok
}

// normalise writes the words among the values of the flags that were given as they
// are known, and refuses those that are nearly one.
func normalise(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		words := f.Annotations[annotatedWords]
		if words == nil || err != nil {
			return
		}
		values := []string{f.Value.String()}
		list, isList := f.Value.(pflag.SliceValue)
		if isList {
			values = list.GetSlice()
		}
		for i, value := range values {
			if values[i], err = normal(words, value, takesElse(f)); err != nil {
				err = fmt.Errorf("--%s %q; %w", f.Name, value, err)
				return
			}
		}
		if isList {
			err = list.Replace(values)
		} else if values[0] != f.Value.String() {
			err = f.Value.Set(values[0])
		}
	})
	return err
}

// normal returns the word that is value but for capitals, else value itself; so too
// where value may be the name of a file, and is. The error says which word value may
// be a slip of.
func normal(words []string, value string, orElse bool) (string, error) {
	for _, w := range words {
		if !strings.EqualFold(w, value) {
			continue
		}
		if _, err := os.Stat(value); orElse && w != value && err == nil {
			return value, nil
		}
		return w, nil
	}
	if near := nearest(words, value); near != "" && !orElse {
		return "", fmt.Errorf("choose %s (did you mean %s?)", enumerate(words, "or"), near)
	}
	return value, nil
}

// nearest returns the word that s may be a slip of, or "": a third of its letters at
// most are other ones.
func nearest(words []string, s string) string {
	best, least := "", 0
	for _, w := range words {
		d := distance(strings.ToLower(w), strings.ToLower(s))
		if d <= (len(w)+1)/3 && (best == "" || d < least) {
			best, least = w, d
		}
	}
	return best
}

// distance is how many letters have to be added, left out, replaced or exchanged with
// their neighbours to make b of a (optimal string alignment). It takes O(len(a)
// len(b)) time.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var d [longest + 1][longest + 1]int
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			replaced := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			d[i][j] = min(replaced, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// flagError adds to the error about flags where to look, and for one that is not
// known, which it may be.
func flagError(cmd *cobra.Command, err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest(names, name); near != "" {
			return fmt.Errorf("%w; did you mean --%s? See %s --help", err, near, cmd.CommandPath())
		}
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// completed says how a shell completes the arguments and the flags of a command and
// of those below it, by what their descriptions call them: INPUT, DIR, FILE.
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
			if len(args) >= len(kinds) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completionOf(kinds[len(args)])
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete := func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if f.Name == nameVar && len(args) > 0 {
				return variables(args[len(args)-1])
			}
			kind, _ := pflag.UnquoteUsage(f)
			paths, directive := completionOf(kind)
			words := slices.Clone(wordsFor(cmd, f))
			if _, list := f.Value.(pflag.SliceValue); list {
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

// wordsFor returns the words that a flag knows, those of the chosen method alone where
// the flag is for an option of methods.
func wordsFor(cmd *cobra.Command, f *pflag.Flag) []cobra.Completion {
	words := f.Annotations[annotatedWords]
	option, ok := f.Value.(*methodFlag)
	if method := cmd.Flags().Lookup(nameMethod); ok && method != nil {
		if of := option.choices[strings.ToLower(method.Value.String())]; of != nil {
			return of
		}
	}
	return words
}

// completionOf completes what help calls by such a name.
func completionOf(kind string) ([]cobra.Completion, cobra.ShellCompDirective) {
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
