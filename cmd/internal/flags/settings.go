package flags

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"nmu/cmd/internal/message"
	"nmu/internal/options"
)

// settingFlag is a setting as a flag.
type settingFlag struct {
	options.Setting
	given string
}

// Set sets the setting. The case of words does not count.
func (f *settingFlag) Set(text string) (err error) {
	if words := f.Choices(); words != nil {
		if text, err = normal(words, text, false); err != nil {
			return err
		}
	}
	if f.Setting.Type() == listed && f.given != "" { // a list may be given in parts
		text = f.given + "," + text
	}
	f.given = text
	return f.Value.Set(text)
}

// String returns the value, as it was given if it is the default, "" if it was not.
func (f *settingFlag) String() string {
	if f.Value == nil { // of a zero flag, which pflag makes
		return ""
	}
	return cmp.Or(f.Value.String(), f.given)
}

// Type names the kind of value, as pflag does where it asks.
func (f *settingFlag) Type() string {
	if f.Setting.Type() == yesOrNo {
		return "bool"
	}
	return "value"
}

// listed is the type of a setting whose flag may be given several times.
const listed = "list of names"

// yesOrNo is the type of a setting whose flag needs no value.
const yesOrNo = "yes or no"

// Settings adds the flags of these names, which set r. The list of settings says what they are.
func Settings(fs *pflag.FlagSet, r *options.Run, names ...string) {
	all := options.Settings(r)
	for _, name := range names {
		s := all[slices.IndexFunc(all, func(s options.Setting) bool { return s.Flag == name })]
		usage := s.Usage
		if takers := s.Methods(); takers != nil {
			usage = message.Enumerate(takers, "and") + ": " + usage
		}
		if s.Default != "" && !strings.Contains(usage, "(default") {
			usage += " (default " + s.Default + ")"
		}
		fs.Var(&settingFlag{Setting: s}, name, Usage(usage))
		if s.Type() == yesOrNo {
			fs.Lookup(name).NoOptDefVal = "true"
		}
		if words := s.Choices(); words != nil {
			SetWords(fs, name, words, false)
		}
	}
}

// FurtherSettings adds the flags of nmu factor that fs lacks.
func FurtherSettings(fs *pflag.FlagSet, r *options.Run) {
	for _, s := range options.Settings(r) {
		if s.Calls&options.Factor != 0 && s.Flag != "" && fs.Lookup(s.Flag) == nil {
			Group(fs, Method, func(fs *pflag.FlagSet) { Settings(fs, r, s.Flag) })
		}
	}
}
