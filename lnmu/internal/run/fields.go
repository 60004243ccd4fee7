package run

import "reflect"

// EachField calls do for the fields of the struct x and of the structs within it, in their order.
// The name of a field within a named struct begins with the name of that struct. Functions
// are left out, since they cannot be compared.
func EachField(x any, do func(name string, value reflect.Value)) { eachField(reflect.ValueOf(x), do) }

func eachField(x reflect.Value, do func(name string, value reflect.Value)) {
	for i := range x.NumField() {
		f, value := x.Type().Field(i), x.Field(i)
		switch {
		case value.Kind() == reflect.Func:
		case value.Kind() != reflect.Struct:
			do(f.Name, value)
		case f.Anonymous:
			eachField(value, do)
		default:
			eachField(value, func(name string, value reflect.Value) { do(f.Name+"."+name, value) })
		}
	}
}
