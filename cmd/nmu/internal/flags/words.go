package flags

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/nmu/internal/message"
)

// Words that a flag knows are annotations of it: a shell completes them, and they may
// be written in capitals or not.
const (
	annotatedWords = "nmu words"
	annotatedElse  = "nmu words or else" // the flag takes other values too
)

// SetWords annotates a flag with the words that it takes; orElse says that it takes other
// values too.
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

// takesElse reports whether a flag takes other values than the words that it knows.
func takesElse(f *pflag.Flag) bool {
	_, ok := f.Annotations[annotatedElse]
	return ok
}

// Normalise writes words among the given values as they are known, whatever their capitals,
// and refuses values that are nearly a word.
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
	if near := Nearest(words, value); near != "" && !orElse {
		return "", fmt.Errorf("choose %s (did you mean %s?)", message.Enumerate(words, "or"), near)
	}
	return value, nil
}

// Nearest returns the word that s may be a slip of, or "": a third of its letters at
// most are other ones.
func Nearest(words []string, s string) string {
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

// Error adds the help that says more to an error about flags, and the nearest flag to one
// that is not known.
func Error(cmd *cobra.Command, err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := Nearest(names, name); near != "" {
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

// plain says what is wrong with the value of a flag in the words of the command line.
func plain(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	name, value := bad.GetFlag().Name, bad.GetValue()
	want := wants[bad.GetFlag().Value.Type()]
	switch {
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
