package mat

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// Types of data elements of a MATLAB 5 file.
const (
	miInt8       = 1
	miUint8      = 2
	miUint16     = 4
	miInt32      = 5
	miUint32     = 6
	miSingle     = 7
	miDouble     = 9
	miMatrix     = 14
	miCompressed = 15
	miUTF8       = 16
	miUTF16      = 17
)

// types are the element types that hold numbers.
var types = map[uint32]element.Type{
	1: {Kind: 'i', Size: 1}, 2: {Kind: 'u', Size: 1},
	3: {Kind: 'i', Size: 2}, 4: {Kind: 'u', Size: 2},
	5: {Kind: 'i', Size: 4}, 6: {Kind: 'u', Size: 4},
	7: {Kind: 'f', Size: 4}, 9: {Kind: 'f', Size: 8},
	12: {Kind: 'i', Size: 8}, 13: {Kind: 'u', Size: 8},
}

const (
	mxCell   = 1
	mxStruct = 2
	mxChar   = 4
	mxSparse = 5
	mxDouble = 6
	mxSingle = 7
	mxUint8  = 9
	mxUint64 = 15
)

// classes are the names of the classes of arrays.
var classes = []string{1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
	8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64", 15: "uint64", 16: "function", 17: "opaque"}

const headerSize = 128

// padding is the number of bytes of which each part of an array takes a multiple.
const padding = 8

// variable is an array in the file.
type variable struct {
	name    string
	class   byte
	complex bool
	logical bool
	dims    []int64
	off     int64 // of the element in the file, behind its tag
	size    int64 // bytes there
	packed  bool
	body    int64 // where the data begin within the array
	length  int64 // bytes of the array, inflated
	end     int64 // where the data end within the array, of a field or a cell of one; else 0
}

func (v *variable) String() string {
	class := fmt.Sprintf("class %d", v.class)
	if int(v.class) < len(classes) && v.class > 0 {
		class = classes[v.class]
	}
	if v.logical {
		class = "logical"
	}
	if v.complex {
		class = "complex " + class
	}
	size := ""
	for i, d := range v.dims {
		if i > 0 {
			size += " x "
		}
		size += fmt.Sprint(d)
	}
	return fmt.Sprintf("%s (%s %s)", v.name, size, class)
}

// usable says whether v is a real numeric matrix, or a cube.
func (v *variable) usable() bool {
	return v.class >= mxSparse && v.class <= mxUint64 && !v.complex && (len(v.dims) == 2 || v.isCube())
}

// isCube says whether v is an array of three dimensions.
func (v *variable) isCube() bool { return len(v.dims) == 3 && v.class != mxSparse }

// file reads the arrays of a file.
type file struct {
	f      *input.File
	order  binary.ByteOrder
	packed *bufio.Reader // of the one compressed array that is being read
	z      io.ReadCloser // inflates packed
}
