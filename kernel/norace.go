//go:build !race

package kernel

// Without the race detector nobody is told what assembly reads and writes.

func raceRead[E any](x []E)                         {}
func raceWrite[E any](x []E)                        {}
func raceReadMatrix[T Float](m Matrix[T])           {}
func raceWriteMatrix[T Float](m Matrix[T])          {}
func raceReadBits(b Bits)                           {}
func raceReadPattern(s Pattern)                     {}
func raceReadRows[T Float](m Matrix[T], s Pattern)  {}
func raceWriteRows[T Float](m Matrix[T], s Pattern) {}
