package options

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"nmu/lnmu"
)

// TestStub: the types of Python's arguments are those of the settings and of the options of
// methods.
func TestStub(t *testing.T) { agree(t, pythonPackage+"_settings.pyi", stubText()) }

// stubText declares the settings of each call as a dictionary of arguments. What all calls take, and the
// options of methods, are dictionaries of their own.
func stubText() string {
	var b strings.Builder
	b.WriteString("\"\"\"The types of the arguments that settings and options of methods are.\"\"\"\n\nfrom typing import Any, TypedDict, Union\n")
	elsewhere := map[string]bool{"init": true, "input": true, "continue": true, "overwrite": true, "ranks": true} // which have other forms there
	class := func(name, bases string, options []Option, without map[string]bool) map[string]bool {
		fmt.Fprintf(&b, "\nclass %s(%s, total=False):\n", name, bases)
		seen := maps.Clone(without)
		for _, o := range options {
			if !seen[o.Name] {
				seen[o.Name] = true
				fmt.Fprintf(&b, "    %s: %s\n", strings.ReplaceAll(o.Name, "-", "_"), pythonType(o))
			}
		}
		return seen
	}
	settings := func(calls Call) (all []Option) {
		for _, s := range Settings(&Run{}) {
			if s.Calls&calls == calls {
				all = append(all, s.Option)
			}
		}
		return all
	}
	_, ofNMF := Of(lnmu.NMF{})
	var ofMethods []Option
	for _, d := range Methods() {
		_, all := Of(d.Method)
		ofMethods = append(ofMethods, all...)
	}

	shared := class("SharedSettings", "TypedDict", settings(Inspect-1), elsewhere)
	class("MethodOptions", "TypedDict", ofMethods, elsewhere)
	for i, name := range calls {
		bases, own := "SharedSettings", settings(1<<i)
		switch Call(1) << i {
		case Inspect: // which is for the others
			continue
		case Improve:
			own = append(own, ofNMF...)
		case Factor, Rank, Consensus:
			bases += ", MethodOptions"
		}
		class(strings.ToUpper(name[:1])+name[1:]+"Settings", bases, own, shared)
	}
	return b.String()
}

// pythonType returns the type of an argument.
func pythonType(o Option) string {
	switch o.Type() {
	case "whole number":
		return "Union[int, None]"
	case "bytes":
		return "Union[int, str, None]"
	case "number", "seconds":
		return "Union[float, None]"
	case "yes or no":
		return "Union[bool, None]"
	case "list of numbers":
		return "Union[float, list[float], None]"
	case "list of names":
		return "Union[str, list[Any], None]"
	case "word", "name":
		return "Union[str, None]"
	case "size":
		return "Union[tuple[int, int], str, None]"
	}
	return "Any"
}
