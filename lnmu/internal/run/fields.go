package run

import "reflect"

// EachField calls do for the fields of the struct x and of the structs that it embeds, in their order. Functions
// are left out, since they cannot be compared.
func EachField(x reflect.Value, do func(name string, value reflect.Value)) {
	for i := range x.NumField() {
		switch f, value := x.Type().Field(i), x.Field(i); {
		case value.Kind() == reflect.Func:
		case f.Anonymous:
			EachField(value, do)
		default:
			do(f.Name, value)
		}
	}
}
