package lnmu

import (
	"crypto/sha256"
	"encoding/hex"

	"nmu/lnmu/internal/state"
)

// SHA256 returns, in hexadecimal, the SHA-256 of the entries of d, row by row without gaps,
// in little-endian IEEE 754 format. Two factorizations with the same hashes are equal bit for
// bit.
func SHA256[T Float](d Dense[T]) string { return matrixSum[T](d) }

// matrixSum is SHA256 of any matrix.
func matrixSum[T Float](m Matrix[T]) string {
	h := sha256.New()
	rows, cols := m.Dims()
	d, dense := m.(Dense[T])
	row := make([]T, cols)
	var buf []byte
	for i := range rows {
		if dense {
			row = d.Row(i)
		} else {
			for j := range row {
				row[j] = m.At(i, j)
			}
		}
		buf = state.AppendFloats(buf[:0], row)
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}
