package flags

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/message"
	"nmu/internal/options"
)

// The words of a flag are annotations of it. A shell completes them, and their case does
// not matter.
const (
	annotatedWords = "nmu words"
	annotatedElse  = "nmu words or else" // the flag takes other values too
)

// SetWords annotates a flag with the words that it takes. If orElse is true, the flag takes
// other values too. SetWords panics if fs has no such flag.
func SetWords[W ~string](fs *pflag.FlagSet, flag string, words []W, orElse bool) {
	err := fs.SetAnnotation(flag, annotatedWords, message.Strings(words))
	if err == nil && orElse {
		err = fs.SetAnnotation(flag, annotatedElse, nil)
	}
	if err != nil {
		panic(err) // there is such a flag
	}
}

// Words returns the words that a flag knows, or nil.
func Words(f *pflag.Flag) []string { return f.Annotations[annotatedWords] }

// takesElse reports whether a flag takes other values than its words.
func takesElse(f *pflag.Flag) bool {
	_, ok := f.Annotations[annotatedElse]
	return ok
}

// Normalise replaces each given word by its standard spelling, whatever its case. It returns an
// error for a value that is nearly a word, unless the flag takes other values.
func Normalise(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		words := Words(f)
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

// normal returns the word that equals value up to case, and otherwise value itself. It also
// returns value if orElse is set and value names a file. The error suggests the nearest word.
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
	if near := options.Nearest(words, value); near != "" && !orElse {
		return "", fmt.Errorf("choose %s (did you mean %s?)", message.Enumerate(words, "or"), near)
	}
	return value, nil
}

// Error adds a pointer to the help to an error about flags. To an error about an unknown flag
// it adds the flag that may have been meant.
func Error(cmd *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if letter, short := strings.CutPrefix(err.Error(), "unknown shorthand flag: '"); short {
		name, unknown = letter[:1], true
	}
	if unknown {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := options.Nearest(names, name); near != "" {
			return fmt.Errorf("%w; did you mean --%s? See %s --help", err, near, cmd.CommandPath())
		}
	}
	return fmt.Errorf("%w; see %s --help", plain(err), cmd.CommandPath())
}

// wants says what value a flag of a type takes, by the name of the type.
var wants = map[string]string{
	"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number, such as 0.01",
	"duration": "a time, such as 90s or 2h", "bool": "true or false",
}

// plain rewords an error about the value of a flag in terms of the command line.
func plain(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	name, value := bad.GetFlag().Name, bad.GetValue()
	want := wants[bad.GetFlag().Value.Type()]
	switch {
	case want == "" && value == "":
		return fmt.Errorf("--%s is empty; %w", name, bad.Unwrap())
	case want == "":
		return fmt.Errorf("--%s %s: %w", name, value, bad.Unwrap())
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("--%s %s: the number is too large", name, value)
	}
	return fmt.Errorf("--%s %s: want %s", name, value, want)
}

// Usage breaks the help text of a flag into lines.
func Usage(text string) string {
	const width = 62
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		switch {
		case b.Len() == 0:
		case length+1+len(word) > width:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}
