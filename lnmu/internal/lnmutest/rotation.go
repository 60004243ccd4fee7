package lnmutest

import "os"

// Rotation says which pairs of a method and a case a test runs. The long form of a test, with
// NMU_FULL, runs all pairs. The short form runs every method and every case at least once: each
// method takes the next case.
type Rotation struct {
	every, turn int
}

// Rotate returns a Rotation of so many methods and cases. Tests that differ in their storage or
// type, but not in their methods and cases, run different pairs if their turns differ.
func Rotate(methods, cases, turn int) Rotation {
	if os.Getenv("NMU_FULL") != "" {
		return Rotation{1, 0}
	}
	return rotate(methods, cases, turn)
}

func rotate(methods, cases, turn int) Rotation { return Rotation{min(methods, cases), turn} }

// Takes reports whether a test runs method i on case k.
func (r Rotation) Takes(i, k int) bool { return (i+k+r.turn)%r.every == 0 }
