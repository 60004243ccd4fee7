package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nmu/internal/options"
	"nmu/lnmu"
)

// Settings say how a result was found: the settings of its call, from the lists in package options, and what
// the command finds out. In JSON they are one object, in which a setting without member has its default.
type Settings struct {
	options.Run `json:"-"` // Rank is the one that was asked for

	Options   map[string]string `json:"options,omitempty"`       // all those of the method, as on the command line
	Given     []string          `json:"given_options,omitempty"` // those that the command line named
	Processes int               `json:"processes,omitempty"`     // with --mpi, of Threads threads each
	Start     string            `json:"start,omitempty"`         // the folder of --init
	Basis     string            `json:"basis,omitempty"`         // of nmu transform
}

// ofCommand are the members for flags that are no settings of the library, by the names of the flags.
var ofCommand = map[string]string{"rank": "rank", "method": "method", "precision": "precision", "scale": "scale", "continue": "continued"}

// ScaleTopics is the Scale of a V whose columns add up to 1, beside the mixtures.
const ScaleTopics = options.ScaleTopics

// NewSettings returns the settings of a call in the precision T, from r and s, which has all defaults.
func NewSettings[T lnmu.Float](r options.Run, s lnmu.Settings) Settings {
	s.FixedV, s.FixedW = lnmu.Dense[float64]{}, lnmu.Dense[float64]{} // the matrices may be large
	s.Progress, s.Iterated, s.Checkpoint = nil, nil, nil
	s.Scratch, s.Overwrite = "", false // where M is does not change the result
	var how Settings
	how.Run.Settings = s
	how.Take(r)
	how.Precision = fmt.Sprintf("%T", T(0))
	return how
}

// Take takes what r has beside the settings of package lnmu.
func (s *Settings) Take(r options.Run) {
	r.Settings = s.Run.Settings
	r.MaxMemory, r.Every = 0, 0 // how a run works does not change its result
	s.Run = r
}

// SetInit sets the start: one that the library finds, or the folder of a given one.
func (s *Settings) SetInit(init string) {
	s.Init, s.Start = lnmu.Choice(init), ""
	if !slices.Contains(options.Inits(), string(s.Init)) {
		s.Init, s.Start = options.InitGiven, init
	}
}

// InitText returns the start as SetInit takes it.
func (s *Settings) InitText() string { return cmp.Or(s.Start, string(s.Init)) }

// list returns the settings of all calls, and those of ofCommand, by their members. Of those of one name, the first takes
// every word. The path of the matrix is that of Matrix.
func (s *Settings) list() map[string]options.Option {
	list := map[string]options.Option{}
	add := func(member string, o options.Option) {
		if _, listed := list[member]; !listed && member != "" && member != "input" {
			list[member] = o
		}
	}
	for _, o := range options.Settings(&s.Run) {
		add(strings.ReplaceAll(o.Name, "-", "_"), o.Option)
	}
	for _, f := range options.Flags(&s.Run) {
		add(ofCommand[f.Name], f.Option)
	}
	return list
}

// MarshalJSON implements json.Marshaler.
func (s Settings) MarshalJSON() ([]byte, error) {
	type own Settings
	text, err := json.Marshal(own(s))
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for member, o := range s.list() {
		text := o.Value.String()
		switch o.Type() {
		case "whole number", "number", "seconds", "yes or no":
			all[member] = json.RawMessage(text)
		default:
			all[member] = text
		}
		if text == "" {
			delete(all, member)
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements json.Unmarshaler. It refuses values that the list refuses.
func (s *Settings) UnmarshalJSON(text []byte) error {
	type own Settings
	if err := json.Unmarshal(text, (*own)(s)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for member, o := range s.list() {
		value, ok := all[member]
		if !ok {
			continue
		}
		text := string(value)
		if value[0] == '"' {
			if err := json.Unmarshal(value, &text); err != nil {
				return err
			}
		}
		if text == "0" && value[0] != '"' || text == "false" {
			continue // the default, which is no count
		}
		if err := o.Value.Set(text); err != nil {
			return fmt.Errorf("%s is %s: %w", member, value, err)
		}
	}
	return nil
}

// validate reports what cannot be so in settings.
func (s *Settings) validate(c *checks) {
	c.that(s.Precision != "", "precision is missing")
}

// validateMethod reports what cannot be so in the method and its options: --continue sets flags of their names.
func (s *Settings) validateMethod(c *checks) {
	if _, err := options.Describe(s.Method); err != nil {
		c.that(false, "method is %q", s.Method)
		return
	}
	method, err := options.Method(s.Method, s.Options)
	c.that(err == nil, "options: %v", err)
	if err != nil {
		return
	}
	_, known := options.Of(method)
	for _, name := range s.Given {
		c.that(slices.ContainsFunc(known, func(o options.Option) bool { return o.Name == name }), "%s has no option %q", s.Method, name)
	}
}

// description returns the description of the method.
func (s *Settings) description() options.Description {
	d, _ := options.Describe(s.Method)
	return d
}
