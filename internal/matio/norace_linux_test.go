//go:build !race

package matio

const raceDetector = false
