package options

// MethodText describes a method and its options, for JSON.
type MethodText struct {
	Name              string       `json:"name"`
	Title             string       `json:"title"`
	Iterations        int          `json:"iterations"`
	Underapproximates bool         `json:"underapproximates"`
	Recursive         bool         `json:"recursive"`
	Sparse            bool         `json:"sparse"`
	Options           []OptionText `json:"options"`
}

// OptionText describes an option, for JSON.
type OptionText struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Usage   string   `json:"usage"`
	Choices []string `json:"choices,omitempty"` // the words that it can be
	Foreign []string `json:"foreign,omitempty"` // the words of other programs for it

	Same map[string]string `json:"same,omitempty"` // the choice for a word of another program
}

// SettingText describes a setting, for JSON.
type SettingText struct {
	OptionText
	Calls   []string `json:"calls"`
	Unit    string   `json:"unit,omitempty"`
	Default string   `json:"default,omitempty"`
	Methods []string `json:"methods,omitempty"` // that take it; none: all
}

// MethodTexts describes all methods.
func MethodTexts() []MethodText {
	var list []MethodText
	for _, d := range Methods() {
		m := MethodText{d.Name, d.Title, d.Most(), d.Underapproximates, d.Recursive, d.Sparse(), []OptionText{}}
		_, all := Of(d.Method)
		for _, o := range all {
			m.Options = append(m.Options, o.text())
		}
		list = append(list, m)
	}
	return list
}

// SettingTexts describes all settings.
func SettingTexts() []SettingText {
	var list []SettingText
	for _, s := range Settings(&Run{}) {
		list = append(list, SettingText{s.text(), s.Calls.Names(), s.Unit, s.Default, s.Methods()})
	}
	return list
}

func (o Option) text() OptionText {
	text := OptionText{o.Name, o.Type(), o.Usage, o.Choices(), Foreign(o.Name), map[string]string{}}
	for _, choice := range text.Choices {
		for _, other := range Foreign(choice) {
			text.Same[other] = choice
		}
	}
	return text
}
