//go:build race

package kernel

import (
	"runtime"
	"unsafe"
)

// The race detector does not see what assembly reads and writes. The functions below tell it.

func raceRead[E any](x []E) {
	if len(x) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&x[0]), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

func raceWrite[E any](x []E) {
	if len(x) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&x[0]), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

func raceReadMatrix[T Float](m Matrix[T]) {
	for i := range m.Rows {
		raceRead(m.Row(i))
	}
}

func raceWriteMatrix[T Float](m Matrix[T]) {
	for i := range m.Rows {
		raceWrite(m.Row(i))
	}
}

func raceReadBits(b Bits) {
	for i := range b.Rows {
		raceRead(b.Data[i*b.Stride:][:bytesOf(b.Cols)])
	}
}

// raceReadPattern is for a kernel that reads the entries of a pattern.
func raceReadPattern(s Pattern) {
	raceRead(s.ptr)
	for i := range s.Rows() {
		raceRead(s.Row(i))
	}
}

// raceReadRows is for a kernel that reads only those rows of m that have entries.
func raceReadRows[T Float](m Matrix[T], s Pattern) {
	for i := range s.Rows() {
		for _, j := range s.Row(i) {
			raceRead(m.Row(int(j)))
		}
	}
}

// raceWriteRows is for a kernel that writes only those rows of m that have entries.
func raceWriteRows[T Float](m Matrix[T], s Pattern) {
	for i := range s.Rows() {
		for _, j := range s.Row(i) {
			raceWrite(m.Row(int(j)))
		}
	}
}
