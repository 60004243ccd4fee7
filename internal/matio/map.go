package matio

import "encoding/binary"

// hostBigEndian says that this machine stores the most significant byte first.
var hostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
