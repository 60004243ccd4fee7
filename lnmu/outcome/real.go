package outcome

import (
	"encoding/json"
	"math"
	"strconv"
)

// Real is a number in JSON that may be infinite. JSON has no such number: it is null there.
type Real float64

// MarshalJSON implements json.Marshaler.
func (x Real) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 1) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Real) UnmarshalJSON(text []byte) (err error) {
	if string(text) == "null" {
		*x = Real(math.Inf(1))
		return nil
	}
	*(*float64)(x), err = strconv.ParseFloat(string(text), 64)
	return err
}
