package factor

import (
	"github.com/spf13/pflag"

	"nmu/cmd/internal/flags"
	"nmu/internal/options"
)

// settingFlag is the value of a setting as a flag.
type settingFlag struct{ options.Setting }

// Set sets the setting.
func (f settingFlag) Set(text string) error { return f.Value.Set(text) }

// String returns its value, "" for the default.
func (f settingFlag) String() string {
	if f.Value == nil { // of a zero flag, which pflag makes
		return ""
	}
	return f.Value.String()
}

// Type names the kind of value.
func (f settingFlag) Type() string { return "value" }

// addSettings adds a flag for each setting that fs has none for. It sets r.
func addSettings(fs *pflag.FlagSet, r *options.Run) {
	for _, s := range options.Settings(r) {
		if s.Calls&options.Factor == 0 || s.Flag == "" || fs.Lookup(s.Flag) != nil {
			continue
		}
		usage := s.Usage
		if s.Default != "" {
			usage += " (default " + s.Default + ")"
		}
		flags.Group(fs, flags.Method, func(fs *pflag.FlagSet) { fs.Var(settingFlag{s}, s.Flag, flags.Usage(usage)) })
		if s.Type() == "yes or no" {
			fs.Lookup(s.Flag).NoOptDefVal = "true"
		}
		if words := s.Choices(); words != nil {
			flags.SetWords(fs, s.Flag, words, false)
		}
	}
}
