//go:build !js

package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// cellOf returns the bytes of a value of a column, 0 if they differ, and what writes one as a cell, which is nil if it is
// neither a number nor text. Numbers keep their values.
func cellOf(e *format.SchemaElement) (width int, text func(b []byte) string) {
	const day = 24 * time.Hour
	var decimal, unsigned bool
	scale, unit := int32(0), time.Duration(0) // of decimals, of times
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		decimal, scale = true, t.Scale
	case *format.DateType:
		unit = day
	case *format.TimestampType:
		if t.Unit.Value == nil {
			return 0, nil
		}
		unit = t.Unit.Value.Duration()
	case *format.IntType:
		unsigned = !t.IsSigned
	case *format.StringType, *format.EnumType, *format.JsonType:
	case nil: // as in older files
		switch kind := e.ConvertedType.V; {
		case !e.ConvertedType.Valid, kind == deprecated.UTF8, kind == deprecated.Enum, kind >= deprecated.Int8 && kind <= deprecated.Int64:
		case kind >= deprecated.Uint8 && kind <= deprecated.Uint64:
			unsigned = true
		case kind == deprecated.Decimal:
			decimal, scale = true, e.Scale.V
		default:
			return 0, nil
		}
	default:
		return 0, nil
	}
	whole := func(x int64) string {
		switch {
		case decimal:
			return fmt.Sprintf("%de%d", x, -scale)
		case unit == day:
			return time.Unix(x*int64(day/time.Second), 0).UTC().Format(time.DateOnly)
		case unit > 0:
			per := int64(time.Second / unit)
			return time.Unix(x/per, x%per*int64(unit)).UTC().Format("2006-01-02 15:04:05.999999999")
		case unsigned:
			return strconv.FormatUint(uint64(x), 10)
		}
		return strconv.FormatInt(x, 10)
	}
	float := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	le := binary.LittleEndian
	switch width := int(e.TypeLength.V); e.Type.V {
	case format.Boolean:
		return 1, func(b []byte) string { return strconv.Itoa(int(b[0])) }
	case format.Int32:
		if unsigned {
			return 4, func(b []byte) string { return whole(int64(le.Uint32(b))) }
		}
		return 4, func(b []byte) string { return whole(int64(int32(le.Uint32(b)))) }
	case format.Int64:
		return 8, func(b []byte) string { return whole(int64(le.Uint64(b))) }
	case format.Float:
		return 4, func(b []byte) string { return float(float64(math.Float32frombits(le.Uint32(b)))) }
	case format.Double:
		return 8, func(b []byte) string { return float(math.Float64frombits(le.Uint64(b))) }
	case format.ByteArray:
		if !decimal {
			return 0, func(b []byte) string { return string(b) }
		}
	case format.FixedLenByteArray:
		if decimal && width > 0 && width <= 32 {
			return width, func(b []byte) string { // the highest byte first, in two's complement
				x := new(big.Int).SetBytes(b)
				if b[0] >= 0x80 {
					x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
				}
				return fmt.Sprintf("%ve%d", x, -scale)
			}
		}
	}
	return 0, nil
}
