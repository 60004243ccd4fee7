package program

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/render"
)

// flag is the value of a flag.
type flag struct {
	options.Option
	words []string // which the value may be
	given string
}

// helpWidth is the width of the text of a flag in the help.
const helpWidth = 62

// listed is the type of a value that may be given in parts.
const listed = "list of names"

// flagOf returns the flag for an option.
func flagOf(o options.Option, letter string) *pflag.Flag {
	f := &flag{Option: o, words: o.Choices()}
	text := o.Usage
	switch {
	case o.Name == "format":
		f.words = matio.Formats()
	case o.Type() == "seconds":
		text = strings.Replace(text, "`D`", "`D`, such as 90s or 2h", 1)
	}
	p := &pflag.Flag{Name: o.Name, Shorthand: letter, Usage: render.Wrap(text, helpWidth), Value: f, DefValue: f.String()}
	if f.Type() == "bool" {
		p.NoOptDefVal = "true"
	}
	if strings.Contains(text, "(default") {
		p.DefValue = ""
	}
	return p
}

// Set sets the value.
func (f *flag) Set(text string) (err error) {
	given := text
	switch f.Option.Type() {
	case listed, "list of numbers":
		if f.given != "" {
			text = f.given + "," + text
			given = text
		}
	case "seconds":
		d, err := time.ParseDuration(text)
		if err != nil {
			return errors.New("choose a time, such as 90s or 2h")
		}
		text = strconv.FormatFloat(d.Seconds(), 'g', -1, 64)
	}
	if f.Name == "format" {
		if text, err = options.Word(f.words, text); err != nil {
			return err
		}
	}
	if err := f.Value.Set(text); err != nil {
		return err
	}
	if word, err := options.Word(f.words, given); err == nil && f.Value.String() == "" { // the default
		given = word
	}
	f.given = given
	return nil
}

// String returns the value, as Set takes it.
func (f *flag) String() string {
	if f.Value == nil { // of a zero flag, which pflag makes
		return ""
	}
	if text := f.Value.String(); f.Option.Type() != "seconds" && text != "" {
		return text
	}
	return f.given
}

// Type names the kind of value, as pflag does where it asks.
func (f *flag) Type() string {
	if f.Value != nil && f.Option.Type() == "yes or no" {
		return "bool"
	}
	return "value"
}

// kind returns the type of the value of a flag, as package options names it.
func kind(p *pflag.Flag) string {
	if f, ok := p.Value.(*flag); ok {
		return f.Option.Type()
	}
	return ""
}

// Words returns the words that a flag knows, or nil.
func Words(f *pflag.Flag) []string {
	if f, ok := f.Value.(*flag); ok {
		return slices.Clone(f.words)
	}
	return nil
}

// badFlag adds a pointer to the help to an error about flags. To an error about an unknown flag it adds the flag that may
// have been meant.
func badFlag(cmd *cobra.Command, err error) error {
	if bad := (*pflag.InvalidValueError)(nil); errors.As(err, &bad) {
		name, value := bad.GetFlag().Name, bad.GetValue()
		if value == "" {
			return fmt.Errorf("--%s is empty; %w; see %s --help", name, bad.Unwrap(), cmd.CommandPath())
		}
		return fmt.Errorf("--%s %s: %w; see %s --help", name, value, bad.Unwrap(), cmd.CommandPath())
	}
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
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}
