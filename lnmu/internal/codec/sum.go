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
	h := sha256.New()
	progress := marshalled(h)
	for turn := range turns {
		group.Ring(c, progress, func() {
			unmarshal(h, progress)
			write(turn, h)
			copy(progress, marshalled(h))
		})
	}
	unmarshal(h, progress)
	return hex.EncodeToString(h.Sum(nil))
}

// marshalled returns the state of a SHA-256, always in the same number of bytes.
func marshalled(h hash.Hash) []byte {
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err) // impossible: a SHA-256 can be marshalled
	}
	return state
}

// unmarshal is the inverse of marshalled.
func unmarshal(h hash.Hash, state []byte) {
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		panic(fmt.Sprintf("lnmu: the processes have different programs: %v", err))
	}
}
