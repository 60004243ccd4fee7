package codec

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// MatrixSum returns in all processes the SHA-256, in hexadecimal, of the entries of a matrix,
// row by row without gaps, in little-endian IEEE 754 format.
func MatrixSum[T kernel.Float](c group.Comm, d group.Distributed[T]) string {
	var buf []byte
	return Sum(c, d.Turns(), func(turn int, to io.Writer) {
		d.Read(turn, func(row []T) {
			buf = AppendFloats(buf[:0], row)
			_, _ = to.Write(buf)
		})
	})
}

// Sum returns in all processes the SHA-256, in hexadecimal, of the bytes that they write. In
// each turn the processes write one after the other. They exchange only the state of the hash.
func Sum(c group.Comm, turns int, write func(turn int, to io.Writer)) string {
	h := sha256.New().(interface {
		hash.Hash
		encoding.BinaryAppender
		encoding.BinaryUnmarshaler
	})
	progress, _ := h.AppendBinary(nil) // always so many bytes, without an error
	goOn := func() {
		if err := h.UnmarshalBinary(progress); err != nil {
			panic(fmt.Sprintf("lnmu: the processes have different programs: %v", err))
		}
	}
	for turn := range turns {
		group.Ring(c, progress, func() {
			goOn()
			write(turn, h)
			_, _ = h.AppendBinary(progress[:0])
		})
	}
	goOn()
	return hex.EncodeToString(h.Sum(nil))
}
