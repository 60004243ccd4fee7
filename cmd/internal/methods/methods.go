package methods

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"nmu/internal/options"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Everything that the command says of methods, and every flag for an option of one,
// comes from their descriptions.

// FlagName is the flag for the method.
const FlagName = "method"

// Names returns the names of the methods of which ok is true.
func Names(ok func(d options.Description) bool) []string { return options.Setting{Takes: ok}.Methods() }

// Any returns true for all methods.
func Any(options.Description) bool { return true }

// Recursive reports whether a method finds one factor or block after the other.
func Recursive(d options.Description) bool { return d.Recursive }

// List returns a line for each method, for the help of the command.
func List() string {
	var t render.Table
	for _, d := range options.Methods() {
		t.Rows = append(t.Rows, []string{d.Name, d.Title})
	}
	var b strings.Builder
	t.WriteText(&b, "  ") // a builder has no errors
	return b.String()
}

// Flag is the value of the flag for an option of methods. It holds the text
// that was given for the method that is chosen in the end.
type Flag struct {
	name    string
	uses    []use               // what it is for, of methods that say the same together
	methods []string            // that have the option
	choices map[string][]string // the words that it takes, by method; empty if it takes other values
	text    string
	given   bool
}

// use is what an option is for in some methods.
type use struct {
	methods []string
	text    string
}

// use takes note of what the option is for in a method.
func (f *Flag) use(method, text string) {
	for i := range f.uses {
		if f.uses[i].text == text {
			f.uses[i].methods = append(f.uses[i].methods, method)
			return
		}
	}
	f.uses = append(f.uses, use{[]string{method}, text})
}

// usage says what the option is for. The value is named once.
func (f *Flag) usage() string {
	var all []string
	for i, u := range f.uses {
		text := u.text
		if i > 0 {
			text = strings.ReplaceAll(text, "`", "")
		}
		all = append(all, strings.Join(u.methods, ", ")+": "+text)
	}
	return strings.Join(all, "; ")
}

// Set takes the text, and a word in letters of any case. The option itself says later whether it is good, unless it is nearly
// a word.
func (f *Flag) Set(text string) error {
	words := f.Choices()
	if word, err := options.Word(words, text); err == nil {
		text = word
	} else if options.Nearest(words, text) != "" {
		return err
	}
	f.text, f.given = text, true
	return nil
}

// Choices returns the words that the option takes in the methods, or nil if it takes other values.
func (f *Flag) Choices() (words []string) {
	for _, method := range f.methods {
		for _, word := range f.choices[method] {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// Kind names the kind of value.
func (f *Flag) Kind() string { return "value" }

// String returns the text.
func (f *Flag) String() string { return f.text }

// WordsFor returns the words that the option takes in a method, or nil if it takes other
// values there.
func (f *Flag) WordsFor(method string) []string { return f.choices[strings.ToLower(method)] }

// Flags are the flags for the options of all methods, each of them once.
type Flags []*Flag

// NewFlags returns the flags for the options of all methods.
func NewFlags() Flags {
	var flags Flags
	for _, f := range notGiven() {
		flags = append(flags, &f)
	}
	return flags
}

// notGiven returns the flags for the options of all methods, which are described once.
var notGiven = sync.OnceValue(func() (flags []Flag) {
	for _, d := range options.Methods() {
		_, all := options.Of(d.Method)
		for _, o := range all {
			i := slices.IndexFunc(flags, func(f Flag) bool { return f.name == o.Name })
			if i < 0 {
				i = len(flags)
				flags = append(flags, Flag{name: o.Name, choices: map[string][]string{}})
			}
			flags[i].methods = append(flags[i].methods, d.Name)
			flags[i].use(d.Name, o.Usage)
			if words := o.Choices(); words != nil {
				flags[i].choices[d.Name] = words
			}
		}
	}
	return flags
})

// byDefault returns the value of the option in the first method that has it, without options; empty if
// there is none.
func (f *Flag) byDefault() string {
	d, err := options.Describe(f.methods[0])
	if err != nil {
		return ""
	}
	method, _, err := lnmu.Check(lnmu.Dense[float64]{Rows: 1, Cols: 1}, 1, d.Method, nil)
	if err != nil {
		return ""
	}
	return options.Text(method)[f.name]
}

// Options returns the options of all methods, which set the flags.
func (list Flags) Options() (all []options.Option) {
	for _, f := range list {
		all = append(all, options.Option{Name: f.name, Usage: f.usage(), Value: f})
	}
	return all
}

// Method returns the method of that name with the options that were given.
func (list Flags) Method(name string) (lnmu.Method, error) {
	d, err := options.Describe(name)
	if err != nil {
		return nil, err
	}
	method, all := options.Of(d.Method)
	for _, f := range list {
		if !f.given {
			continue
		}
		i := slices.IndexFunc(all, func(o options.Option) bool { return o.Name == f.name })
		switch {
		case i < 0 && f.text != "" && f.text == f.byDefault():
			continue // which is what the other methods do
		case i < 0:
			return nil, fmt.Errorf("--%s is for %s; %s does not have it", f.name, render.Enumerate(f.methods, "and"), name)
		}
		if err := all[i].Value.Set(f.text); err != nil && f.text == "" {
			return nil, fmt.Errorf("--%s is empty; %w", f.name, err)
		} else if err != nil {
			return nil, fmt.Errorf("--%s %s; %w", f.name, f.text, err)
		}
	}
	return method, nil
}

// Given returns the names of the flags that were given.
func (list Flags) Given() []string {
	var names []string
	for _, f := range list {
		if f.given {
			names = append(names, f.name)
		}
	}
	return names
}

// Suggest gives a method the shapes of the pictures that are to be smooth, those of the columns of V and of the rows of W,
// unless they are given themselves. An empty shape is not known.
func (list Flags) Suggest(method lnmu.Method, image, pixelMap [2]int) error {
	m, ok := method.(*lnmu.RNMU)
	if !ok {
		return nil
	}
	for _, x := range []struct {
		smooth, shape string
		weight        float64
		to            *[2]int
		size          string
		of            [2]int
	}{{"smooth-v", "shape-v", m.SmoothV, &m.ShapeV, "--image", image}, {"smooth-w", "shape-w", m.SmoothW, &m.ShapeW, "--map", pixelMap}} {
		switch {
		case x.weight == 0 || *x.to != [2]int{}:
		case x.of == [2]int{}:
			return fmt.Errorf("--%s needs the size of the pictures: %s HxW", x.smooth, x.size)
		default:
			*x.to = x.of
			list.of(x.shape).Set(options.Size(x.of)) // for Given
		}
	}
	return nil
}

// of returns the flag of that name, which there is.
func (list Flags) of(name string) *Flag {
	for _, f := range list {
		if f.name == name {
			return f
		}
	}
	panic("no option " + name)
}
