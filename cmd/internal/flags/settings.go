package flags

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

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
	if f.Unit == inSeconds {
		d, err := time.ParseDuration(text)
		if err != nil {
			return errors.New("choose a time, such as 90s or 2h")
		}
		text = strconv.FormatFloat(d.Seconds(), 'g', -1, 64)
	}
	return f.Value.Set(text)
}

// String returns the value, as it was given if it is the default, "" if it was not.
func (f *settingFlag) String() string {
	if f.Value == nil { // of a zero flag, which pflag makes
		return ""
	}
	if f.Unit == inSeconds {
		return f.given
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

// inSeconds is the unit of a setting whose flag takes a time such as 90s.
const inSeconds = "seconds"

// yesOrNo is the type of a setting whose flag needs no value.
const yesOrNo = "yes or no"

// Settings adds the flags of these names of a command of a call, which set r. The list of settings says what they are.
func Settings(fs *pflag.FlagSet, r *options.Run, call options.Call, names ...string) {
	all := options.Settings(r)
	for _, name := range names {
		s := all[slices.IndexFunc(all, func(s options.Setting) bool { return s.Flag == name && s.Calls&call != 0 })]
		usage := s.Usage
		if takers := s.Methods(); takers != nil {
			usage = message.Enumerate(takers, "and") + ": " + usage
		}
		if s.Unit == inSeconds {
			usage = strings.Replace(usage, "`D`", "`D`, such as 90s or 2h", 1)
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

// FurtherSettings adds the flags of the command of a call that fs lacks, but for those to skip.
func FurtherSettings(fs *pflag.FlagSet, r *options.Run, call options.Call, skip ...string) {
	for _, s := range options.Settings(r) {
		if s.Calls&call != 0 && s.Flag != "" && fs.Lookup(s.Flag) == nil && !slices.Contains(skip, s.Flag) {
			Group(fs, Method, func(fs *pflag.FlagSet) { Settings(fs, r, call, s.Flag) })
		}
	}
}
