package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nmu/lnmu"
)

// Text returns the options of a method by name, with their values as text. An option without a
// value is left out.
func Text(method lnmu.Method) map[string]string {
	_, all := Of(method)
	values := map[string]string{}
	for _, o := range all {
		if text := o.Value.String(); text != "" {
			values[o.Name] = text
		}
	}
	return values
}

// Method returns the method of that name with the options that Text has returned. Errors wrap
// lnmu.ErrOption.
func Method(name string, values map[string]string) (lnmu.Method, error) {
	d, err := Describe(name)
	if err != nil {
		return nil, err
	}
	method, all := Of(d.Method)
	for _, given := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(all, func(o Option) bool { return o.Name == given })
		if i < 0 {
			var names []string
			for _, o := range all {
				names = append(names, o.Name)
			}
			return nil, fmt.Errorf("%w: method %s has no option %q; choose from %s", lnmu.ErrOption, name, given, strings.Join(names, ", "))
		}
		if err := all[i].Value.Set(values[given]); err != nil {
			return nil, fmt.Errorf("%w: option %s=%s of method %s: %w", lnmu.ErrOption, given, values[given], name, err)
		}
	}
	return method, nil
}
