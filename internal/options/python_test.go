package options

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"nmu/lnmu"
)

const stub = "../../python/nmu/_settings.pyi"

// TestStub: the types of Python's arguments are those of the settings and of the options of
// methods.
func TestStub(t *testing.T) {
	now := stubText()
	if was, err := os.ReadFile(stub); err == nil && string(was) == now {
		return
	}
	if !*update {
		t.Errorf("%s differs from the lists of settings and options; go test ./internal/options -run Stub -update", stub)
	} else if err := os.WriteFile(stub, []byte(now), 0o666); err != nil {
		t.Error(err)
	}
}

// stubText declares the settings of each call as a dictionary of arguments.
func stubText() string {
	var b strings.Builder
	b.WriteString("\"\"\"The types of the arguments that settings and options of methods are.\"\"\"\n\nfrom typing import Any, TypedDict, Union\n")
	for i, name := range calls {
		call := Call(1) << i
		if call == Inspect { // which is for the others
			continue
		}
		fmt.Fprintf(&b, "\nclass %sSettings(TypedDict, total=False):\n", strings.ToUpper(name[:1])+name[1:])
		seen := map[string]bool{"init": true, "input": true, "continue": true, "overwrite": true, "ranks": true} // which have other forms there
		add := func(o Option) {
			if !seen[o.Name] {
				seen[o.Name] = true
				fmt.Fprintf(&b, "    %s: %s\n", strings.ReplaceAll(o.Name, "-", "_"), pythonType(o))
			}
		}
		for _, s := range Settings(&Run{}) {
			if s.Calls&call != 0 {
				add(s.Option)
			}
		}
		if call&(Factor|Improve|Rank|Consensus) == 0 {
			continue
		}
		for _, d := range lnmu.Methods() {
			_, all := Of(d.Method)
			for _, o := range all {
				if call != Improve || d.Name == (lnmu.NMF{}).Describe().Name {
					add(o)
				}
			}
		}
	}
	return b.String()
}

// pythonType returns the type of an argument.
func pythonType(o Option) string {
	switch o.Type() {
	case "whole number":
		return "Union[int, None]"
	case "number", "seconds":
		return "Union[float, None]"
	case "yes or no":
		return "Union[bool, None]"
	case "list of names":
		return "Union[str, list[Any], None]"
	case "word", "name":
		return "Union[str, None]"
	case "size":
		return "Union[tuple[int, int], str, None]"
	}
	return "Any"
}
